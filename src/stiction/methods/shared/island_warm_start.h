// The last step's impulses of an island as a guess for this one, and this one's for the next.
#pragma once

#include <vector>

#include "stiction/methods/shared/impulse_memory.h"
#include "stiction/methods/shared/island_friction_problem.h"

namespace stiction::methods {

/// Fills r (one per row of `velocity`) from `memory`; false where it knows nothing of the island. `p` is scratch, one
/// per local row.
bool recall_impulses(const StepProblem& problem, const contact::Island& island, const contact::IslandRows& rows,
                     const IslandFrictionProblem& velocity, const ImpulseMemory& memory, std::vector<double>& p,
                     std::vector<double>& r);

/// Writes the island's impulses of `answer` into `memory`.
void keep_impulses(const StepProblem& problem, const contact::Island& island, const StepAnswer& answer,
                   ImpulseMemory& memory);

/// Writes local impulses p into the answer's rows.
void write_impulses(const StepProblem& problem, std::span<const int> blocks, const contact::IslandRows& rows,
                    std::span<const double> p, StepAnswer& answer);

}  // namespace stiction::methods
