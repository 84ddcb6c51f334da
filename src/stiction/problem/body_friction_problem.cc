#include "stiction/problem/body_friction_problem.h"

#include <algorithm>
#include <numeric>

#include <Eigen/Cholesky>

#include "stiction/base/assert.h"

namespace stiction {
namespace {

using SparseColumns = Eigen::SparseMatrix<double>;

// Union-find over velocities; the root of a component is its smallest member.
class Components {
 public:
  explicit Components(int count) : parent_(count) { std::iota(parent_.begin(), parent_.end(), 0); }

  int root(int i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  void join(int a, int b) {
    a = root(a), b = root(b);
    parent_[std::max(a, b)] = std::min(a, b);
  }

 private:
  std::vector<int> parent_;
};

bool is_symmetric(const SparseRows& M) {
  const SparseRows skew = M - SparseRows(M.transpose());
  return skew.norm() <= 1e-14 * M.norm();
}

// Stored zeros count: files keep the 6 x 6 block of a body whole, also where its inertia is diagonal.
void join_masses(const SparseRows& M, Components& components) {
  for (int row = 0; row < M.outerSize(); ++row) {
    for (SparseRows::InnerIterator entry(M, row); entry; ++entry) {
      components.join(row, static_cast<int>(entry.col()));
    }
  }
}

// Which components the columns [first, first + count) of A touch, ascending.
std::vector<int> touched(const SparseColumns& A, int first, int count, Components& components) {
  std::vector<int> roots;
  for (int c = first; c < first + count; ++c) {
    for (SparseColumns::InnerIterator entry(A, c); entry; ++entry) {
      if (entry.value() != 0) roots.push_back(components.root(static_cast<int>(entry.row())));
    }
  }
  std::sort(roots.begin(), roots.end());
  roots.erase(std::unique(roots.begin(), roots.end()), roots.end());
  return roots;
}

bool is_crowded(const SparseColumns& A, int width, Components& components) {
  for (int first = 0; first < A.cols(); first += width) {
    if (touched(A, first, width, components).size() > 2) return true;
  }
  return false;
}

// A contact between three components or more makes one of all but the first.
void join_crowded(const SparseColumns& A, int width, Components& components) {
  for (int first = 0; first < A.cols(); first += width) {
    const std::vector<int> roots = touched(A, first, width, components);
    for (size_t i = 2; i < roots.size(); ++i) components.join(roots[1], roots[i]);
  }
}

// Which velocities make a body: what M couples; where contacts then touch more than two components (a diagonal M
// without stored zeros), six in a row, as for free bodies; where that does not do either, what contacts couple.
Components find_bodies(const GlobalFrictionProblem& global) {
  const int n = static_cast<int>(global.f.size());
  const SparseColumns H = global.H, G = global.G;
  const auto crowded = [&](Components& c) { return is_crowded(H, global.dimension, c) || is_crowded(G, 1, c); };
  Components components(n);
  join_masses(global.M, components);
  if (!crowded(components)) return components;
  Components sixes = components;
  for (int i = 0; i < n; ++i) sixes.join(i, i / 6 * 6);
  if (n % 6 == 0 && !crowded(sixes)) return sixes;
  join_crowded(H, global.dimension, components);
  join_crowded(G, 1, components);
  return components;
}

// The conversion in progress. Velocities of a body need not be neighbours in the file: place_ says where they went.
class Conversion {
 public:
  Conversion(const GlobalFrictionProblem& global, BodyFrictionProblem& problem)
      : global_(global), problem_(problem), components_(find_bodies(global)) {}

  bool bodies(int most_velocities) {
    number_bodies();
    for (const VelocityBlock& body : problem_.bodies) {
      if (body.size > most_velocities) return false;
    }
    return fill_masses();
  }

  void rows() {
    append(FrictionBlock::Law::contact, global_.H, global_.dimension, global_.w);
    append(FrictionBlock::Law::bilateral, global_.G, 1, global_.b);
  }

