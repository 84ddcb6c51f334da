// Contacts in lanes: each visit obeys the law, lanes do not disturb each other, and pushes part what overlaps.
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "stiction/math/linear/quad.h"
#include "stiction/solvers/friction/body/body_sweeps.h"
#include "support/random_bodies.h"

namespace stiction::solvers {
namespace {

using stiction::testing::random_bodies;
using stiction::testing::RandomBodies;

constexpr double slip_accuracy = 1e-12;

BodySystem system_of(const BodyFrictionProblem& problem) {
  BodySystem system;
  EXPECT_TRUE(make_body_system(problem, system));
  return system;
}

BodySystem pile(unsigned seed, int bodies = 12, int contacts = 60) {
  return system_of(random_bodies({.bodies = bodies, .contacts = contacts, .mass_ratio = 2, .every_law = false}, seed));
}

struct Swept {
  std::vector<double> z, x;
  double change = 0;
};

// That many sweeps from nothing.
Swept sweep(const BodySystem& system, int count, double momentum = 0) {
  ConeLanes lanes;
  lanes.prepare(system);
  EXPECT_FALSE(lanes.empty());
  Swept result{std::vector<double>(system.row_count, 0.0),
               std::vector<double>(system.velocity_count + ConeLanes::spare, 0.0)};
  lanes.load(result.z.data());
  std::vector<double> before = result.x;
  for (int k = 0; k < count; ++k) {
    const std::vector<double> now = result.x;
    for (size_t i = 0; i < now.size(); ++i) result.x[i] += momentum * (now[i] - before[i]);
    before = now;
    result.change = lanes.sweep(momentum, slip_accuracy, result.x.data());
  }
  lanes.store(result.z.data());
  return result;
}

double residual_of(const BodySystem& system, const std::vector<double>& z) {
  std::vector<double> x(system.velocity_count), u(system.row_count);
  velocity_of(system, z.data(), x.data());
  all_velocities(system, x.data(), u.data());
  return body_residual(system, z.data(), u.data());
}

struct SweepsRun {
  std::vector<double> z;
  double residual = 0;
  int sweeps = 0;
};

// BodySweeps from nothing.
SweepsRun run_sweeps(const BodySystem& system, int most, double tolerance) {
  BodySweeps sweeps;
  sweeps.prepare(system);
  BodyProgress progress;
  progress.tolerance = progress.polished = tolerance;
  progress.best.resize(system.row_count);
  SweepsRun result{std::vector<double>(system.row_count, 0.0)};
  result.residual = sweeps.run(system, most, progress, result.z);
  result.sweeps = progress.sweeps;
  return result;
}

// Ground contacts of bodies of their own: one visit is the answer, whether they part, stick or slip.
TEST(ConeLanes, AVisitObeysTheLaw) {
  BodyFrictionProblem all;
  int open = 0, slipping = 0, sticking = 0;
  for (unsigned seed = 1; seed <= 200; ++seed) {
    const BodyFrictionProblem one = random_bodies({.bodies = 1, .contacts = 1, .every_law = false}, seed);
    const int body = static_cast<int>(all.bodies.size());
    all.bodies.push_back({all.velocity_count(), 6, static_cast<int>(all.mass.size())});
    all.mass.insert(all.mass.end(), one.mass.begin(), one.mass.end());
    all.v_free.insert(all.v_free.end(), one.v_free.begin(), one.v_free.end());
    FrictionBlock block = one.blocks[0];
    block.first_row = all.row_count();
    all.blocks.push_back(block);
    all.sides.push_back({{body, -1}, {static_cast<int>(all.jacobian.size()), 0}});
    all.jacobian.insert(all.jacobian.end(), one.jacobian.begin(), one.jacobian.end());
    all.bias.insert(all.bias.end(), one.bias.begin(), one.bias.end());
  }
  const BodySystem system = system_of(all);
  const Swept swept = sweep(system, 1);
  EXPECT_LT(residual_of(system, swept.z), 1e-11);
  for (const SystemBlock& block : system.blocks) {
    const double *z = swept.z.data() + block.first, friction = std::hypot(z[1], z[2]);
    EXPECT_LE(friction, z[0]);
    (z[0] == 0 ? open : friction < 0.999999 * z[0] ? sticking : slipping) += 1;
  }
  EXPECT_GT(std::min({open, slipping, sticking}), 5);
}

// Four lanes write to bodies at once: two that had a body in common would lose what one of them did.
TEST(ConeLanes, VelocitiesAreThoseOfTheImpulses) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const BodySystem system = pile(seed);
    for (const double momentum : {0.0, 0.5}) {
      const Swept swept = sweep(system, 7, momentum);
      std::vector<double> x(system.velocity_count);
      velocity_of(system, swept.z.data(), x.data());
      for (int i = 0; i < system.velocity_count; ++i) EXPECT_NEAR(swept.x[i], x[i], 1e-12) << seed;
    }
  }
}

