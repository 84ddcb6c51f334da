#include "stiction/methods/convex/tangential_impulses.h"

#include <algorithm>
#include <cmath>

#include "stiction/math/types.h"

namespace stiction::methods {

namespace {

using Bound = ConvexImpulseOptions::NormalBound;
using Column = Eigen::Map<VectorX>;
using ConstColumn = Eigen::Map<const VectorX>;

constexpr double normal_rank = 1e-11;  // as in phase one
// The sum of normal impulses may exceed phase one's by this share: the set keeps an interior.
constexpr double sum_slack = 1e-12;
// Sums of impulses that cancel to this share of their terms are zero.
constexpr double cancelled = 1e-10;
// Entries of the basis below this are rounding; rows are scaled so that others are of the order of one.
constexpr double basis_rounding = 1e-13;
// Tangential velocities below this share of the fastest are not worth a digit.
constexpr double still = 1e-9;

struct PhaseTwo {
  const ConvexRows& rows;
  const NormalImpulses& normal;
  const ConvexImpulseOptions& options;
  TangentialImpulses& out;
  int n, size;

  PhaseTwo(const ConvexRows& r, const NormalImpulses& p, const ConvexImpulseOptions& o, TangentialImpulses& t)
      : rows(r), normal(p), options(o), out(t), n(r.normal_count()), size(r.size()) {}

  void choose_rubbing();
  void list_tangents();
  void form_basis();
  bool drop_unloaded();
  bool moves_normal(int i) const;
  void restrict_to_face();
  void form_objective();
  void add_cones();
  void add_group(const TangentGroup& group, int head);
  void add_separating();
  void add_sum_bound();
  void add_norm_bound();

