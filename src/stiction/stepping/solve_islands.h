// Solves all islands of a problem, by as many workers as there are; the answer does not depend on how many.
#pragma once

#include "stiction/stepping/stepper.h"

namespace stiction {

/// Solves record.islands of record.problem into record.answer and record.reports.
void solve_islands(IslandSolver& solver, const StepContext& context, StepRecord& record);

/// True when every island has an answer, and it is finite.
bool all_solved(const StepRecord& record);

/// What the islands' reports amount to; `ok` is left to the caller.
StepOutcome summarize(const StepRecord& record, int passes);

/// Says of every island that touches something how it came by its answer.
void report_fallback(Fallback fallback, StepRecord& record);

}  // namespace stiction