 private:
  void number_bodies() {
    const int n = static_cast<int>(global_.f.size());
    body_of_.assign(n, -1);
    place_.resize(n);
    for (int i = 0; i < n; ++i) {
      int& body = body_of_[components_.root(i)];
      if (body < 0) {
        body = static_cast<int>(problem_.bodies.size());
        problem_.bodies.push_back({});
      }
      body_of_[i] = body;
      place_[i] = problem_.bodies[body].size++;
    }
    int offset = 0, mass_offset = 0;
    for (VelocityBlock& body : problem_.bodies) {
      body.offset = offset;
      body.mass_offset = mass_offset;
      offset += body.size;
      mass_offset += body.size * body.size;
    }
    problem_.mass.assign(mass_offset, 0.0);
    problem_.v_free.assign(n, 0.0);
  }

  bool fill_masses() {
    for (int row = 0; row < global_.M.outerSize(); ++row) {
      const VelocityBlock& body = problem_.bodies[body_of_[row]];
      problem_.v_free[body.offset + place_[row]] = global_.f[row];
      for (SparseRows::InnerIterator entry(global_.M, row); entry; ++entry) {
        if (entry.value() == 0) continue;
        problem_.mass[body.mass_offset + place_[entry.col()] * body.size + place_[row]] = entry.value();
      }
    }
    for (size_t b = 0; b < problem_.bodies.size(); ++b) {
      const Eigen::LLT<MatrixX> mass(problem_.mass_block(static_cast<int>(b)));
      if (mass.info() != Eigen::Success) return false;
      const VelocityBlock& body = problem_.bodies[b];
      Eigen::Map<VectorX> v(problem_.v_free.data() + body.offset, body.size);
      v = mass.solve(v).eval();
    }
    return true;
  }

  void append(FrictionBlock::Law law, const SparseColumns& A, int width, const std::vector<double>& constants) {
    for (int first = 0; first < A.cols(); first += width) {
      FrictionBlock block;
      block.law = law;
      block.first_row = problem_.row_count();
      block.row_count = width;
      if (law == FrictionBlock::Law::contact) std::fill_n(block.axes.begin(), width - 1, global_.mu[first / width]);
      problem_.blocks.push_back(block);
      problem_.sides.push_back(sides_of(A, first, width));
      problem_.bias.insert(problem_.bias.end(), constants.begin() + first, constants.begin() + first + width);
    }
  }

  BodyRows sides_of(const SparseColumns& A, int first, int width) {
    BodyRows sides;
    const std::vector<int> roots = touched(A, first, width, components_);
    STICTION_ASSERT(roots.size() <= 2, "crowded contacts were joined");
    for (size_t s = 0; s < roots.size(); ++s) {
      sides.body[s] = body_of_[roots[s]];
      sides.offset[s] = static_cast<int>(problem_.jacobian.size());
      problem_.jacobian.resize(problem_.jacobian.size() + width * problem_.bodies[sides.body[s]].size, 0.0);
    }
    for (int r = 0; r < width; ++r) {
      for (SparseColumns::InnerIterator entry(A, first + r); entry; ++entry) {
        if (entry.value() == 0) continue;
        const int body = body_of_[entry.row()], side = body == sides.body[0] ? 0 : 1;
        problem_.jacobian[sides.offset[side] + r * problem_.bodies[body].size + place_[entry.row()]] = entry.value();
      }
    }
    return sides;
  }

