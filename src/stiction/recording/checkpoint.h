// Saves where a simulation is and goes on from there, bit for bit in everything that State holds.
//
// The file is JSON; numbers are hexadecimal floating-point text, which loses nothing. What a method keeps for warm
// starts is not saved: docs/recording.md says what that means for a resumed run.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "stiction/simulation/simulation.h"

namespace stiction::recording {

/// What must be equal for a state to make sense in another run: (name of the part, hash of everything in it).
using Fingerprint = std::vector<std::pair<std::string, std::uint64_t>>;

/// Parts: bodies (names, masses, inertias, poses of bodies that are not simulated), joints, shapes, materials, forces
/// (gravity, actuators), settings (step, method, coordinates).
Fingerprint fingerprint(const Model& model, const SimulationSettings& settings);

/// Writes state, step index and fingerprint.
Result<void> save_checkpoint(const Simulation& simulation, const std::string& path);

/// Reads a checkpoint of the same model and settings and goes on from it. On an Error the simulation is as it was.
Result<void> load_checkpoint(const std::string& path, Simulation& simulation);

}  // namespace stiction::recording
