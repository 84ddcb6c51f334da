// Frictional contact problems in HDF5 files, in the layout of FCLIB, the frictional contact library (local and global
// problems); docs/problem-files.md describes every dataset. Problems that FCLIB cannot state (joints with friction,
// elliptic or torsional friction, contacts of mixed sizes) are kept in a group of our own, /stiction_problem.
#pragma once

#include <optional>
#include <string>

#include "stiction/base/error.h"
#include "stiction/problem/friction_problem.h"
#include "stiction/problem/global_friction_problem.h"

namespace stiction {

/// Text that travels with a problem; empty where the file has none.
struct ProblemText {
  std::string title;
  std::string description;
};

/// What a file holds.
struct FrictionFile {
  enum class Form {
    local,     ///< /fclib_local
    global,    ///< /fclib_global
    extended,  ///< /stiction_problem
  };
  Form form = Form::local;
  ProblemText text;
  FrictionProblem problem;                           ///< condensed where the file is in global form
  std::optional<GlobalFrictionProblem> global = {};  ///< the problem as it stands in the file, where in global form
  int contact_rows = 0;  ///< FCLIB: the first rows are the contacts', the others bilateral; extended: all rows
};

/// Reads a local, global (condensed here) or extended problem; the first of extended, local, global that is there.
Result<FrictionFile> read_friction_file(const std::string& path);

/// Reads a global problem as it stands.
Result<GlobalFrictionProblem> read_fclib_global(const std::string& path);

/// Writes /fclib_local where all blocks are contacts with round cones of 3 rows each (or all of 2), otherwise
/// /stiction_problem; read_friction_file gives the same problem back, bit by bit. The file appears whole or not at all.
Result<void> write_friction_file(const std::string& path, const FrictionProblem& problem, const ProblemText& text = {});

/// Writes a global problem.
Result<void> write_fclib_global(const std::string& path, const GlobalFrictionProblem& problem,
                                const ProblemText& text = {});

}  // namespace stiction
