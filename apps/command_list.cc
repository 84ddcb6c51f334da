#include <algorithm>

#include <nlohmann/json.hpp>

#include "cli.h"
#include "stiction/methods/registry.h"
#include "stiction/model/joint_traits.h"
#include "stiction/report/option_table.h"
#include "stiction/solvers/registry.h"

namespace stiction::cli {

namespace {

struct Item {
  std::string_view name;
  std::string source;
  std::string_view sentence;
  bool available = true;
};

std::vector<Item> shape_items() {
  return {{"plane", "closed form", "the half-space below a plane; fixed or prescribed bodies only"},
          {"sphere", "closed form", "radius"},
          {"box", "clipped features", "size: three full lengths"},
          {"capsule", "closed form", "radius, length between the centres of its caps, along z"},
          {"cylinder", "GJK/EPA", "radius, length, along z"},
          {"ellipsoid", "GJK/EPA", "radii: three semi-axes"},
          {"convex", "GJK/EPA", "vertices, or a file of them: their convex hull"},
          {"superellipsoid", "chakraborty2007", "radii, exponents from 2 (round) to 16 (almost a box)"},
          {"cone", "GJK/EPA", "radius, length, apex along z"},
          {"rounded-box", "GJK/EPA", "size, radius of its edges and corners"},
          {"implicit", "chakraborty2007", "functions: polynomials, convex, <= 0 inside"},
          {"bowl", "local maxima", "radius: the solid outside a ball; fixed or prescribed bodies only"},
          {"mesh", "", "triangle meshes", false}};
}

std::vector<Item> joint_items() {
  std::vector<Item> items;
  for (const JointTraits& joint : all_joint_traits()) {
    const int freedoms = joint.v_size();
    items.push_back({joint.name, fmt::format("{} freedom{}", freedoms, freedoms == 1 ? "" : "s"), joint.sentence});
  }
  return items;
}

std::vector<Item> items_of(const std::string& what) {
  std::vector<Item> items;
  if (what == "shapes") return shape_items();
  if (what == "joints") return joint_items();
  if (what == "methods") {
    for (const auto* m : methods::all_methods()) items.push_back({m->name, std::string(m->source), m->sentence});
  } else {
    for (const auto& s : solvers::solver_infos()) items.push_back({s.name, std::string(s.source), s.sentence});
  }
  return items;
}

}  // namespace

namespace {

// Options of all methods: the tables of docs/scene.md, or a line per option.
int list_options(bool json) {
  for (const methods::MethodDescription* method : methods::all_methods()) {
    const report::Table table = report::option_table(*method);
    if (!json) {
      print("<!-- keys: method.{} -->\n\n{}\n", method->name, report::markdown_table(table));
      continue;
    }
    for (const std::vector<std::string>& row : table.rows) {
      const nlohmann::ordered_json line = {{"method", method->name}, {"key", row[0]},   {"type", row[1]},
                                           {"default", row[2]},      {"range", row[3]}, {"meaning", row[4]}};
      print("{}\n", line.dump());
    }
  }
  return exit_done;
}

}  // namespace

int command_list(const std::string& what, bool json) {
  if (what == "options") return list_options(json);
  const std::vector<std::string> kinds = {"methods", "solvers", "shapes", "joints", "options"};
  if (std::find(kinds.begin(), kinds.end(), what) == kinds.end()) {
    const std::string near = closest_name(what, kinds);
    return report({.what = "there is no such list",
                   .remedy = near.empty() ? fmt::format("There are {}.", fmt::join(kinds, ", "))
                                          : fmt::format("Did you mean '{}'?", near),
                   .name = what,
                   .file = "command line"});
  }
  for (const Item& item : items_of(what)) {
    if (json) {
      const nlohmann::ordered_json line = {
          {"name", item.name}, {"source", item.source}, {"sentence", item.sentence}, {"available", item.available}};
      print("{}\n", line.dump());
    } else {
      print("{:<20} {:<17} {}{}\n", item.name, item.source, item.sentence,
            item.available ? "" : " (not in this version)");
    }
  }
  return exit_done;
}

}  // namespace stiction::cli
