// A typed view of one TOML table. Each read marks its key as known, so that a table's keys stand in one place: the
// function that reads it. Whatever is left when finish() is called is an error that lists the keys there are.
//
// Mistakes do not stop the reading: the value keeps its default, and the context keeps the mistake that stands first
// in the file. Reading an empty table therefore visits every key; scene/keys.cc relies on it.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <toml++/toml.h>

#include "stiction/base/error.h"
#include "stiction/math/types.h"
#include "stiction/model/description.h"
#include "stiction/scene/overrides.h"

namespace stiction::scene {

/// The numbers a key accepts. NaN never is, infinities only where `infinite` says so.
struct Range {
  double lower = -infinity;
  double upper = infinity;
  bool lower_open = false;
  bool infinite = false;

  bool contains(double value) const;
  /// "greater than 0", "at least 0", "from 0 to 1", "finite".
  std::string describe() const;
};

inline constexpr Range any_number = {};
inline constexpr Range any_number_or_infinite = {-infinity, infinity, false, true};
inline constexpr Range positive = {0, infinity, true, false};
inline constexpr Range positive_or_infinite = {0, infinity, true, true};
inline constexpr Range non_negative = {0, infinity, false, false};
inline constexpr Range zero_to_one = {0, 1, false, false};

/// Keys by table, in the order in which they are read.
using KeyLog = std::map<std::string, std::vector<std::string>>;

/// What the readers of one scene file share.
struct Context {
  std::string file;                    ///< as the user gave it
  std::vector<std::string> including;  ///< canonical paths of the files that are being read, outermost first
  IncludeOverrides include_overrides;  ///< overrides of names that come from an included file
  std::optional<Error> error;          ///< the mistake that stands first in the file
  KeyLog* key_log = nullptr;

  /// Keeps `found` if it is the first, or stands before the one kept.
  void report(Error found);
  /// A file named in the scene: relative names are relative to the scene's folder.
  std::string resolve(const std::string& name) const;
};

/// Sets file and line of an error from where a node or key stands.
Error located(Error error, const toml::source_region& source, const Context& context);

/// The 1-based line of a node; 0 when it comes from an override.
int line_of(const toml::node& node);

/// "Did you mean 'X'? LIST_NAME: a, b, c."
std::string suggest(const std::string& name, const std::vector<std::string>& candidates, std::string_view list_name);

/// "body.NAME" or, without a name, "body.INDEX": what messages call an entry and --set accepts.
std::string entry_path(std::string_view array, const toml::table& entry, size_t index);

class TableReader {
 public:
  /// `kind` is the table's name in docs/scene.md, `path` what messages call this one.
  TableReader(const toml::table& table, std::string kind, std::string path, Context& context);

  const toml::table& table() const { return table_; }
  const std::string& path() const { return path_; }
  Context& context() const { return context_; }
  int line() const { return line_of(table_); }
  /// "PATH.KEY".
  std::string path(std::string_view key) const;

  /// From here on keys belong to another table of the documentation (those of one type of shape, say).
  void set_kind(std::string kind) { kind_ = std::move(kind); }
  /// The key's value of whatever type, or nullptr; marks the key as known.
  const toml::node* find(std::string_view key);

  void read(std::string_view key, double& value, Range range = any_number);
  void read(std::string_view key, int& value, int lower, int upper);
  void read(std::string_view key, bool& value);
  void read(std::string_view key, std::string& value);
  void read(std::string_view key, Vector3& value, Range range = any_number);
  /// [w, x, y, z] of any length but zero.
  void read(std::string_view key, Quaternion& value);
  template <size_t n>
  void read(std::string_view key, std::array<double, n>& value, Range range = any_number) {
    if (const toml::node* node = find(key)) read_array(*node, path(key), value, range);
  }
  template <class T, class... Arguments>
  void read(std::string_view key, std::optional<T>& value, Arguments... arguments) {
    T given{};
    read(key, given, arguments...);
    if (table_.contains(key)) value = given;
  }

  /// A vector of any length but zero, made unit length.
  void read_direction(std::string_view key, Vector3& value);
  void read_direction(std::string_view key, std::optional<Vector3>& value);
  /// One of `names`.
  void read_choice(std::string_view key, std::string& value, const std::vector<std::string>& names);
  /// One number for all, or an array of `values.size()` numbers.
  void read_each(std::string_view key, std::span<double> values, Range range = any_number);

  /// Calls read_entry(entry, path of the entry) for each entry of an array of tables.
  template <class Function>
  void each_entry(std::string_view key, Function&& read_entry) {
    const toml::array* array = find_table_array(key);
    for (size_t i = 0; array && i < array->size(); ++i) {
      const toml::table& entry = *(*array)[i].as_table();
      read_entry(entry, path_.empty() ? entry_path(key, entry, i) : path(key) + "." + std::to_string(i));
    }
  }

  /// Calls read_entry(entry, name) for each sub-table of a table.
  template <class Function>
  void each_named(std::string_view key, Function&& read_entry) {
    const toml::table* tables = find_table(key);
    if (!tables) return;
    for (auto&& [name, node] : *tables) {
      const std::string full = path(key) + "." + std::string(name.str());
      if (const toml::table* entry = expect_table(node, full)) read_entry(*entry, std::string(name.str()));
    }
  }

  /// The key's value as a table, or nullptr.
  const toml::table* find_table(std::string_view key);
  /// The key must be there; a string must not be empty.
  void require(std::string_view key);
  /// The two keys exclude each other.
  void exclude(std::string_view a, std::string_view b);
  /// Reports a mistake in the key's value (or, where it is absent, in the table).
  void fail(std::string_view key, std::string what, std::string remedy);
  /// Reports keys that nothing asked for, then keys that are missing.
  void finish();

  // Single nodes, for values nested in arrays. False: reported.
  bool read_number(const toml::node& node, const std::string& name, double& value, Range range);
  bool read_array(const toml::node& node, const std::string& name, std::span<double> values, Range range);

 private:
  const toml::array* find_table_array(std::string_view key);
  const toml::array* expect_array(const toml::node& node, const std::string& name, size_t size);
  const toml::table* expect_table(const toml::node& node, const std::string& name);
  void wrong_type(const toml::node& node, const std::string& name, std::string_view expected);
  void report(const toml::node& node, const std::string& name, std::string what, std::string remedy);
  void report_unknown(const toml::key& key, const toml::node& node);

  const toml::table& table_;
  std::string kind_;
  std::string path_;
  Context& context_;
  std::vector<std::string> known_;
  std::vector<std::string> missing_;
};

}  // namespace stiction::scene
