#include "stiction/scene/scene.h"

#include <algorithm>
#include <filesystem>
#include <sstream>

#include <fmt/format.h>

#include "stiction/io/text_file.h"
#include "stiction/scene/sections.h"

namespace stiction::scene {

namespace {

// What stands on a line, to name it in a message about syntax.
std::string line_text(const std::string& text, int line) {
  std::istringstream stream(text);
  std::string content;
  for (int i = 0; i < line && std::getline(stream, content); ++i) {
  }
  const size_t first = content.find_first_not_of(" \t\r");
  if (first == std::string::npos) return "end of file";
  const size_t last = content.find_last_not_of(" \t\r");
  return content.substr(first, std::min<size_t>(last - first + 1, 60));
}

Result<toml::table> parse_toml(const std::string& text, const std::string& file) {
  try {
    return toml::parse(text, file);
  } catch (const toml::parse_error& error) {
    const int line = static_cast<int>(error.source().begin.line),
              column = static_cast<int>(error.source().begin.column);
    return failure({fmt::format("not valid TOML ({})", error.description()),
                    fmt::format("Correct the text at column {}; https://toml.io has the syntax.", column),
                    line_text(text, line), file, line, column});
  }
}

Result<void> check_extension(const std::string& path) {
  const std::string extension = std::filesystem::path(path).extension().string();
  if (extension == ".toml") return {};
  if (extension == ".urdf" || extension == ".xml") {
    const std::string format = extension == ".urdf" ? "URDF" : "MJCF";
    return failure(
        {format + " files come in a later version", "Describe the scene in TOML (docs/scene.md).", path, path, 0, 0});
  }
  return failure({"not a scene file", "Scene files end in .toml.", path, path, 0, 0});
}

Result<std::vector<Override>> parse_overrides(const std::vector<std::string>& texts) {
  std::vector<Override> overrides;
  for (const std::string& text : texts) {
    Result<Override> change = parse_override(text);
    if (!change) return failure(change.error());
    overrides.push_back(std::move(*change));
  }
  return overrides;
}

// The same name for a file however it is reached; the name as given where the file system cannot say.
std::string canonical_name(const std::string& path) {
  std::error_code code;
  const std::filesystem::path canonical = std::filesystem::weakly_canonical(path, code);
  return code ? path : canonical.string();
}

bool is_blank(const std::string& text) {
  return text.find_first_not_of(" \t\r\n") == std::string::npos;
}

Error no_body(const std::string& file) {
  return {"the scene has no body", "Add a [[body]] table; docs/scene.md has an example.", "body", file, 1, 1};
}

}  // namespace

Scene read_scene(const toml::table& table, Context& context) {
  TableReader root(table, "scene", "", context);
  Scene scene;
  scene.file = scene.model.file = context.file;
  read_simulation(root, scene);
  read_methods(root, scene.settings);
  read_materials(root, scene.model);
  read_pairs(root, scene.model);
  read_bodies(root, scene.model);
  read_joints(root, scene.model);
  read_actuators(root, scene.model);
  read_controllers(root, scene.model);
  read_includes(root, scene);
  root.finish();
  return scene;
}

Result<Scene> read_text(const std::string& text, const std::string& file, const std::vector<Override>& overrides,
                        const std::vector<std::string>& including) {
  if (is_blank(text))
    return failure({"the file is empty", "Add a [[body]] table; docs/scene.md has an example.", file, file, 1, 1});
  Result<toml::table> table = parse_toml(text, file);
  if (!table) return failure(table.error());
  Result<IncludeOverrides> inherited = apply_overrides(*table, overrides);
  if (!inherited) return failure(inherited.error());
  Context context{file, including, std::move(*inherited), std::nullopt, nullptr};
  Scene scene = read_scene(*table, context);
  if (context.error) return failure(*context.error);
  return scene;
}

Result<Scene> read_file(const std::string& path, const std::vector<Override>& overrides,
                        const std::vector<std::string>& including) {
  if (Result<void> known = check_extension(path); !known) {
    const Result<std::string> text = read_text_file(path);  // a missing file is the simpler thing to say
    return failure(text ? known.error() : text.error());
  }
  const Result<std::string> text = read_text_file(path);
  if (!text) return failure(text.error());
  std::vector<std::string> files = including;
  files.push_back(canonical_name(path));
  if (std::count(including.begin(), including.end(), files.back()) > 0) {
    return failure({"the file includes itself", "Remove the [[include]] that closes the circle.", path, path, 0, 0});
  }
  return read_text(*text, path, overrides, files);
}

Result<Scene> load_scene(const std::string& path, const std::vector<std::string>& overrides) {
  const Result<std::vector<Override>> changes = parse_overrides(overrides);
  if (!changes) return failure(changes.error());
  Result<Scene> scene = read_file(path, *changes, {});
  if (scene && scene->model.bodies.empty()) return failure(no_body(path));
  return scene;
}

Result<Scene> parse_scene(const std::string& text, const std::string& file, const std::vector<std::string>& overrides) {
  const Result<std::vector<Override>> changes = parse_overrides(overrides);
  if (!changes) return failure(changes.error());
  Result<Scene> scene = read_text(text, file, *changes, {canonical_name(file)});
  if (scene && scene->model.bodies.empty()) return failure(no_body(file));
  return scene;
}

}  // namespace stiction::scene
