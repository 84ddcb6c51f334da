// Figures of the benchmark: trees of bodies with damped, limited joints that fall on a plane and come to rest. Bodies
// that share a joint do not collide, all others do.
#pragma once

#include "stiction/study/benchmark/benchmark_scenes.h"

namespace stiction {

/// A torso with a head and four limbs of five links each.
BenchmarkScene crawler();

/// A human figure of 27 degrees of freedom.
BenchmarkScene humanoid();

}  // namespace stiction
