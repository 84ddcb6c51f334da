#include "stiction/scene/table_reader.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace stiction::scene {

bool Range::contains(double value) const {
  if (std::isnan(value) || (std::isinf(value) && !infinite)) return false;
  return (lower_open ? value > lower : value >= lower) && value <= upper;
}

std::string Range::describe() const {
  const bool bounded_below = lower > -infinity, bounded_above = upper < infinity;
  if (bounded_below && bounded_above) return fmt::format("from {} to {}", lower, upper);
  if (bounded_below)
    return fmt::format("{} {}{}", lower_open ? "greater than" : "at least", lower, infinite ? "" : " and finite");
  return infinite ? "a number" : "finite";
}

void Context::report(Error found) {
  const bool earlier = error && found.file == error->file && found.line < error->line;
  if (!error || earlier) error = std::move(found);
}

std::string Context::resolve(const std::string& name) const {
  return (std::filesystem::path(file).parent_path() / name).lexically_normal().string();
}

Error located(Error error, const toml::source_region& source, const Context& context) {
  error.file = source.path ? *source.path : context.file;
  if (error.file == override_source) return error;  // a line of a command line helps nobody
  error.line = static_cast<int>(source.begin.line);
  error.column = static_cast<int>(source.begin.column);
  return error;
}

int line_of(const toml::node& node) {
  const toml::source_region& source = node.source();
  return source.path && *source.path == override_source ? 0 : static_cast<int>(source.begin.line);
}

std::string suggest(const std::string& name, const std::vector<std::string>& candidates, std::string_view list_name) {
  const std::string closest = closest_name(name, candidates);
  const std::string guess = closest.empty() ? "" : fmt::format("Did you mean '{}'? ", closest);
  const std::string list = candidates.empty() ? "none" : fmt::format("{}", fmt::join(candidates, ", "));
  return fmt::format("{}{}: {}.", guess, list_name, list);
}

std::string entry_path(std::string_view array, const toml::table& entry, size_t index) {
  const toml::node* name = entry.get("name");
  const std::string label = name ? name->value_or(std::string()) : std::string();
  return label.empty() ? fmt::format("{}.{}", array, index) : fmt::format("{}.{}", array, label);
}

namespace {

std::string_view type_name(const toml::node& node) {
  switch (node.type()) {
    case toml::node_type::table:
      return "a table";
    case toml::node_type::array:
      return "an array";
    case toml::node_type::string:
      return "a string";
    case toml::node_type::integer:
      return "an integer";
    case toml::node_type::floating_point:
      return "a number";
    case toml::node_type::boolean:
      return "true or false";
    default:
      return "a date or time";
  }
}

}  // namespace

TableReader::TableReader(const toml::table& table, std::string kind, std::string path, Context& context)
    : table_(table), kind_(std::move(kind)), path_(std::move(path)), context_(context) {}

std::string TableReader::path(std::string_view key) const {
  return path_.empty() ? std::string(key) : fmt::format("{}.{}", path_, key);
}

const toml::node* TableReader::find(std::string_view key) {
  if (std::find(known_.begin(), known_.end(), key) == known_.end()) {
    known_.emplace_back(key);
    if (context_.key_log) (*context_.key_log)[kind_].emplace_back(key);
  }
  return table_.get(key);
}

void TableReader::report(const toml::node& node, const std::string& name, std::string what, std::string remedy) {
  context_.report(located({std::move(what), std::move(remedy), name, {}, 0, 0}, node.source(), context_));
}

void TableReader::fail(std::string_view key, std::string what, std::string remedy) {
  const toml::node* node = table_.get(key);
  report(node ? *node : table_, path(key), std::move(what), std::move(remedy));
}

void TableReader::wrong_type(const toml::node& node, const std::string& name, std::string_view expected) {
  report(node, name, fmt::format("expected {}, found {}", expected, type_name(node)),
         fmt::format("Give {} here; docs/scene.md lists every key.", expected));
}

bool TableReader::read_number(const toml::node& node, const std::string& name, double& value, Range range) {
  if (!node.is_number()) return wrong_type(node, name, "a number"), false;
  const double given =
      node.is_integer() ? static_cast<double>(node.as_integer()->get()) : node.as_floating_point()->get();
  if (!range.contains(given)) {
    report(node, name, fmt::format("{} is out of range", given),
           fmt::format("The value must be {}.", range.describe()));
    return false;
  }
  value = given;
  return true;
}

const toml::array* TableReader::expect_array(const toml::node& node, const std::string& name, size_t size) {
  const toml::array* array = node.as_array();
  if (!array) return wrong_type(node, name, fmt::format("an array of {}", size)), nullptr;
  if (array->size() == size) return array;
  report(node, name, fmt::format("expected {} values, found {}", size, array->size()),
         fmt::format("Give an array of exactly {}.", size));
  return nullptr;
}

bool TableReader::read_array(const toml::node& node, const std::string& name, std::span<double> values, Range range) {
  const toml::array* array = expect_array(node, name, values.size());
  if (!array) return false;
  std::vector<double> given(values.size());
  for (size_t i = 0; i < given.size(); ++i) {
    if (!read_number((*array)[i], fmt::format("{}.{}", name, i), given[i], range)) return false;
  }
  std::copy(given.begin(), given.end(), values.begin());
  return true;
}

void TableReader::read(std::string_view key, double& value, Range range) {
  if (const toml::node* node = find(key)) read_number(*node, path(key), value, range);
}

