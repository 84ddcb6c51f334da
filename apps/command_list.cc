#include <algorithm>

#include <nlohmann/json.hpp>

#include "cli.h"
#include "stiction/methods/registry.h"
#include "stiction/report/description_json.h"
#include "stiction/report/option_table.h"
#include "stiction/solvers/registry.h"

namespace stiction::cli {

namespace {

using Json = nlohmann::ordered_json;

struct Item {
  std::string_view name, source, sentence;
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
  return {{"fixed", "0 freedoms", "welds the child to the parent"},
          {"revolute", "1 freedom", "turns about axis"},
          {"prismatic", "1 freedom", "slides along axis"},
          {"cylindrical", "2 freedoms", "slides along and turns about axis"},
          {"universal", "2 freedoms", "turns about axis, then about axis2"},
          {"planar", "3 freedoms", "slides in the plane normal to axis and turns about it"},
          {"spherical", "3 freedoms", "turns about a point"},
          {"free", "6 freedoms", "moves anywhere"}};
}

std::vector<Item> items_of(const std::string& what) {
  std::vector<Item> items;
  if (what == "shapes") return shape_items();
  if (what == "joints") return joint_items();
  if (what == "methods") {
    for (const auto* m : methods::all_methods()) items.push_back({m->name, m->source, m->sentence});
  } else {
    for (const auto& s : solvers::solver_infos()) items.push_back({s.name, s.source, s.sentence});
  }
  return items;
}

// Everything that is known of each item.
Json items_json(const std::string& what) {
  Json items = Json::array();
  if (what == "methods") {
    for (const auto* method : methods::all_methods()) items.push_back(report::method_json(*method));
  } else if (what == "options") {
    for (const auto* method : methods::all_methods()) {
      for (const methods::Option& option : report::options_of(*method)) {
        items.push_back({{"method", method->name}});
        items.back().update(report::option_json(option));
      }
    }
  } else {
    for (const Item& item : items_of(what)) {
      items.push_back(
          {{"name", item.name}, {"source", item.source}, {"sentence", item.sentence}, {"available", item.available}});
    }
  }
  return items;
}

// Options of all methods as the tables of docs/scene.md.
void print_option_tables() {
  for (const methods::MethodDescription* method : methods::all_methods()) {
    print("<!-- keys: method.{} -->\n\n{}\n", method->name, report::markdown_table(report::option_table(*method)));
  }
}

void print_lines(const std::vector<Item>& items) {
  for (const Item& item : items) {
    print("{:<20} {:<17} {}{}\n", item.name, item.source, item.sentence,
          item.available ? "" : " (not in this version)");
  }
}

}  // namespace

int command_list(const std::string& what, bool json) {
  const std::vector<std::string> kinds = {"methods", "solvers", "shapes", "joints", "options"};
  if (std::find(kinds.begin(), kinds.end(), what) == kinds.end()) {
    const std::string near = closest_name(what, kinds);
    return report({.what = "there is no such list",
                   .remedy = near.empty() ? fmt::format("There are {}.", fmt::join(kinds, ", "))
                                          : fmt::format("Did you mean '{}'?", near),
                   .name = what,
                   .file = "command line"});
  }
  if (json) {
    print("{}\n", Json{{what, items_json(what)}}.dump());
  } else if (what == "options") {
    print_option_tables();
  } else {
    print_lines(items_of(what));
  }
  return exit_done;
}

}  // namespace stiction::cli
