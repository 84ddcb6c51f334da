// Both phases of convex-impulse on random impacts with redundant contacts and restitution, against independent
// solutions: a barrier method on all impulses with the equations as they stand, and enumeration of active sets.
#include <bit>
#include <cstdlib>

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "stiction/certify/cone_qp_residual.h"
#include "stiction/methods/convex/tangential_impulses.h"
#include "stiction/methods/convex_impulse.h"
#include "support/barrier_cone.h"
#include "support/box_stack.h"
#include "support/random_impacts.h"

namespace stiction {
namespace {

using methods::ConvexImpulseOptions;
using testing::BarrierCone;
using testing::ImpactOptions;

// How many random problems; STICTION_CONVEX_PROBLEMS=10000 is the long run.
int problem_count(int usual) {
  const char* wish = std::getenv("STICTION_CONVEX_PROBLEMS");
  return wish == nullptr ? usual : std::atoi(wish);
}

// One problem solved by the phases themselves, with the dense matrices of the same problem.
struct Solved {
  StepProblem problem;
  MatrixX A;  // of all rows of the step problem
  VectorX b;  // with restitution in the normal rows
  methods::ConvexRows rows;
  methods::NormalImpulses normal;
  methods::TangentialImpulses tangential;
  solvers::SolveReport phase_one, phase_two;
  VectorX w, x;  // impulses of phase one and of phase two, one per row of the step problem

  Solved(StepProblem step, const ConvexImpulseOptions& options) : problem(std::move(step)) {
    const MatrixX J = testing::dense_jacobian(problem), M = testing::dense_mass(problem);
    A = J * M.ldlt().solve(J.transpose());
    b = J * problem.v_free;
    for (const ContactRows& contact : problem.contacts) {
      b[problem.blocks[contact.block].first_row] += contact.normal_bias;
    }
    contact::Islands islands;
    islands.update(problem);
    std::vector<int> blocks, trees, contacts;
    // All bodies as one island, connected or not.
    for (size_t t = 0; t < problem.trees.size(); ++t) trees.push_back(static_cast<int>(t));
    for (size_t c = 0; c < problem.contacts.size(); ++c) contacts.push_back(static_cast<int>(c));
    const contact::Island island{trees, {}, {}, contacts};
    contact::IslandRows local;
    methods::IslandFrictionProblem velocity;
    methods::list_island_blocks(problem, island, blocks);
    EXPECT_TRUE(local.form(problem, island, blocks));
    methods::form_velocity_problem(problem, island, blocks, local, velocity);
    EXPECT_TRUE(rows.form(velocity, 0));
    phase_one = methods::find_normal_impulses(rows, options.phase_one, normal);
    phase_two = methods::find_tangential_impulses(rows, normal, options, tangential);
    std::vector<double> all(rows.size(), 0.0), r, p;
    std::copy(normal.w.begin(), normal.w.end(), all.begin());
    const auto gather = [&](const std::vector<double>& from) {
      rows.scatter(from, r);
      methods::make_admissible(velocity.problem, r);
      velocity.scatter(local, r, p);
      return VectorX(Eigen::Map<VectorX>(p.data(), static_cast<long>(p.size())));
    };
    w = gather(all);
    x = gather(tangential.x);
  }

