#include "stiction/scene/keys.h"

#include <algorithm>

#include <fmt/format.h>

#include "stiction/methods/registry.h"
#include "stiction/scene/sections.h"

namespace stiction::scene {

namespace {

// A scene with one table of each kind and nothing in them.
std::string one_of_each() {
  std::string text =
      "[simulation]\n[material.m]\n[[pair]]\n[[joint]]\n[[actuator]]\n[[controller]]\ntrajectory = [{}]\n[[include]]\n";
  for (const std::string& method : methods::method_names()) text += fmt::format("[method.{}]\n", method);
  text += "[[body]]\nmotion = { translation = [{}] }\nshapes = [";
  for (const std::string& type : shape_type_names()) text += smallest_shape(type) + ", ";
  return text + "]\n";
}

}  // namespace

std::map<std::string, std::vector<std::string>> scene_keys() {
  KeyLog log;
  Context context;
  context.key_log = &log;
  const toml::table table = toml::parse(one_of_each());
  read_scene(table, context);  // full of mistakes, which do not matter here: every reader visits all its keys
  for (auto& [kind, keys] : log) {
    std::sort(keys.begin(), keys.end());
    keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  }
  return log;
}

}  // namespace stiction::scene
