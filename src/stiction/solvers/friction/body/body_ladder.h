// The rungs of the solver in body space and the walk up; for the files of this folder only.
#pragma once

#include "stiction/solvers/friction/body/body_memory.h"

namespace stiction::solvers {

/// Walks up the ladder from memory.z, with memory.system and memory.progress as they were made for the problem; the
/// best impulse is memory.progress.best. `analyzed`: memory.matrix knows the graph of the problem; returns whether it
/// does at the end.
bool climb_ladder(const BodyOptions& options, bool analyzed, BodyMemory& memory);

}  // namespace stiction::solvers