  bool has(int contact, int r) const { return r == 0 || problem.contacts[contact].friction[r - 1] > 0; }
  bool closed(int contact) const {
    return std::find(normal.closed.begin(), normal.closed.end(), contact) != normal.closed.end();
  }
  // |y| of every impulse that the sum bound allows. With L = sum of w_n (impulses): x_n <= L, |x_t| <= axes L; and R is
  // such that y_j is an entry of x - w: a tangent, or the normal where null vector j is one and no other column acts.
  std::vector<double> reach() const {
    const methods::ConvexRows& a = rows;
    const int tangents = static_cast<int>(tangential.tangents.size());
    double load = 0;
    for (int i = 0; i < a.normal_count(); ++i) load += a.scale[i] * normal.w[i] * (1 + 1e-9);  // its own slack: 1e-12
    std::vector<double> bound(tangential.unknowns, infinity);
    for (int i = 0; i < a.normal_count(); ++i) {
      const methods::TangentGroup& group = a.normals[i].friction;
      for (int k = 0; k < group.count; ++k) {
        const int t = a.normal_count() + group.first + k;
        const auto at = std::find(tangential.tangents.begin(), tangential.tangents.end(), t);
        if (at == tangential.tangents.end()) continue;
        bound[at - tangential.tangents.begin()] = group.axes[k] * load / a.scale[t];
      }
      int only = -1, acting = 0;
      for (int j = 0; j < tangential.unknowns; ++j) {
        const double part = tangential.R[static_cast<size_t>(j) * a.size() + i];
        acting += part != 0;
        if (part == 1) only = j;
      }
      if (acting == 1 && only >= tangents) bound[only] = load / a.scale[i];
    }
    return bound;
  }
  // 1/2 |u_T|^2 over the contacts that phase one leaves closed.
  double objective(const VectorX& at) const {
    const VectorX u = A * at + b;
    double sum = 0;
    for (size_t c = 0; c < problem.contacts.size(); ++c) {
      for (int r = 1; r < 3; ++r) {
        const int i = static_cast<int>(c);
        if (closed(i) && has(i, r)) sum += u[3 * c + r] * u[3 * c + r] / 2;
      }
    }
    return sum;
  }
};

// The programme of phase two over x, straight from the paper: rows, equations and cones by contact. Impulses in units
// that give A a unit diagonal, velocities so that f(w) = 1/2 |u_T|^2 is one, cones in units of the largest of w.
struct FullProgramme {
  BarrierCone cone;
  VectorX unit;      // impulse = unit * x
  VectorX start;     // w / unit
  double f_w, load;  // what the units are
};

FullProgramme full_programme(const Solved& s) {
  const int n = static_cast<int>(s.problem.contacts.size());
  FullProgramme full{.cone = {}, .unit = s.A.diagonal().cwiseSqrt().cwiseInverse(), .start = {}, .f_w = 0, .load = 0};
  full.start = s.w.cwiseQuotient(full.unit);
  full.f_w = s.objective(s.w);
  full.load = full.start.maxCoeff();
  const MatrixX A = full.unit.asDiagonal() * s.A * full.unit.asDiagonal();  // of unit diagonal
  const VectorX b = full.unit.cwiseProduct(s.b);
  MatrixX E = MatrixX::Zero(3 * n + 1, 3 * n);
  VectorX e = VectorX::Zero(3 * n + 1);
  BarrierCone& cone = full.cone;
  cone.D = MatrixX::Zero(2 * n, 3 * n);
  cone.b = VectorX::Zero(2 * n);
  cone.C = MatrixX::Zero(3 * n, 3 * n);
  int row = 0;
  double heaviest = 0;
  for (int c = 0; c < n; ++c) heaviest = std::max(heaviest, s.w[3 * c]);
  for (int c = 0; c < n; ++c) {
    const int i = 3 * c;
    for (int r = 1; r < 3; ++r) {
      if (s.closed(c) && s.has(c, r)) {
        cone.D.row(2 * c + r - 1) = A.row(i + r) / (full.unit[i + r] * std::sqrt(full.f_w));
        cone.b[2 * c + r - 1] = s.b[i + r] / std::sqrt(full.f_w);
      } else {
        cone.C(i + r, i + r) = 1;  // no such impulse
      }
    }
    if (s.closed(c)) {
      const double mu = s.problem.contacts[c].friction[0];
      cone.C.row(i) = A.row(i);
      for (int r = 0; r < 3; ++r) E(row + r, i + r) = full.unit[i + r] / heaviest * (r > 0 || mu == 0 ? 1 : mu);
      cone.cones.push_back(3);
      row += 3;
    } else {
      cone.C(i, i) = 1;
      E.row(row) = A.row(i) / full.load;
      e[row] = b[i] / full.load;
      cone.cones.push_back(1);
      ++row;
    }
    E(3 * n, i) = -full.unit[i] / heaviest;
    e[3 * n] += s.w[i] / heaviest;
  }
  E.row(row) = E.row(3 * n);
  e[row] = e[3 * n];
  cone.cones.push_back(1);
  cone.E = E.topRows(row + 1);
  cone.e = e.head(row + 1);
  return full;
}

ImpactOptions draw(std::mt19937_64& random) {
  const auto pick = [&](int a, int b) { return std::uniform_int_distribution<int>(a, b)(random); };
  ImpactOptions options;
  options.bodies = pick(1, 2);
  options.contacts = pick(1, 6);
  options.flat = pick(0, 1) == 1;
  options.level = options.flat && pick(0, 1) == 1;
  if (options.level) options.contacts += 3;
  options.mass_decades = pick(0, 3) == 0 ? 2 : 0.3;
  options.restitution = !options.level && pick(0, 3) == 0 ? -1 : 0.5 * pick(0, 2);
  return options;
}

struct Worst {
  double above = 0, below = 0, oracle_gap = 0, oracle_widening = 0, cone = 0, normal = 0, complementarity = 0, gap = 0,
         sum = 0;
  int agree = 0, idle = 0, contradictory = 0, unsolved = 0, redundant = 0, slipping = 0;
  long iterations = 0;
  int most_iterations = 0;
};

void compare_one(const Solved& s, Worst& worst) {
  // Contacts that face each other can ask for more rebound than there is room for.
  if (s.phase_one.termination != solvers::Termination::solved) {
    ++worst.contradictory;
    return;
  }
  worst.unsolved += s.phase_two.termination != solvers::Termination::solved;
  worst.iterations += s.phase_two.iterations;
  worst.most_iterations = std::max(worst.most_iterations, s.phase_two.iterations);
  const VectorX after_one = s.A * s.w + s.b, after = s.A * s.x + s.b;
  const double speed = s.b.cwiseAbs().maxCoeff();
  double load = 0, sum_w = 0, sum_x = 0;
  for (size_t c = 0; c < s.problem.contacts.size(); ++c) load = std::max(load, s.w[3 * c]);
  for (size_t c = 0; c < s.problem.contacts.size(); ++c) {
    const double x_n = s.x[3 * c], x_t = std::hypot(s.x[3 * c + 1], s.x[3 * c + 2]);
    ASSERT_GE(s.w[3 * c], 0);
    ASSERT_GE(x_n, 0);
    worst.cone = std::max(worst.cone, (x_t - s.problem.contacts[c].friction[0] * x_n) / load);
    worst.complementarity =
        std::max(worst.complementarity, std::abs(std::min(after_one[3 * c], s.A(3 * c, 3 * c) * s.w[3 * c])) / speed);
    const double kept = s.closed(static_cast<int>(c)) ? std::abs(after[3 * c] - after_one[3 * c]) : -after[3 * c];
    worst.normal = std::max(worst.normal, kept / speed);
    sum_w += s.w[3 * c];
    sum_x += x_n;
  }
  worst.sum = std::max(worst.sum, sum_x / sum_w - 1);
  worst.redundant += s.tangential.factor.null_count() > 0;
  const certify::ConeQpResidual residual =
      certify::cone_qp_residual(s.tangential.qp, s.tangential.y, s.tangential.memory.multipliers, s.reach());
  if (s.tangential.qp.constant > 0) worst.gap = std::max(worst.gap, residual.gap / s.tangential.qp.constant);
  const double start = s.objective(s.w), found = s.objective(s.x);
  if (!(start > 1e-12 * speed * speed)) {  // nothing slips, or nothing is loaded: no choice to make
    ++worst.idle;
    return;
  }
  worst.slipping += found > 1e-6 * start;
  const FullProgramme full = full_programme(s);
  const BarrierCone::Answer other = full.cone.solve(full.start, 1e-9, 1e-13);
  const double above = (found - s.objective(full.unit.cwiseProduct(other.x))) / start;
  worst.oracle_gap = std::max(worst.oracle_gap, other.gap);
  worst.oracle_widening = std::max(worst.oracle_widening, other.widening);
  worst.above = std::max(worst.above, above);
  worst.below = std::max(worst.below, -above);
  worst.agree += std::abs(above) < 1e-7;
}

TEST(ConvexOptimum, AgreesWithAnIndependentSolverOnAllImpulses) {
  std::mt19937_64 random(20090308);
  Worst worst;
  const int count = problem_count(300);
  for (int i = 0; i < count; ++i) {
    SCOPED_TRACE(i);
    compare_one(Solved(testing::random_impact(draw(random), random), {}), worst);
    if (HasFatalFailure()) return;
  }
  fmt::print(
      "{} problems: agree {}, idle {}, above {:.2e}, below {:.2e}, oracle {:.2e} {:.2e}, cone {:.2e}, normal velocity "
      "{:.2e}, phase one {:.2e}, certified gap {:.2e}, sum {:.2e}; contradictory {}, unsolved {}, redundant {}, "
      "slipping {}, iterations {:.1f} (most {})\n",
      count, worst.agree, worst.idle, worst.above, worst.below, worst.oracle_gap, worst.oracle_widening, worst.cone,
      worst.normal, worst.complementarity, worst.gap, worst.sum, worst.contradictory, worst.unsolved, worst.redundant,
      worst.slipping, static_cast<double>(worst.iterations) / count, worst.most_iterations);
  EXPECT_LT(worst.contradictory, count / 50);
  EXPECT_LE(worst.unsolved, count / 200);  // tolerance missed; the gap below still holds
  EXPECT_EQ(worst.agree + worst.idle + worst.contradictory, count);
  EXPECT_LT(worst.idle, count / 20);
  EXPECT_LT(worst.oracle_gap, 1e-8);
  EXPECT_LT(worst.oracle_widening, 1e-7);
  EXPECT_LT(worst.above, 1e-7);  // the oracle's bounds, and our tolerance of 1e-10
  EXPECT_LT(worst.below, 1e-7);
  EXPECT_LT(worst.cone, 1e-12);
  EXPECT_LT(worst.normal, 1e-9);
  EXPECT_LT(worst.complementarity, 1e-9);
  EXPECT_LT(worst.gap, 1e-6);  // a bound, with room for all load at every contact
  EXPECT_GT(worst.redundant, count / 10);
  EXPECT_GT(worst.slipping, count / 10);
}

// The least norm among the complementary impulses, by the other solver: minimise |w|^2 over w >= 0, A_SS w = -b_S.
TEST(ConvexOptimum, PhaseOneIsOfLeastNorm) {
  std::mt19937_64 random(5);
  int mixed = 0;
  for (int i = 0; i < 200; ++i) {
    ImpactOptions options{.bodies = 1 + i % 2, .contacts = 4 + i % 5, .flat = true};
    const Solved s(testing::random_impact(options, random), {});
    ASSERT_EQ(s.phase_one.termination, solvers::Termination::solved) << i;
    const int n = static_cast<int>(s.normal.closed.size());
    BarrierCone least{MatrixX::Identity(n, n), MatrixX::Zero(n, n), MatrixX::Identity(n, n),
                      VectorX::Zero(n),        VectorX::Zero(n),    std::vector<int>(n, 1)};
    VectorX w(n);
    double square = 0;
    for (int j = 0; j < n; ++j) {
      for (int k = 0; k < n; ++k) least.C(j, k) = s.A(3 * s.normal.closed[j], 3 * s.normal.closed[k]);
      w[j] = s.w[3 * s.normal.closed[j]];
      square += std::pow(s.w[3 * s.normal.closed[j]], 2);
    }
    least.D /= std::sqrt(square);
    const BarrierCone::Answer other = least.solve(w, 1e-9, 1e-13);
    ASSERT_LT(other.gap, 1e-9) << i;
    EXPECT_NEAR(square, other.x.squaredNorm(), 1e-8 * square) << i;
    mixed += (s.w.array() == 0).count() > 2 * static_cast<long>(s.problem.contacts.size());
  }
  EXPECT_GT(mixed, 10);  // contacts that least norm or separation leaves without impulse
}

// Least value of the programme by trying every set of active faces: all cones must have one or two rows.
double enumerate(const ConeQp& qp) {
  const int m = qp.unknowns;
  std::vector<VectorX> normals;
  std::vector<double> offsets;
  int row = 0;
  for (const int size : qp.cone_sizes) {
    const Eigen::Map<const VectorX> head(qp.row(row), m);
    for (const double sign : {1.0, -1.0}) {
      if (size == 1 && sign < 0) break;
      normals.emplace_back(head);
      offsets.push_back(qp.g[row]);
      if (size == 1) break;
      normals.back() += sign * Eigen::Map<const VectorX>(qp.row(row + 1), m);
      offsets.back() += sign * qp.g[row + 1];
    }
    row += size;
  }
  const Eigen::Map<const MatrixX> U(qp.U.data(), m, m);
  const Eigen::Map<const VectorX> v(qp.v.data(), m);
  double best = infinity;
  const int faces = static_cast<int>(normals.size());
  for (unsigned set = 0; set < (1u << faces); ++set) {
    const int k = std::popcount(set);
    if (k > m) continue;
    MatrixX K = MatrixX::Zero(m + k, m + k);
    VectorX right = VectorX::Zero(m + k);
    K.topLeftCorner(m, m) = U;
    right.head(m) = -v;
    for (int i = 0, at = m; i < faces; ++i) {
      if (!(set >> i & 1)) continue;
      K.block(0, at, m, 1) = normals[i];
      K.block(at, 0, 1, m) = normals[i].transpose();
      right[at++] = -offsets[i];
    }
    const VectorX y = K.completeOrthogonalDecomposition().solve(right).head(m);
    bool inside = true;
    for (int i = 0; i < faces; ++i) inside = inside && normals[i].dot(y) + offsets[i] >= -1e-9;
    if (inside) best = std::min(best, qp.constant + v.dot(y) + 0.5 * y.dot(U * y));
  }
  return best;
}

TEST(ConvexOptimum, AgreesWithEnumerationForOneToThreeContacts) {
  std::mt19937_64 random(7);
  int bound = 0;
  const int count = problem_count(300);
  for (int i = 0; i < count; ++i) {
    ImpactOptions options{.bodies = 1, .contacts = 1 + i % 3, .flat = i % 2 == 0, .one_tangent = true};
    const Solved s(testing::random_impact(options, random), {});
    const ConeQp& qp = s.tangential.qp;
    if (qp.unknowns == 0) continue;
    const certify::ConeQpResidual residual =
        certify::cone_qp_residual(qp, s.tangential.y, s.tangential.memory.multipliers, s.reach());
    EXPECT_NEAR(residual.objective, enumerate(qp), 1e-8 * qp.constant) << i;
    bound += residual.objective > 1e-6 * qp.constant;
  }
  EXPECT_GT(bound, count / 6);
}

}  // namespace
}  // namespace stiction