  double* column(int j) const { return out.R.data() + static_cast<size_t>(j) * size; }
  // A row of the programme: factor * (x_i).
  void add_impulse_row(int i, double factor) const {
    double* G = out.qp.add_row(i < n ? factor * normal.w[i] : 0.0);
    for (int j = 0; j < out.unknowns; ++j) G[j] = factor * column(j)[i];
  }
};

// Contacts that stay closed and push have friction; none has where phase one pushes nowhere. A contact that phase one
// pulls at (as printed it may) keeps its impulse's freedom but has no cone.
void PhaseTwo::choose_rubbing() {
  out.rubs.assign(n, 0);
  double load = 0;
  for (const int i : normal.closed) load += rows.normals[i].pair ? rows.weight[i] * std::max(normal.w[i], 0.0) : 0.0;
  if (!(load > 0)) return;
  for (const int i : normal.closed) out.rubs[i] = rows.normals[i].pair && normal.w[i] >= 0;
}

void PhaseTwo::list_tangents() {
  out.tangents.clear();
  const auto add = [&](const TangentGroup& group) {
    for (int k = 0; k < group.count; ++k) out.tangents.push_back(n + group.first + k);
  };
  for (int i = 0; i < n; ++i) {
    if (!out.rubs[i]) continue;
    add(rows.normals[i].friction);
    add(rows.normals[i].rolling);
  }
  for (const TangentGroup& group : rows.dry) add(group);
  std::sort(out.tangents.begin(), out.tangents.end());
}

// R of (2).
void PhaseTwo::form_basis() {
  const int k = static_cast<int>(normal.closed.size()), tangents = static_cast<int>(out.tangents.size());
  const bool nullspace = options.normal_bound == Bound::nullspace;
  out.unknowns = tangents == 0 ? 0 : tangents + (nullspace ? 0 : out.factor.null_count());
  out.R.assign(static_cast<size_t>(size) * out.unknowns, 0.0);
  out.right.resize(2 * static_cast<size_t>(k));
  double *b = out.right.data(), *x = out.right.data() + k;
  for (int j = 0; j < out.unknowns; ++j) {
    const double* part = x;
    if (j < tangents) {
      for (int i = 0; i < k; ++i) b[i] = -rows.at(normal.closed[i], out.tangents[j]);
      out.factor.solve(b, x);
      if (nullspace) out.factor.project(out.weights.data(), x);
      column(j)[out.tangents[j]] = 1;
    } else {
      part = out.factor.null_vector(j - tangents);
    }
    for (int i = 0; i < k; ++i) column(j)[normal.closed[i]] = std::abs(part[i]) > basis_rounding ? part[i] : 0.0;
  }
}

bool PhaseTwo::moves_normal(int i) const {
  for (int j = 0; j < out.unknowns; ++j) {
    if (std::abs(column(j)[i]) > cancelled) return true;
  }
  return false;
}

// A contact without load that y cannot load has no friction: its cone is a point. True where there are such.
bool PhaseTwo::drop_unloaded() {
  double largest = 0;
  for (const int i : normal.closed) largest = std::max(largest, rows.weight[i] * normal.w[i]);
  bool any = false;
  for (const int i : normal.closed) {
    const ConvexNormal& own = rows.normals[i];
    if (!out.rubs[i] || own.friction.count + own.rolling.count == 0) continue;
    if (rows.weight[i] * normal.w[i] > sum_slack * largest || moves_normal(i)) continue;
    out.rubs[i] = 0;
    any = true;
  }
  return any;
}

// |x_N| <= |w_s| where w_s is at right angles to every change of x_N that R allows: no change is left. R becomes R K
// with K a basis of what leaves x_N as it is.
void PhaseTwo::restrict_to_face() {
  const int m = out.unknowns;
  out.matrix.assign(static_cast<size_t>(m) * m, 0.0);
  bool free = false;
  double length = 0;
  for (int i = 0; i < n; ++i) length += rows.normals[i].pair ? std::pow(rows.weight[i] * normal.w[i], 2) : 0.0;
  for (int j = 0; j < m; ++j) {
    double along = 0, square = 0;
    for (int i = 0; i < n; ++i) {
      if (!rows.normals[i].pair) continue;
      const double change = rows.weight[i] * column(j)[i];
      along += change * rows.weight[i] * normal.w[i];
      square += change * change;
      for (int l = 0; l < m; ++l) {
        out.matrix[static_cast<size_t>(j) * m + l] += change * rows.weight[i] * column(l)[i];
      }
    }
    free = free || std::abs(along) > still * std::sqrt(square * length);
  }
  if (free || m == 0) return;
  out.all.resize(m);
  for (int j = 0; j < m; ++j) out.all[j] = j;
  out.face.form(out.matrix.data(), m, out.all, sum_slack);
  out.restricted.assign(static_cast<size_t>(size) * out.face.null_count(), 0.0);
  for (int k = 0; k < out.face.null_count(); ++k) {
    Column to(out.restricted.data() + static_cast<size_t>(k) * size, size);
    for (int j = 0; j < m; ++j) to += out.face.null_vector(k)[j] * Column(column(j), size);
    for (int i = 0; i < n; ++i) to[i] = rows.normals[i].pair ? 0.0 : to[i];
  }
  out.R.swap(out.restricted);
  out.unknowns = out.face.null_count();
}

// U, v and the constant, velocities in the units of norms.
void PhaseTwo::form_objective() {
  const int m = out.unknowns, k = static_cast<int>(out.tangents.size());
  out.qp.reset(m);
  out.left.resize(k);
  out.DR.assign(static_cast<size_t>(k) * m, 0.0);
  for (int i = 0; i < k; ++i) {
    const int t = out.tangents[i];
    const ConstColumn A_t(rows.A.data() + static_cast<size_t>(t) * size, size);  // symmetric: its row
    double sum = rows.b[t];
    for (int j = 0; j < n; ++j) sum += A_t[j] * normal.w[j];
    out.left[i] = sum / rows.weight[t];
    out.qp.constant += out.left[i] * out.left[i] / 2;
    for (int j = 0; j < m; ++j) {
      const Column R_j(column(j), size);
      const double value = A_t.dot(R_j), terms = A_t.cwiseAbs().dot(R_j.cwiseAbs());
      out.DR[static_cast<size_t>(j) * k + i] = std::abs(value) > basis_rounding * terms ? value / rows.weight[t] : 0.0;
    }
  }
  for (int j = 0; j < m; ++j) {
    const ConstColumn own(out.DR.data() + static_cast<size_t>(j) * k, k);
    out.qp.v[j] = own.dot(ConstColumn(out.left.data(), k));
    for (int l = 0; l <= j; ++l) {
      const double value = own.dot(ConstColumn(out.DR.data() + static_cast<size_t>(l) * k, k));
      out.qp.U[static_cast<size_t>(j) * m + l] = out.qp.U[static_cast<size_t>(l) * m + j] = value;
    }
  }
}

// (x_n, x_t / axes) or, without a normal, (bound, x): everything in the units of x_n.
void PhaseTwo::add_group(const TangentGroup& group, int head) {
  double unit = 1;
  if (head >= 0) {
    add_impulse_row(head, rows.weight[head]);
    unit = rows.weight[head] / rows.scale[head];
  } else {
    unit = 1 / rows.scale[n + group.first];
    out.qp.add_row(unit * group.bound);
  }
  for (int k = 0; k < group.count; ++k) {
    const int t = n + group.first + k;
    add_impulse_row(t, unit * rows.scale[t] / group.axes[k]);
  }
  out.qp.cone_sizes.push_back(1 + group.count);
}

void PhaseTwo::add_cones() {
  for (const int i : normal.closed) {
    const ConvexNormal& own = rows.normals[i];
    if (normal.w[i] < 0) continue;
    const bool rubs = out.rubs[i];
    if (rubs && own.friction.count > 0) add_group(own.friction, i);
    if (rubs && own.rolling.count > 0) add_group(own.rolling, i);
    if ((rubs && own.friction.count + own.rolling.count > 0) || !moves_normal(i)) continue;
    add_impulse_row(i, rows.weight[i]);
    out.qp.cone_sizes.push_back(1);
  }
  for (const TangentGroup& group : rows.dry) {
    if (group.count > 0) add_group(group, -1);
  }
}

// Contacts that phase one leaves separating must not close again. As printed there are none of them.
void PhaseTwo::add_separating() {
  if (options.phase_one != ConvexImpulseOptions::PhaseOne::nonnegative) return;
  size_t next = 0;
  for (int i = 0; i < n; ++i) {
    if (next < normal.closed.size() && normal.closed[next] == i) {
      ++next;
      continue;
    }
    const ConstColumn A_i(rows.A.data() + static_cast<size_t>(i) * size, size);
    double* G = out.qp.add_row(normal.velocity[i]);
    for (int j = 0; j < out.unknowns; ++j) G[j] = A_i.dot(Column(column(j), size));
    out.qp.cone_sizes.push_back(1);
  }
}

// 1^T x_N <= 1^T w_s, left out where every y keeps the sum.
void PhaseTwo::add_sum_bound() {
  double load = 0, length = 0;
  double* G = out.qp.add_row(0);
  for (int i = 0; i < n; ++i) load += rows.normals[i].pair ? rows.weight[i] * normal.w[i] : 0.0;
  for (int j = 0; j < out.unknowns; ++j) {
    double sum = 0, terms = 0;
    for (int i = 0; i < n; ++i) {
      if (!rows.normals[i].pair) continue;
      sum -= rows.weight[i] * column(j)[i];
      terms += std::abs(rows.weight[i] * column(j)[i]);
    }
    G[j] = std::abs(sum) > cancelled * terms ? sum : 0.0;
    length = std::max(length, std::abs(G[j]));
  }
  if (length == 0) {
    out.qp.g.pop_back();
    out.qp.G.resize(out.qp.G.size() - out.unknowns);
    return;
  }
  out.qp.g.back() = sum_slack * load;
  out.qp.cone_sizes.push_back(1);
}

// |x_N| <= |w_s|, g as printed.
void PhaseTwo::add_norm_bound() {
  double length = 0;
  int count = 0;
  for (int i = 0; i < n; ++i) count += rows.normals[i].pair && moves_normal(i);
  if (count == 0) return;
  const size_t head = out.qp.g.size();
  out.qp.add_row(0);
  for (int i = 0; i < n; ++i) {
    if (!rows.normals[i].pair || !moves_normal(i)) continue;
    add_impulse_row(i, rows.weight[i]);
    length = std::hypot(length, out.qp.g.back());
  }
  out.qp.g[head] = length;
  out.qp.cone_sizes.push_back(1 + count);
}

}  // namespace

void form_tangential_programme(const ConvexRows& rows, const NormalImpulses& normal,
                               const ConvexImpulseOptions& options, TangentialImpulses& result) {
  PhaseTwo phase(rows, normal, options, result);
  const size_t k = normal.closed.size();
  result.weights.resize(k);
  for (size_t i = 0; i < k; ++i) result.weights[i] = rows.weight[normal.closed[i]];
  result.factor.form(rows.A.data(), rows.size(), normal.closed, normal_rank);
  phase.choose_rubbing();
  do {
    phase.list_tangents();
    phase.form_basis();
  } while (phase.drop_unloaded());
  if (options.normal_bound == Bound::literal) phase.restrict_to_face();
  phase.form_objective();
  if (result.unknowns == 0) return;
  phase.add_cones();
  phase.add_separating();
  if (options.normal_bound == Bound::sum) phase.add_sum_bound();
  if (options.normal_bound == Bound::literal) phase.add_norm_bound();
}

solvers::SolveReport find_tangential_impulses(const ConvexRows& rows, const NormalImpulses& normal,
                                              const ConvexImpulseOptions& options, TangentialImpulses& result) {
  form_tangential_programme(rows, normal, options, result);
  const double floor = still * normal.fastest;
  const solvers::SolveReport report = solvers::solve_cone_qp(result.qp,
                                                             {.tolerance = options.tolerance,
                                                              .scale = result.qp.constant + floor * floor / 2,
                                                              .least = 0,
                                                              .max_iterations = options.max_iterations},
                                                             result.memory, result.y);
  result.x.assign(rows.size(), 0.0);
  std::copy(normal.w.begin(), normal.w.end(), result.x.begin());
  for (int j = 0; j < result.unknowns; ++j) {
    for (int i = 0; i < rows.size(); ++i)
      result.x[i] += result.R[static_cast<size_t>(j) * rows.size() + i] * result.y[j];
  }
  return report;
}

}  // namespace stiction::methods
