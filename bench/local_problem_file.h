// Reads local FCLIB problems; goes when problem/fclib.h is there.
#pragma once

#include <string>

#include "stiction/problem/friction_problem.h"

namespace stiction::bench {

FrictionProblem read_local_problem(const std::string& path);

}  // namespace stiction::bench
