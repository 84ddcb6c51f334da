// The parts of a scene file, one reader each. `root` is the whole file; every mistake goes to its context.
#pragma once

#include <string>
#include <vector>

#include "stiction/base/error.h"
#include "stiction/scene/scene.h"
#include "stiction/scene/table_reader.h"

namespace stiction::scene {

/// [simulation] and [method.NAME].
void read_simulation(TableReader& root, Scene& scene);
void read_methods(TableReader& root, SimulationSettings& settings);

/// [material.NAME] and [[pair]].
void read_materials(TableReader& root, ModelDescription& model);
void read_pairs(TableReader& root, ModelDescription& model);

/// [[body]], with shapes and prescribed motion.
void read_bodies(TableReader& root, ModelDescription& model);

/// One table of `shape` or `shapes`.
ShapeDescription read_shape(const toml::table& table, const std::string& path, Context& context);

/// Names of the shapes that this version has, in scene files.
std::vector<std::string> shape_type_names();

/// A shape of the type with one table of each kind and nothing in them.
std::string smallest_shape(const std::string& type);

/// [[joint]], [[actuator]] and [[controller]].
void read_joints(TableReader& root, ModelDescription& model);
void read_actuators(TableReader& root, ModelDescription& model);
void read_controllers(TableReader& root, ModelDescription& model);

/// [[include]]: reads the files and adds what they hold.
void read_includes(TableReader& root, Scene& scene);

/// All of the above; what is wrong is in the context.
Scene read_scene(const toml::table& root, Context& context);

/// Text of a scene file -> scene. `including` holds the canonical paths of the files that include this one.
Result<Scene> read_text(const std::string& text, const std::string& file, const std::vector<Override>& overrides,
                        const std::vector<std::string>& including);
/// The same from a file.
Result<Scene> read_file(const std::string& path, const std::vector<Override>& overrides,
                        const std::vector<std::string>& including);

}  // namespace stiction::scene
