// Why a step was not taken, in words: what, which bodies, which contacts and joints, and a remedy where there is one.
#pragma once

#include <optional>
#include <string>

#include "stiction/stepping/step_scratch.h"
#include "stiction/stepping/stepper.h"

namespace stiction {

/// Names the bodies whose velocity or next configuration is not finite.
std::string describe_not_finite(const Model& model, const State& state, const VectorX& v, const VectorX& q);

/// Names the first island without an answer: its bodies, contacts and joints; or else the joint that is singular.
std::string describe_failure(const Model& model, const State& state, std::optional<int> singular_joint,
                             const StepScratch& scratch, const StepRecord& record);

/// Bodies that overlap at the start of a step whose method cannot have that.
std::string describe_overlap(const State& state, double overlap);

/// Bodies that would have been on the wrong side of each other.
std::string describe_passage(const State& state);

/// A claim that the measured end of the step does not bear out.
std::string describe_refuted(const State& state, double residual, double overlap);

}  // namespace stiction
