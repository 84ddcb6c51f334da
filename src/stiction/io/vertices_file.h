// Points of a convex shape from a file: the `v` lines of an OBJ file, or plain text with x y z on a line.
#pragma once

#include <string>
#include <vector>

#include "stiction/base/error.h"
#include "stiction/math/types.h"

namespace stiction {

/// Reads the points (m). In plain text '#' starts a comment; of an .obj file everything but `v` lines is passed over.
Result<std::vector<Vector3>> read_vertices(const std::string& path);

}  // namespace stiction
