// Scene files: TOML -> ModelDescription and settings. Every mistake is an Error with file, line, name and remedy.
#pragma once

#include <string>
#include <vector>

#include "stiction/base/error.h"
#include "stiction/model/model.h"
#include "stiction/simulation/settings.h"

namespace stiction::scene {

/// A scene as read: nothing is built yet.
struct Scene {
  std::string file;
  ModelDescription model;
  SimulationSettings settings;
  std::vector<std::string> warnings;
};

/// Reads a scene file by its extension (.toml; .urdf and .xml are announced, not in this version). `overrides` are
/// KEY=VALUE with dotted scene keys (simulation.step=1e-4, material.rubber.friction=0.3, body.ball.mass=2), applied
/// before checking.
Result<Scene> load_scene(const std::string& path, const std::vector<std::string>& overrides = {});

/// The same from text, for tests; `file` is used in messages and to resolve included files.
Result<Scene> parse_scene(const std::string& text, const std::string& file,
                          const std::vector<std::string>& overrides = {});

}  // namespace stiction::scene
