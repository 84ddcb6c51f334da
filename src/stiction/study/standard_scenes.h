// The scenes that every method is measured by (`stiction compare --standard`): one question each.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "stiction/simulation/settings.h"
#include "stiction/study/drift.h"

namespace stiction {

/// A scene, how long it runs, and whose drift answers its question.
struct StandardScene {
  std::string_view name, sentence;
  ModelDescription model;
  SimulationSettings settings;  ///< method: the default; step 1e-3 s
  std::vector<DriftPair> pairs;
};

/// Five cubes of 1 kg on each other at rest: does the stack creep?
StandardScene standard_stack(double duration);
/// A ball between a fixed jaw and one that is pushed, at rest: does the grasp creep?
StandardScene standard_grasp(double duration);
/// A ball thrown at the ground at standard_approach without gravity: how fast does it leave?
StandardScene standard_impact();
/// Tilted cubes that fall on each other: how deep do they sink, and is every step solved?
StandardScene standard_heap(double duration);
/// A slab on `contacts` round feet that slides and turns: one island, one contact per foot.
StandardScene standard_slab(int contacts);

inline constexpr double standard_approach = 1.0;     ///< m/s
inline constexpr double standard_restitution = 0.5;  ///< what the scene of the impact states

}  // namespace stiction
