// Both phases of convex-impulse on random impacts with redundant contacts and restitution, against independent solutions:
// an alternating direction method on all impulses with the equations as they stand, and enumeration of active sets.
#include <bit>
#include <cstdlib>

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "stiction/certify/cone_qp_residual.h"
#include "stiction/methods/convex_impulse.h"
#include "stiction/methods/tangential_impulses.h"
#include "support/admm_cone.h"
#include "support/box_stack.h"
#include "support/random_impacts.h"

namespace stiction {
namespace {

using methods::ConvexImpulseOptions;
using testing::AdmmCone;
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
  VectorX w, x;  // impulses of phase one and of phase two, one a row of the step problem

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
    methods::IslandRows local;
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

// The programme of phase two over x, straight from the paper: rows, equations and cones by contact.
AdmmCone full_programme(const Solved& s) {
  const int n = static_cast<int>(s.problem.contacts.size());
  AdmmCone cone;
  MatrixX D = MatrixX::Zero(2 * n, 3 * n), C = MatrixX::Zero(3 * n, 3 * n), E = MatrixX::Zero(3 * n + 1, 3 * n);
  VectorX u_T = VectorX::Zero(2 * n), e = VectorX::Zero(3 * n + 1), d = VectorX::Zero(3 * n);
  int row = 0;
  for (int c = 0; c < n; ++c) {
    const double mu = s.problem.contacts[c].friction[0];
    const bool closed = s.closed(c);
    for (int r = 1; r < 3; ++r) {
      if (closed && s.has(c, r)) {
        D.row(2 * c + r - 1) = s.A.row(3 * c + r);
        u_T[2 * c + r - 1] = s.b[3 * c + r];
      } else {
        C(3 * c + r, 3 * c + r) = 1;  // no such impulse
      }
    }
    if (closed) {
      C.row(3 * c) = s.A.row(3 * c) / s.A(3 * c, 3 * c);
      d[3 * c] = C.row(3 * c).dot(s.w);
      E(row, 3 * c) = mu;
      E(row + 1, 3 * c + 1) = E(row + 2, 3 * c + 2) = 1;
      if (mu == 0) E(row, 3 * c) = 1;
      cone.cones.push_back(3);
      row += 3;
    } else {
      C(3 * c, 3 * c) = 1;
      E.row(row) = s.A.row(3 * c) / s.A(3 * c, 3 * c);
      e[row] = s.b[3 * c] / s.A(3 * c, 3 * c);
      cone.cones.push_back(1);
      ++row;
    }
    E(3 * n, 3 * c) = -1;
    e[3 * n] += s.w[3 * c];
  }
  E.row(row) = E.row(3 * n);
  e[row] = e[3 * n];
  cone.cones.push_back(1);
  cone.E = E.topRows(row + 1);
  cone.e = e.head(row + 1);
  cone.P = D.transpose() * D;
  cone.p = D.transpose() * u_T;
  cone.C = C;
  cone.d = d;
  return cone;
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
  double above = 0, cone = 0, normal = 0, complementarity = 0, gap = 0, sum = 0;
  int agree = 0, contradictory = 0, unsolved = 0, uncompared = 0, redundant = 0, slipping = 0;
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
      certify::cone_qp_residual(s.tangential.qp, s.tangential.y, s.tangential.memory.multipliers);
  const double scale = s.tangential.qp.constant;
  if (scale > 0) worst.gap = std::max(worst.gap, (residual.gap + residual.dual) / scale);
  const double start = s.objective(s.w), found = s.objective(s.x);
  if (!(start > 1e-12 * speed * speed)) return;
  worst.slipping += found > 1e-6 * start;
  double left = 0;
  const VectorX other = full_programme(s).solve(50000, 1e-10, left);
  if (left > 1e-9) {
    ++worst.uncompared;
    return;
  }
  const double above = (found - s.objective(other)) / start;
  worst.above = std::max(worst.above, above);
  worst.agree += std::abs(above) < 1e-6;
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
      "{} problems: agree {}, above {:.2e}, cone {:.2e}, normal velocity {:.2e}, phase one {:.2e}, certified gap "
      "{:.2e}, sum "
      "{:.2e}; contradictory {}, unsolved {}, not compared {}, redundant {}, slipping {}, iterations {:.1f} (most "
      "{})\n",
      count, worst.agree, worst.above, worst.cone, worst.normal, worst.complementarity, worst.gap, worst.sum,
      worst.contradictory, worst.unsolved, worst.uncompared, worst.redundant, worst.slipping,
      static_cast<double>(worst.iterations) / count, worst.most_iterations);
  EXPECT_LT(worst.contradictory, count / 50);
  EXPECT_LE(worst.unsolved, count / 200);  // tolerance missed; the gap below still holds
  // The alternating directions crawl on some problems and end above the minimum there. They never end below it, and weak
  // duality bounds from below what they do not.
  EXPECT_GE(worst.agree, count * 9 / 10);
  EXPECT_LT(worst.above, 1e-6);  // what a change of 1e-9 in their last step leaves
  EXPECT_LT(worst.cone, 1e-12);
  EXPECT_LT(worst.normal, 1e-9);
  EXPECT_LT(worst.complementarity, 1e-9);
  EXPECT_LT(worst.gap, 1e-8);
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
    AdmmCone least{MatrixX::Identity(n, n), MatrixX::Zero(n, n), MatrixX::Identity(n, n), VectorX::Zero(n),
                   VectorX::Zero(n),        VectorX::Zero(n),    std::vector<int>(n, 1)};
    double square = 0;
    for (int j = 0; j < n; ++j) {
      for (int k = 0; k < n; ++k) least.C(j, k) = s.A(3 * s.normal.closed[j], 3 * s.normal.closed[k]);
      least.d[j] = -s.b[3 * s.normal.closed[j]];
      square += std::pow(s.w[3 * s.normal.closed[j]], 2);
    }
    double left = 0;
    const VectorX other = least.solve(20000, 1e-11, left);
    ASSERT_LT(left, 1e-7) << i;
    EXPECT_NEAR(square, other.squaredNorm(), 1e-7 * square) << i;
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
  for (int i = 0; i < 300; ++i) {
    ImpactOptions options{.bodies = 1, .contacts = 1 + i % 3, .flat = i % 2 == 0, .one_tangent = true};
    const Solved s(testing::random_impact(options, random), {});
    const ConeQp& qp = s.tangential.qp;
    if (qp.unknowns == 0) continue;
    const certify::ConeQpResidual residual = certify::cone_qp_residual(qp, s.tangential.y);
    EXPECT_NEAR(residual.objective, enumerate(qp), 1e-8 * qp.constant) << i;
    bound += residual.objective > 1e-6 * qp.constant;
  }
  EXPECT_GT(bound, 50);
}

}  // namespace
}  // namespace stiction
