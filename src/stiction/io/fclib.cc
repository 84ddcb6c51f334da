#include "stiction/io/fclib.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "stiction/base/assert.h"
#include "stiction/io/hdf5.h"
#include "stiction/io/output_file.h"
#include "stiction/io/problem_group.h"

namespace stiction {
namespace {

namespace fs = std::filesystem;
using Law = FrictionBlock::Law;
using hdf5::Handle;

constexpr const char* local_group = "/fclib_local";
constexpr const char* global_group = "/fclib_global";
constexpr const char* extended_group = "/stiction_problem";
constexpr int extended_version = 1;

Result<Handle> open_problem_file(const std::string& path) {
  std::error_code ignored;
  if (!fs::is_regular_file(path, ignored)) {
    return failure({.what = fs::exists(path, ignored) ? "this is not a file" : "the file does not exist",
                    .remedy = "Give the path of an HDF5 problem file (.hdf5).",
                    .file = path});
  }
  Handle file = hdf5::open_file(path);
  if (!file) {
    return failure({.what = "this is not an HDF5 file, or it is cut short",
                    .remedy = "Friction problems are HDF5 files; docs/problem-files.md describes them.",
                    .file = path});
  }
  return file;
}

ProblemText read_problem_text(const GroupReader& group) {
  return {group.text("info/title"), group.text("info/description")};
}

int read_dimension(GroupReader& group) {
  const int dimension = group.integer("spacedim");
  if (!group.error() && dimension != 2 && dimension != 3) {
    group.fail("spacedim", fmt::format("the space has {} dimensions", dimension), "Contacts have 2 or 3 rows.");
  }
  return dimension;
}

std::vector<double> read_friction_coefficients(GroupReader& group, size_t rows, int dimension) {
  if (group.error()) return {};
  if (rows % dimension != 0) {
    group.fail("spacedim", fmt::format("{} rows are not a whole number of contacts of {} rows each", rows, dimension),
               "Make the matrices and spacedim agree.");
  }
  const std::vector<double> mu = group.numbers("vectors/mu", rows / dimension);
  const auto bad = std::find_if(mu.begin(), mu.end(), [](double value) { return value < 0; });
  if (bad != mu.end()) {
    group.fail("vectors/mu", fmt::format("contact {} has the friction coefficient {}", bad - mu.begin(), *bad),
               "Friction coefficients are zero or positive.");
  }
  return mu;
}

void check_matrix_size(GroupReader& group, const char* name, const SparseRows& matrix, Eigen::Index rows,
                       Eigen::Index columns) {
  if (group.error() || (matrix.rows() == rows && matrix.cols() == columns)) return;
  group.fail(name, fmt::format("the matrix is {} x {} instead of {} x {}", matrix.rows(), matrix.cols(), rows, columns),
             "Make the sizes of the matrices agree, or write the file again.");
}

// ( W V ; V^T R ), the matrix of a local problem with bilateral rows.
SparseRows join_local(const SparseRows& W, const SparseRows& V, const SparseRows& R) {
  std::vector<Eigen::Triplet<double>> entries;
  const auto add = [&](const SparseRows& matrix, Eigen::Index first_row, Eigen::Index first_column, bool transposed) {
    for (int k = 0; k < matrix.outerSize(); ++k) {
      for (SparseRows::InnerIterator entry(matrix, k); entry; ++entry) {
        const Eigen::Index row = transposed ? entry.col() : entry.row();
        const Eigen::Index column = transposed ? entry.row() : entry.col();
        entries.emplace_back(first_row + row, first_column + column, entry.value());
      }
    }
  };
  add(W, 0, 0, false);
  add(V, 0, W.cols(), false);
  add(V, W.rows(), 0, true);
  add(R, W.rows(), W.cols(), false);
  SparseRows joined(W.rows() + R.rows(), W.cols() + R.cols());
  joined.setFromTriplets(entries.begin(), entries.end());
  return joined;
}

// (u; 0) = ( W V ; V^T R ) (r; lambda) + (q; s), V, R and s where there are bilateral rows.
Result<FrictionFile> read_local(hid_t file, const std::string& path) {
  GroupReader group(file, path, local_group);
  FrictionFile result;
  result.text = read_problem_text(group);
  const int dimension = read_dimension(group);
  SparseRows W = group.matrix("W");
  check_matrix_size(group, "W", W, W.rows(), W.rows());
  const auto rows = static_cast<int>(W.rows());
  const std::vector<double> mu = read_friction_coefficients(group, rows, dimension);
  result.problem.q = group.numbers("vectors/q", rows);
  result.contact_rows = rows;
  if (!group.error()) append_contacts(result.problem, dimension, mu);
  if (group.has("R") || group.has("V")) {
    const SparseRows R = group.matrix("R");
    const SparseRows V = group.matrix("V");
    check_matrix_size(group, "R", R, R.rows(), R.rows());
    check_matrix_size(group, "V", V, rows, R.rows());
    const std::vector<double> s = group.numbers("vectors/s", R.rows());
    if (group.error()) return failure(*group.error());
    result.problem.q.insert(result.problem.q.end(), s.begin(), s.end());
    append_bilaterals(result.problem, static_cast<int>(R.rows()));
    W = join_local(W, V, R);
  }
  if (group.error()) return failure(*group.error());
  set_matrix(result.problem, W);
  return result;
}

Result<GlobalFrictionProblem> read_global(hid_t file, const std::string& path) {
  GroupReader group(file, path, global_group);
  GlobalFrictionProblem problem;
  problem.dimension = read_dimension(group);
  problem.M = group.matrix("M");
  const Eigen::Index velocities = problem.M.rows();
  check_matrix_size(group, "M", problem.M, velocities, velocities);
  problem.H = group.matrix("H");
  check_matrix_size(group, "H", problem.H, velocities, problem.H.cols());
  problem.G = SparseRows(velocities, 0);
  if (group.has("G")) {
    problem.G = group.matrix("G");
    check_matrix_size(group, "G", problem.G, velocities, problem.G.cols());
    problem.b = group.numbers("vectors/b", problem.G.cols());
  }
  problem.f = group.numbers("vectors/f", velocities);
  problem.w = group.numbers("vectors/w", problem.H.cols());
  problem.mu = read_friction_coefficients(group, problem.H.cols(), problem.dimension);
  if (group.error()) return failure(*group.error());
  return problem;
}

Result<FrictionFile> read_condensed(hid_t file, const std::string& path) {
  auto global = read_global(file, path);
  if (!global) return failure(global.error());
  auto problem = condense(*global);
  if (!problem) {
    Error error = problem.error();
    error.file = path;
    if (!error.name.empty()) error.name = std::string(global_group) + "/" + error.name;
    return failure(std::move(error));
  }
  FrictionFile result;
  result.form = FrictionFile::Form::global;
  result.text = read_problem_text(GroupReader(file, path, global_group));
  result.problem = std::move(*problem);
  result.contact_rows = static_cast<int>(global->w.size());
  result.global = std::move(*global);
  return result;
}

// Blocks from their columns in the file; first rows follow from the row counts.
std::vector<FrictionBlock> read_blocks(GroupReader& group) {
  const std::vector<int> law = group.integers("law");
  const size_t count = law.size();
  const std::vector<int> rows = group.integers("row_count", count);
  const std::vector<double> axes = group.numbers("axes", 3 * count);
  const std::vector<double> bound = group.numbers("bound", count);
  const std::vector<int> link = group.integers("link", count);
  std::vector<FrictionBlock> blocks;
  int row = 0;
  for (size_t b = 0; b < count && !group.error(); ++b) {
    if (law[b] < 0 || law[b] > static_cast<int>(Law::bounded)) {
      group.fail("law", fmt::format("block {} has the law {}", b, law[b]),
                 "Laws are 0 (bilateral), 1 (contact) and 2 (bounded).");
    }
    if (rows[b] < 1 || rows[b] > 6) {
      group.fail("row_count", fmt::format("block {} has {} rows", b, rows[b]), "Blocks have 1 to 6 rows.");
    }
    blocks.push_back(
        {static_cast<Law>(law[b]), row, rows[b], {axes[3 * b], axes[3 * b + 1], axes[3 * b + 2]}, bound[b], link[b]});
    row += rows[b];
  }
  return blocks;
}

// Where each stored block starts: one after the other.
void pack_values(FrictionProblem& problem) {
  size_t value = 0;
  for (size_t b = 0; b + 1 < problem.row_start.size() && b < problem.blocks.size(); ++b) {
    for (int k = std::max(0, problem.row_start[b]); k < problem.row_start[b + 1]; ++k) {
      if (static_cast<size_t>(k) >= problem.column.size()) return;
      const int column = problem.column[k];
      if (column < 0 || column >= problem.block_count()) return;
      problem.value_start.push_back(static_cast<int>(value));
      value += static_cast<size_t>(problem.blocks[b].row_count) * problem.blocks[column].row_count;
    }
  }
}

Result<FrictionFile> read_extended(hid_t file, const std::string& path) {
  GroupReader group(file, path, extended_group);
  FrictionFile result;
  result.form = FrictionFile::Form::extended;
  result.text = read_problem_text(group);
  const int version = group.integer("version");
  if (!group.error() && version != extended_version) {
    group.fail("version", fmt::format("version {} is not known", version),
               fmt::format("This program reads version {}; use a newer one.", extended_version));
  }
  FrictionProblem& problem = result.problem;
  problem.blocks = read_blocks(group);
  problem.row_start = group.integers("row_start", problem.blocks.size() + 1);
  problem.column = group.integers("column");
  problem.value = group.numbers("value");
  problem.q = group.numbers("q");
  if (group.error()) return failure(*group.error());
  pack_values(problem);
  if (const std::string defect = defect_of(problem); !defect.empty()) {
    return failure({.what = defect,
                    .remedy = "Write the file again; docs/problem-files.md says what each dataset holds.",
                    .name = extended_group,
                    .file = path});
  }
  result.contact_rows = problem.row_count();
  return result;
}

// Rows of every contact where FCLIB can state the problem, otherwise 0.
int fclib_dimension(const FrictionProblem& problem) {
  const int rows = problem.blocks.empty() ? 3 : problem.blocks.front().row_count;
  if (rows != 2 && rows != 3) return 0;
  const bool plain = std::all_of(problem.blocks.begin(), problem.blocks.end(), [&](const FrictionBlock& block) {
    const bool round = rows == 2 || block.axes[0] == block.axes[1];
    return block.law == Law::contact && block.row_count == rows && round;
  });
  return plain ? rows : 0;
}

bool write_problem_text(hid_t group, const ProblemText& text) {
  const Handle info = hdf5::create_group(group, "info");
  return info && hdf5::write_text(info.get(), "title", text.title) &&
         hdf5::write_text(info.get(), "description", text.description) && hdf5::write_text(info.get(), "math_info", "");
}

bool write_local(hid_t file, const FrictionProblem& problem, int dimension, const ProblemText& text) {
  std::vector<double> mu;
  for (const FrictionBlock& block : problem.blocks) mu.push_back(block.axes[0]);
  const Handle group = hdf5::create_group(file, local_group);
  if (!group || !hdf5::write_integers(group.get(), "spacedim", {dimension})) return false;
  const Handle vectors = hdf5::create_group(group.get(), "vectors");
  return vectors && write_matrix(group.get(), "W", matrix_of(problem)) &&
         hdf5::write_numbers(vectors.get(), "q", problem.q) && hdf5::write_numbers(vectors.get(), "mu", mu) &&
         write_problem_text(group.get(), text);
}

bool write_extended(hid_t file, const FrictionProblem& problem, const ProblemText& text) {
  std::vector<int> law, rows, link;
  std::vector<double> axes, bound;
  for (const FrictionBlock& block : problem.blocks) {
    law.push_back(static_cast<int>(block.law));
    rows.push_back(block.row_count);
    link.push_back(block.link);
    axes.insert(axes.end(), block.axes.begin(), block.axes.end());
    bound.push_back(block.bound);
  }
  const Handle handle = hdf5::create_group(file, extended_group);
  const hid_t group = handle.get();
  return handle && hdf5::write_integers(group, "version", {extended_version}) &&
         hdf5::write_integers(group, "law", law) && hdf5::write_integers(group, "row_count", rows) &&
         hdf5::write_numbers(group, "axes", axes) && hdf5::write_numbers(group, "bound", bound) &&
         hdf5::write_integers(group, "link", link) && hdf5::write_integers(group, "row_start", problem.row_start) &&
         hdf5::write_integers(group, "column", problem.column) && hdf5::write_numbers(group, "value", problem.value) &&
         hdf5::write_numbers(group, "q", problem.q) && write_problem_text(group, text);
}

bool write_global(hid_t file, const GlobalFrictionProblem& problem, const ProblemText& text) {
  const Handle group = hdf5::create_group(file, global_group);
  if (!group || !hdf5::write_integers(group.get(), "spacedim", {problem.dimension})) return false;
  const Handle vectors = hdf5::create_group(group.get(), "vectors");
  const bool bilateral = !problem.b.empty();
  return vectors && write_matrix(group.get(), "M", problem.M) && write_matrix(group.get(), "H", problem.H) &&
         (!bilateral || write_matrix(group.get(), "G", problem.G)) &&
         (!bilateral || hdf5::write_numbers(vectors.get(), "b", problem.b)) &&
         hdf5::write_numbers(vectors.get(), "f", problem.f) && hdf5::write_numbers(vectors.get(), "w", problem.w) &&
         hdf5::write_numbers(vectors.get(), "mu", problem.mu) && write_problem_text(group.get(), text);
}

// Creates PATH whole or not at all; `write` fills the file.
template <class Write>
Result<void> write_file(const std::string& path, Write write) {
  const hdf5::QuietErrors quiet;
  auto output = OutputFile::create(path);
  if (!output) return failure(output.error());
  Handle file = hdf5::create_file(output->part_path());
  const bool written = file && write(file.get());
  if (!file.reset() || !written) {
    return failure({.what = "cannot write the whole file", .remedy = "Free space on the disk.", .file = path});
  }
  return output->commit();
}

}  // namespace

Result<FrictionFile> read_friction_file(const std::string& path) {
  const hdf5::QuietErrors quiet;
  const auto file = open_problem_file(path);
  if (!file) return failure(file.error());
  if (hdf5::exists(file->get(), extended_group)) return read_extended(file->get(), path);
  if (hdf5::exists(file->get(), local_group)) return read_local(file->get(), path);
  if (hdf5::exists(file->get(), global_group)) return read_condensed(file->get(), path);
  return failure(
      {.what = "the file holds no friction problem",
       .remedy = fmt::format("It must have the group {}, {} or {}.", local_group, global_group, extended_group),
       .file = path});
}

Result<GlobalFrictionProblem> read_fclib_global(const std::string& path) {
  const hdf5::QuietErrors quiet;
  const auto file = open_problem_file(path);
  if (!file) return failure(file.error());
  if (hdf5::exists(file->get(), global_group)) return read_global(file->get(), path);
  return failure({.what = "the file holds no global friction problem",
                  .remedy = fmt::format("It must have the group {}.", global_group),
                  .file = path});
}

Result<void> write_friction_file(const std::string& path, const FrictionProblem& problem, const ProblemText& text) {
  STICTION_ASSERT(defect_of(problem).empty(), "only well-formed problems are written");
  const int dimension = fclib_dimension(problem);
  return write_file(path, [&](hid_t file) {
    return dimension > 0 ? write_local(file, problem, dimension, text) : write_extended(file, problem, text);
  });
}

Result<void> write_fclib_global(const std::string& path, const GlobalFrictionProblem& problem,
                                const ProblemText& text) {
  return write_file(path, [&](hid_t file) { return write_global(file, problem, text); });
}

}  // namespace stiction