void TableReader::read(std::string_view key, int& value, int lower, int upper) {
  const toml::node* node = find(key);
  if (!node) return;
  if (!node->is_integer()) return wrong_type(*node, path(key), "an integer");
  const int64_t given = node->as_integer()->get();
  if (given < lower || given > upper) {
    return fail(key, fmt::format("{} is out of range", given),
                fmt::format("The value must be from {} to {}.", lower, upper));
  }
  value = static_cast<int>(given);
}

void TableReader::read(std::string_view key, bool& value) {
  const toml::node* node = find(key);
  if (!node) return;
  if (!node->is_boolean()) return wrong_type(*node, path(key), "true or false");
  value = node->as_boolean()->get();
}

void TableReader::read(std::string_view key, std::string& value) {
  const toml::node* node = find(key);
  if (!node) return;
  if (!node->is_string()) return wrong_type(*node, path(key), "a string");
  value = node->as_string()->get();
}

void TableReader::read(std::string_view key, Vector3& value, Range range) {
  if (const toml::node* node = find(key)) read_array(*node, path(key), {value.data(), 3}, range);
}

void TableReader::read(std::string_view key, Quaternion& value) {
  const toml::node* node = find(key);
  Vector4 wxyz;
  if (!node || !read_array(*node, path(key), {wxyz.data(), 4}, any_number)) return;
  if (wxyz.isZero(0))
    return fail(key, "a quaternion of length zero",
                "[1, 0, 0, 0], in the order w, x, y, z, leaves the axes as they are.");
  wxyz.stableNormalize();
  value = Quaternion(wxyz[0], wxyz[1], wxyz[2], wxyz[3]);
}

void TableReader::read_direction(std::string_view key, Vector3& value) {
  const toml::node* node = find(key);
  Vector3 given;
  if (!node || !read_array(*node, path(key), {given.data(), 3}, any_number)) return;
  if (given.isZero(0))
    return fail(key, "a direction of length zero", "Any length but zero will do, such as [0, 0, 1].");
  value = given.stableNormalized();
}

void TableReader::read_direction(std::string_view key, std::optional<Vector3>& value) {
  Vector3 given = Vector3::Zero();
  read_direction(key, given);
  if (!given.isZero(0)) value = given;
}

void TableReader::read_choice(std::string_view key, std::string& value, const std::vector<std::string>& names) {
  std::string given = value;
  read(key, given);
  if (given == value) return;
  if (std::find(names.begin(), names.end(), given) != names.end()) {
    value = given;
    return;
  }
  report(*table_.get(key), given, fmt::format("unknown {}", path(key)), suggest(given, names, "Known"));
}

void TableReader::read_each(std::string_view key, std::span<double> values, Range range) {
  const toml::node* node = find(key);
  if (!node) return;
  if (values.empty()) return fail(key, "the joint has no coordinate to give this to", "Leave this key out.");
  if (node->is_array()) {
    read_array(*node, path(key), values, range);
    return;
  }
  double value = 0;
  if (read_number(*node, path(key), value, range)) std::fill(values.begin(), values.end(), value);
}

const toml::table* TableReader::expect_table(const toml::node& node, const std::string& name) {
  if (!node.is_table()) wrong_type(node, name, "a table");
  return node.as_table();
}

const toml::table* TableReader::find_table(std::string_view key) {
  const toml::node* node = find(key);
  return node ? expect_table(*node, path(key)) : nullptr;
}

const toml::array* TableReader::find_table_array(std::string_view key) {
  const toml::node* node = find(key);
  if (!node) return nullptr;
  const toml::array* array = node->as_array();
  if (!array) {
    wrong_type(*node, path(key),
               path_.empty() ? fmt::format("an array of tables ([[{}]])", key) : "an array of tables");
    return nullptr;
  }
  for (const toml::node& entry : *array) {
    if (!expect_table(entry, path(key))) return nullptr;
  }
  return array;
}

void TableReader::require(std::string_view key) {
  const toml::node* node = find(key);
  if (!node) missing_.emplace_back(key);
  if (node && node->is_string() && node->as_string()->get().empty())
    fail(key, "an empty name", "Give a name or a value.");
}

void TableReader::exclude(std::string_view a, std::string_view b) {
  if (!find(a) || !find(b)) return;
  fail(b, fmt::format("'{}' and '{}' exclude each other", a, b), "Give one of the two.");
}

void TableReader::report_unknown(const toml::key& key, const toml::node& node) {
  const std::string name(key.str());
  const std::string where = path_.empty() ? "the scene" : fmt::format("'{}'", path_);
  Error error{fmt::format("unknown key in {}", where), suggest(name, known_, "Keys here"), path(name), {}, 0, 0};
  context_.report(located(std::move(error), key.source().path ? key.source() : node.source(), context_));
}

void TableReader::finish() {
  bool unknown = false;
  for (auto&& [key, node] : table_) {
    if (std::find(known_.begin(), known_.end(), key.str()) != known_.end()) continue;
    unknown = true;
    report_unknown(key, node);
  }
  if (unknown) return;  // a misspelt key is also a missing one: name the misspelling
  for (const std::string& key : missing_) {
    report(table_, path(key), "missing key",
           fmt::format("Add '{} = ...'; docs/scene.md says which values it takes.", key));
  }
}

}  // namespace stiction::scene
