// LCPs and mixed LCPs from folders of Matrix Market files: M.mtx, q.mtx and, for mixed ones, is_comp.mtx.
#pragma once

#include <filesystem>

#include "stiction/base/error.h"
#include "stiction/problem/lcp.h"

namespace stiction {

/// Reads a real, integer or pattern matrix in coordinate or array format, general, symmetric or skew-symmetric, as a
/// dense matrix. Repeated coordinate entries are added.
Result<MatrixX> read_matrix_market(const std::filesystem::path& file);

/// Reads folder/M.mtx and folder/q.mtx.
Result<Lcp> read_lcp(const std::filesystem::path& folder);

/// Reads folder/M.mtx, folder/q.mtx and folder/is_comp.mtx (0: equation, 1: complementarity).
Result<MixedLcp> read_mixed_lcp(const std::filesystem::path& folder);

}  // namespace stiction
