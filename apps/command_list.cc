#include <algorithm>

#include <nlohmann/json.hpp>

#include "cli.h"
#include "stiction/geometry/shapes/shape.h"
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
  std::vector<Item> items;
  for (const geometry::ShapeKind& kind : geometry::shape_kinds)
    items.push_back({kind.name, kind.source, kind.sentence});
  items.push_back({"mesh", "", "triangle meshes", false});
  return items;
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

// One table of docs/scene.md: Markdown, or an object per row.
void print_keys(const char* owner, std::string_view name, const report::Table& table, bool json) {
  if (!json) {
    print("<!-- keys: {}.{} -->\n\n{}\n", owner, name, report::markdown_table(table));
    return;
  }
  for (const std::vector<std::string>& row : table.rows) {
    const nlohmann::ordered_json line = {{owner, name},       {"key", row[0]},   {"type", row[1]},
                                         {"default", row[2]}, {"range", row[3]}, {"meaning", row[4]}};
    print("{}\n", line.dump());
  }
}

// Options of all methods, keys of all shapes that describe them.
int list_options(bool json) {
  for (const methods::MethodDescription* method : methods::all_methods())
    print_keys("method", method->name, report::option_table(*method), json);
  for (const geometry::ShapeKind& kind : geometry::shape_kinds)
    if (!kind.keys.empty()) print_keys("shape", kind.name, report::key_table(kind), json);
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
