// All islands of the workspace's problem by a method, in parallel.
#pragma once

#include "stiction/stepping/step.h"

namespace stiction {

/// Fills w.answer and w.reports; the order of islands and the worker do not change the answer.
void solve_islands(methods::Method& method, int threads, StepWorkspace& w);

/// Whether every island has an answer, and a finite one.
bool all_solved(const StepWorkspace& w);

}  // namespace stiction
