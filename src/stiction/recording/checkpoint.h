// Saves where a simulation is and goes on from there, bit for bit: the state, and what contacts remember.
//
// The file is JSON; numbers are hexadecimal floating-point text, which loses nothing.
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

/// Writes state, memory of contacts, step index and fingerprint.
Result<void> save_checkpoint(const Simulation& simulation, const std::string& path);

/// Reads a checkpoint of the same model and settings and goes on from it. On an Error the simulation is as it was.
Result<void> load_checkpoint(const std::string& path, Simulation& simulation);

}  // namespace stiction::recording
