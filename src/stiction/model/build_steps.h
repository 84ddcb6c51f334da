// The steps of build_model(), each in its own file; every step checks what it reads.
#pragma once

#include <unordered_map>

#include "stiction/model/checker.h"
#include "stiction/model/model.h"

namespace stiction {

/// What the steps share: input, checks, and what is built so far.
struct BuildContext {
  explicit BuildContext(const ModelDescription& input) : description(input), check(input.file) {}

  const ModelDescription& description;
  Checker check;
  Model model;
  State state;
  std::unordered_map<std::string, int> body_index;      ///< by name
  std::unordered_map<std::string, int> material_index;  ///< by name
  std::vector<int> tree_source;                         ///< tree joints: index in description.joints, or -1 (implicit)
  std::vector<int> loop_source;                         ///< loop joints: index in description.joints
};

/// Materials and the table of what holds where two meet.
void build_materials(BuildContext& build);
/// Bodies with mass properties, and their shapes.
void build_bodies(BuildContext& build);
/// Layers of pairs against the shapes they lie on.
void check_pair_depths(BuildContext& build);
/// Joints checked one by one, then sorted into trees and loops with offsets.
void build_joints(BuildContext& build);
/// Actuators.
void build_actuators(BuildContext& build);
/// Controllers.
void build_controllers(BuildContext& build);
/// Which shapes may collide.
void build_shape_pairs(BuildContext& build);
/// q and v at time zero.
void build_initial_state(BuildContext& build);

/// Checks that a material's or a pair's layer can be one.
void check_layer(const CompliantLayer& layer, const Item& item, Checker& check);
/// Checks that the material's layer is not deeper than a (valid) shape.
void check_layer_depth(const geometry::Shape& shape, const Material& material, const Item& item, Checker& check);

/// The free joint of a body that the scene gives none.
Joint implicit_free_joint(const Body& body, int index);

/// Gives every tree joint its offsets, every body its root, and the trees their ranges; joints must stand parents-first
/// with trees contiguous.
void assign_offsets(Model& model);

/// Sorts the joints that are to be in the tree (in any order, at most one per child) parents-first, trees in the order
/// of their first body; fails on a cycle. Joint::parent of a free joint is world_index.
void sort_trees(BuildContext& build, std::vector<Joint> joints, std::vector<int> source);

}  // namespace stiction