  const GlobalFrictionProblem& global_;
  BodyFrictionProblem& problem_;
  Components components_;
  std::vector<int> body_of_, place_;
};

}  // namespace

void BodyFrictionProblem::clear() {
  bodies.clear();
  mass.clear();
  v_free.clear();
  blocks.clear();
  sides.clear();
  sets.clear();
  jacobian.clear();
  bias.clear();
}

VectorX body_velocity(const BodyFrictionProblem& problem, const VectorX& r) {
  VectorX momentum = VectorX::Zero(problem.velocity_count());
  for (int b = 0; b < problem.block_count(); ++b) {
    for (int side = 0; side < 2; ++side) {
      const int body = problem.sides[b].body[side];
      if (body < 0) continue;
      momentum.segment(problem.bodies[body].offset, problem.bodies[body].size) +=
          problem.jacobian_block(b, side).transpose() *
          r.segment(problem.blocks[b].first_row, problem.blocks[b].row_count);
    }
  }
  for (size_t b = 0; b < problem.bodies.size(); ++b) {
    auto own = momentum.segment(problem.bodies[b].offset, problem.bodies[b].size);
    own = problem.mass_block(static_cast<int>(b)).llt().solve(own).eval();
  }
  return momentum + Eigen::Map<const VectorX>(problem.v_free.data(), problem.velocity_count());
}

namespace {

using Entries = std::vector<Eigen::Triplet<double>>;

// Can FCLIB state these blocks, with contacts of `dimension` rows?
bool is_plain(const BodyFrictionProblem& problem, int dimension) {
  if (!problem.sets.empty()) return false;
  return std::all_of(problem.blocks.begin(), problem.blocks.end(), [&](const FrictionBlock& block) {
    if (block.law == FrictionBlock::Law::bilateral) return true;
    const bool round = dimension == 2 || block.axes[0] == block.axes[1];
    return block.law == FrictionBlock::Law::contact && block.row_count == dimension && round;
  });
}

// Appends the rows of block b as columns of A from `column` on.
void append_columns(const BodyFrictionProblem& problem, int b, int column, Entries& A) {
  for (int side = 0; side < 2; ++side) {
    const int body = problem.sides[b].body[side];
    if (body < 0) continue;
    const auto J = problem.jacobian_block(b, side);
    for (int r = 0; r < J.rows(); ++r) {
      for (int i = 0; i < J.cols(); ++i) A.emplace_back(problem.bodies[body].offset + i, column + r, J(r, i));
    }
  }
}

SparseRows matrix_of(int rows, int columns, const Entries& entries) {
  SparseRows matrix(rows, columns);
  matrix.setFromTriplets(entries.begin(), entries.end());
  return matrix;
}

}  // namespace

std::optional<GlobalFrictionProblem> global_form(const BodyFrictionProblem& problem) {
  GlobalFrictionProblem global;
  for (const FrictionBlock& block : problem.blocks) {
    if (block.law == FrictionBlock::Law::contact) global.dimension = block.row_count;
  }
  if ((global.dimension != 2 && global.dimension != 3) || !is_plain(problem, global.dimension)) return std::nullopt;
  const int n = problem.velocity_count();
  Entries M, H, G;
  global.f.assign(n, 0.0);
  for (size_t b = 0; b < problem.bodies.size(); ++b) {
    const VelocityBlock& body = problem.bodies[b];
    const auto mass = problem.mass_block(static_cast<int>(b));
    for (int i = 0; i < body.size; ++i) {
      for (int j = 0; j < body.size; ++j) {
        M.emplace_back(body.offset + i, body.offset + j, mass(i, j));
        global.f[body.offset + i] += mass(i, j) * problem.v_free[body.offset + j];
      }
    }
  }
  for (int b = 0; b < problem.block_count(); ++b) {
    const FrictionBlock& block = problem.blocks[b];
    const bool contact = block.law == FrictionBlock::Law::contact;
    std::vector<double>& constants = contact ? global.w : global.b;
    append_columns(problem, b, static_cast<int>(constants.size()), contact ? H : G);
    const auto first = problem.bias.begin() + block.first_row;
    constants.insert(constants.end(), first, first + block.row_count);
    if (contact) global.mu.push_back(block.axes[0]);
  }
  global.M = matrix_of(n, n, M);
  global.H = matrix_of(n, static_cast<int>(global.w.size()), H);
  global.G = matrix_of(n, static_cast<int>(global.b.size()), G);
  return global;
}

std::optional<BodyFrictionProblem> body_form(const GlobalFrictionProblem& global, int most_velocities) {
  if (!is_symmetric(global.M)) return std::nullopt;
  BodyFrictionProblem problem;
  Conversion conversion(global, problem);
  if (!conversion.bodies(most_velocities)) return std::nullopt;
  conversion.rows();
  return problem;
}

}  // namespace stiction