TEST(ConeLanes, SweepsEndAtTheAnswer) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const BodySystem system = pile(seed, 20, 40);
    const Swept swept = sweep(system, 2000);
    EXPECT_LT(residual_of(system, swept.z), 1e-8) << seed;
    EXPECT_LT(swept.change, 1e-16) << seed;
  }
}

TEST(ConeLanes, TheSameBitsWithNarrowRegisters) {
  const bool wide = use_wide_registers;
  for (unsigned seed = 1; seed <= 10; ++seed) {
    const BodySystem system = pile(seed);
    const Swept first = sweep(system, 5, 0.3);
    use_wide_registers = false;
    const Swept second = sweep(system, 5, 0.3);
    use_wide_registers = wide;
    EXPECT_EQ(first.z, second.z);
    EXPECT_EQ(first.x, second.x);
    EXPECT_EQ(first.change, second.change);
  }
}

// What rolls depends on the normal impulse of its contact while sweeps go on; trees and joints have other rows.
TEST(ConeLanes, OtherLawsAreLeftAlone) {
  const BodySystem system = system_of(random_bodies({.bodies = 9, .contacts = 200}, 3));
  ConeLanes lanes;
  lanes.prepare(system);
  std::vector<bool> linked(system.blocks.size(), false);
  for (const SystemBlock& block : system.blocks) {
    if (block.link >= 0) linked[block.link] = true;
  }
  int taken = 0;
  for (size_t b = 0; b < system.blocks.size(); ++b) {
    if (!lanes.takes(b)) continue;
    ++taken;
    EXPECT_TRUE(system.blocks[b].plain && system.blocks[b].kind == SystemBlock::Kind::cone);
    EXPECT_FALSE(linked[b]);
  }
  EXPECT_GT(taken, 30);
}

// With laws that are in no lane beside those that are.
TEST(BodySweeps, MixedLawsEndAtTheAnswer) {
  int solved = 0;
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const BodySystem system = system_of(random_bodies({.bodies = 12, .contacts = 40, .mass_ratio = 2}, seed));
    const SweepsRun run = run_sweeps(system, 3000, 1e-8);
    EXPECT_NEAR(run.residual, residual_of(system, run.z), 1e-12);
    solved += run.residual <= 1e-8 ? 1 : 0;
  }
  EXPECT_GE(solved, 15);  // bilateral rows that disagree have no answer
}

TEST(BodySweeps, MomentumTakesFewerSweeps) {
  int with = 0, without = 0;
  for (unsigned seed = 1; seed <= 5; ++seed) {
    const BodySystem system = pile(seed, 40, 110);
    with += run_sweeps(system, 2000, 1e-6).sweeps;
    int count = 10;
    while (count < 2000 && residual_of(system, sweep(system, count).z) > 1e-6) count += 10;
    without += count;
  }
  EXPECT_LT(with, 0.7 * without);
}

// Bodies part as far as is wanted; what is not wanted does not happen, and nobody is pulled.
TEST(ConeLanes, PushesPartWhatOverlaps) {
  const BodySystem system = pile(5, 30, 40);
  ConeLanes lanes;
  lanes.prepare(system);
  std::vector<double> wanted(system.row_count, 0.0), x(system.velocity_count + ConeLanes::spare),
      rates(system.row_count);
  lanes.push_apart(wanted.data(), 3, x.data());
  EXPECT_EQ(x, std::vector<double>(x.size(), 0.0));
  for (const SystemBlock& block : system.blocks) wanted[block.first] = block.first % 2 == 0 ? 0.1 : -0.2;
  lanes.push_apart(wanted.data(), 3000, x.data());
  all_rates(system, x.data(), rates.data());
  int exactly = 0;
  for (const SystemBlock& block : system.blocks) {
    EXPECT_GT(rates[block.first], wanted[block.first] - 1e-6);
    exactly += std::abs(rates[block.first] - wanted[block.first]) < 1e-6 ? 1 : 0;
  }
  EXPECT_GT(exactly, 5);
}

}  // namespace
}  // namespace stiction::solvers
