#include <algorithm>

#include <nlohmann/json.hpp>

#include "cli.h"
#include "stiction/geometry/shapes/shape.h"
#include "stiction/methods/registry.h"
#include "stiction/model/joint_traits.h"
#include "stiction/report/description_json.h"
#include "stiction/report/option_table.h"
#include "stiction/solvers/registry.h"

namespace stiction::cli {

namespace {

using Json = nlohmann::ordered_json;

struct Item {
  std::string_view name;
  std::string source;
  std::string_view sentence;
  bool available = true;
};

std::vector<Item> shape_items() {
  std::vector<Item> items;
  for (const geometry::ShapeKind& kind : geometry::shape_kinds)
    items.push_back({kind.name, std::string(kind.source), kind.sentence});
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
  if (what == "solvers") {
    const auto infos = solvers::solver_infos();
    for (size_t k = 0; k < infos.size(); ++k) items[k]["takes"] = infos[k].takes();
  }
  if (what == "shapes") {
    for (size_t k = 0; k < geometry::shape_kinds.size(); ++k)
      items[k]["keys"] = report::keys_json(geometry::shape_kinds[k]);
  }
  return items;
}

// Options of all methods and keys of all shapes that describe them, as the tables of docs/scene.md.
void print_option_tables() {
  for (const methods::MethodDescription* method : methods::all_methods()) {
    print("<!-- keys: method.{} -->\n\n{}\n", method->name, report::markdown_table(report::option_table(*method)));
  }
  for (const geometry::ShapeKind& kind : geometry::shape_kinds) {
    if (kind.keys.empty()) continue;
    print("<!-- keys: shape.{} -->\n\n{}\n", kind.name, report::markdown_table(report::key_table(kind)));
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
