#include "stiction/scene/overrides.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "stiction/scene/table_reader.h"

namespace stiction::scene {

namespace {

constexpr std::array<std::string_view, 6> arrays_of_tables = {"pair",     "body",       "joint",
                                                              "actuator", "controller", "include"};

tl::unexpected<Error> mistake(std::string what, std::string name, std::string remedy) {
  return failure({std::move(what), std::move(remedy), std::move(name), std::string(override_source), 0, 0});
}

// `key = value` as TOML, or nothing where it does not parse.
std::optional<toml::table> try_parse(const std::string& text) {
  try {
    return toml::parse(text, override_source);
  } catch (const toml::parse_error&) {
    return std::nullopt;
  }
}

std::string trimmed(const std::string& text) {
  const size_t first = text.find_first_not_of(" \t");
  if (first == std::string::npos) return "";
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

// The first '=' outside quotes.
size_t find_equals(const std::string& text) {
  char quote = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (quote != 0) {
      if (text[i] == quote) quote = 0;
    } else if (text[i] == '"' || text[i] == '\'') {
      quote = text[i];
    } else if (text[i] == '=') {
      return i;
    }
  }
  return std::string::npos;
}

// The parts of a dotted key, as TOML takes them apart.
std::vector<std::string> split_key(const std::string& key) {
  std::vector<std::string> path;
  if (key.find_first_of("\r\n#[") != std::string::npos) return path;
  const std::optional<toml::table> parsed = try_parse(key + " = 0");
  const toml::table* table = parsed ? &*parsed : nullptr;
  while (table && table->size() == 1) {
    path.emplace_back(table->begin()->first.str());
    table = table->begin()->second.as_table();
  }
  return path;
}

// A table { value = VALUE } whose nodes remember that they come from an override.
toml::table parse_value(const std::string& text) {
  std::optional<toml::table> parsed = try_parse("value = " + text);
  if (parsed && parsed->size() == 1 && parsed->contains("value")) return std::move(*parsed);
  parsed = try_parse("value = ''");
  parsed->get("value")->as_string()->get() = text;
  return std::move(*parsed);
}

// Moves keep where a node came from, copies do not.
void put(toml::table& table, const std::string& key, toml::node& value) {
  value.visit([&](auto& node) { table.insert_or_assign(key, std::move(node)); });
}

void put(toml::array& array, size_t index, toml::node& value) {
  value.visit([&](auto& node) { array.replace(array.cbegin() + static_cast<std::ptrdiff_t>(index), std::move(node)); });
}

std::string entry_name(const toml::node& entry) {
  const toml::table* table = entry.as_table();
  const toml::node* name = table ? table->get("name") : nullptr;
  return name ? name->value_or(std::string()) : std::string();
}

// The entry of that name, else the entry of that index.
std::optional<size_t> find_entry(const toml::array& array, const std::string& part) {
  for (size_t i = 0; i < array.size(); ++i) {
    if (entry_name(array[i]) == part) return i;
  }
  size_t index = 0;
  const auto [end, code] = std::from_chars(part.data(), part.data() + part.size(), index);
  const bool number = code == std::errc() && end == part.data() + part.size();
  return number && index < array.size() ? std::optional(index) : std::nullopt;
}

std::vector<std::string> entry_names(const toml::node* node) {
  std::vector<std::string> names;
  if (const toml::array* array = node ? node->as_array() : nullptr) {
    for (size_t i = 0; i < array->size(); ++i) {
      const std::string name = entry_name((*array)[i]);
      names.push_back(name.empty() ? std::to_string(i) : name);
    }
  } else if (const toml::table* table = node ? node->as_table() : nullptr) {
    for (auto&& [key, value] : *table) names.emplace_back(key.str());
  }
  return names;
}

tl::unexpected<Error> no_entry(const Override& change, size_t depth, const toml::node* container) {
  const std::string& part = change.path[depth];
  const std::string what = depth == 1 ? fmt::format("no {} of that name in the scene", change.path[0])
                                      : fmt::format("no such entry in '{}'", change.text);
  return mistake(what, part, suggest(part, entry_names(container), "There are"));
}

// Follows the path from `node` down, creating tables on the way, and puts the value at its end.
Result<void> write(toml::node* node, const Override& change) {
  toml::table value = parse_value(change.value);
  for (size_t depth = 0; depth < change.path.size(); ++depth) {
    const std::string& part = change.path[depth];
    const bool last = depth + 1 == change.path.size();
    if (toml::table* table = node->as_table()) {
      if (last) return put(*table, part, *value.get("value")), Result<void>();
      toml::table fresh = parse_value("{}");
      if (!table->contains(part)) put(*table, part, *fresh.get("value"));
      node = table->get(part);
    } else if (toml::array* array = node->as_array()) {
      const std::optional<size_t> index = find_entry(*array, part);
      if (!index) return no_entry(change, depth, array);
      if (last) return put(*array, *index, *value.get("value")), Result<void>();
      node = array->get(*index);
    } else {
      return mistake("goes below a value that is not a table", change.text, "Shorten the key.");
    }
  }
  return {};
}

// Does the scene itself hold the entry that the key names? Keys that name no entry count as held.
bool names_known_entry(const toml::table& root, const Override& change) {
  const bool in_array = std::count(arrays_of_tables.begin(), arrays_of_tables.end(), change.path[0]) > 0;
  if (!in_array && change.path[0] != "material") return true;
  if (change.path.size() < 2) return true;
  const toml::node* node = root.get(change.path[0]);
  if (!in_array && change.path[1] == "default") return true;  // every scene has it, written down or not
  if (!in_array) return node && node->is_table() && node->as_table()->contains(change.path[1]);
  if (node && !node->is_array()) return true;  // the check of types says what is wrong
  return node && find_entry(*node->as_array(), change.path[1]);
}

// The [[include]] whose prefix the name starts with, the longest prefix first.
std::optional<std::pair<size_t, size_t>> find_include(const toml::table& root, const std::string& name) {
  std::optional<std::pair<size_t, size_t>> best;
  const toml::array* includes = root.get("include") ? root.get("include")->as_array() : nullptr;
  for (size_t i = 0; includes && i < includes->size(); ++i) {
    const toml::table* include = (*includes)[i].as_table();
    if (!include) continue;
    const toml::node* prefix_node = include->get("prefix");
    const std::string prefix = prefix_node ? prefix_node->value_or(std::string()) : std::string();
    if (name.starts_with(prefix) && (!best || prefix.size() > best->second)) best = {i, prefix.size()};
  }
  return best;
}

}  // namespace

Result<Override> parse_override(const std::string& text) {
  const size_t equals = find_equals(text);
  if (equals == std::string::npos)
    return mistake("not KEY=VALUE", text, "Write for example --set simulation.step=1e-4.");
  Override change{text, split_key(text.substr(0, equals)), trimmed(text.substr(equals + 1))};
  if (change.path.empty()) {
    return mistake("not a dotted key", text.substr(0, equals),
                   "Write for example --set body.ball.mass=2, with quotes round names that are not plain.");
  }
  return change;
}

Result<IncludeOverrides> apply_overrides(toml::table& root, const std::vector<Override>& overrides) {
  IncludeOverrides inherited;
  for (const Override& change : overrides) {
    if (names_known_entry(root, change)) {
      if (Result<void> written = write(&root, change); !written) return failure(written.error());
      continue;
    }
    const auto include = change.path[0] == "include" ? std::nullopt : find_include(root, change.path[1]);
    if (!include) return no_entry(change, 1, root.get(change.path[0]));
    Override stripped = change;
    stripped.path[1].erase(0, include->second);
    inherited[include->first].push_back(std::move(stripped));
  }
  return inherited;
}

}  // namespace stiction::scene
