// Every key that a scene file may hold, as the readers know them: what docs/scene.md must list.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace stiction::scene {

/// Keys by table: "simulation", "body", "shape" (keys of every shape), "shape.box" (its own), "method.stewart-trinkle",
/// ...
std::map<std::string, std::vector<std::string>> scene_keys();

}  // namespace stiction::scene
