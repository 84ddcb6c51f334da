// A step's contacts of free bodies straight into lanes: the answer and its residual are what the certificate says.
#define STICTION_ALLOCATION_COUNTER_IS_ELSEWHERE
#include "support/allocation_counter.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

#include "stiction/certify/step_certificate.h"
#include "stiction/math/linear/quad.h"
#include "stiction/solvers/friction/body/lanes/free_lanes.h"
#include "support/random_impacts.h"

namespace stiction::solvers {
namespace {

constexpr double h = 0.01;

// Bodies that come down on each other and on the ground, up to seven points to a pair, some apart and some overlapping.
struct Pile {
  StepProblem step;
  std::vector<int> trees, contacts;

  Pile(unsigned seed, int bodies, double deepest = 1e-4, int most_points = 7) {
    std::mt19937_64 random(seed);
    const stiction::testing::ImpactOptions options{.bodies = bodies, .mass_decades = 0.2};
    stiction::testing::detail::ImpactBuilder build{options, random};
    build.problem.step = h;
    for (int b = 0; b < bodies; ++b) build.add_body();
    for (int b = 0; b < bodies; ++b) add_pairs(build, b, most_points);
    add_velocities(build, deepest);
    step = build.problem;
    trees.resize(step.trees.size());
    contacts.resize(step.contacts.size());
    std::iota(trees.begin(), trees.end(), 0);
    std::iota(contacts.begin(), contacts.end(), 0);
  }

 private:
  // One or two below each body.
  static void add_pairs(stiction::testing::detail::ImpactBuilder& build, int body, int most_points) {
    for (int pair = 0; pair < 2; ++pair) {
      const int below = body < 3 || pair == 1 ? body - 3 : body - 1;
      const Vector3 normal = build.vector() + Vector3(0, 0, 2);
      const int points = 1 + static_cast<int>(build.uniform(0, most_points - 0.01));
      for (int k = 0; k < points; ++k)
        build.add_contact(std::max(below, -1), body, normal, build.vector(), build.vector());
    }
  }

  static void add_velocities(stiction::testing::detail::ImpactBuilder& build, double deepest) {
    StepProblem& step = build.problem;
    step.normal_law = NormalLaw::gap;
    const auto count = static_cast<int>(6 * step.trees.size());
    step.v_start.resize(count), step.external_impulse.resize(count);
    for (int i = 0; i < count; ++i) step.v_start[i] = 0.3 * build.uniform(-1, 1);
    for (size_t b = 0; b < step.trees.size(); ++b) {
      const auto M = step.mass_block(static_cast<int>(b));
      Vector6 load = Vector6::Zero();
      load[2] = -9.81 * h * M(2, 2);
      step.external_impulse.segment<6>(static_cast<int>(6 * b)) = load;
    }
    step.v_free = step.v_start;
    for (int i = 0; i < count; ++i) {
      step.v_free[i] += step.external_impulse[i] / step.mass_block(i / 6)(i % 6, i % 6);
    }
    for (ContactRows& contact : step.contacts) {
      contact.friction = {build.uniform(0.2, 1), build.uniform(0.2, 1)};
      contact.restitution = 0;
      contact.gap = build.uniform(-deepest, 4e-4);
      contact.normal_bias = std::max(contact.gap, 0.0) / h;
      contact.surface = {0, build.uniform(-0.1, 0.1), 0, 0};
    }
  }
};

struct Solved {
  SolveReport report;
  StepAnswer answer;
  certify::StepCertificate certificate;
};

StepAnswer nothing(const StepProblem& step) {
  return {
      .v_end = step.v_free, .impulse = VectorX::Zero(step.row_count), .position = VectorX::Zero(step.v_free.size())};
}

void judge(const FreeLanes& lanes, const Pile& pile, Solved& found) {
  found.answer = nothing(pile.step);
  lanes.write(pile.step, found.answer);
  certify::CertifyWorkspace workspace;
  found.certificate = certify::certify_step(pile.step, found.answer, workspace);
}

Solved solve(FreeLanes& lanes, const Pile& pile, const FreeLaneOptions& options, const StepAnswer* guess = nullptr) {
  EXPECT_TRUE(lanes.take(pile.step, pile.trees, pile.contacts));
  for (size_t c = 0; guess != nullptr && c < pile.contacts.size(); ++c) lanes.start_from(c, &guess->impulse[3 * c]);
  lanes.measure();
  Solved found;
  found.report = lanes.solve(options);
  judge(lanes, pile, found);
  return found;
}

// Sweeps that gain nothing any more end, and go on from there when they are asked again.
Solved solve_to(double tolerance, FreeLanes& lanes, const Pile& pile) {
  Solved found = solve(lanes, pile, {.guess_tolerance = 0, .sweeps = 10});
  for (int k = 0; k < 300 && found.report.residual > tolerance; ++k) {
    found.report = lanes.solve({.tolerance = tolerance, .guess_tolerance = 0});
  }
  judge(lanes, pile, found);
  return found;
}

TEST(FreeLanes, SweepsEndAtTheAnswer) {
  int solved = 0;
  for (unsigned seed = 1; seed <= 10; ++seed) {
    FreeLanes lanes;
    const Solved found = solve_to(1e-4, lanes, Pile(seed, 12, 1e-4, 2));
    solved += found.certificate.normal <= 1e-4 && found.certificate.friction <= 1e-4 ? 1 : 0;
  }
  EXPECT_GE(solved, 9);  // sweeps may circle
}

// However far from an answer: the certificate is computed by other code, from the step and its answer alone. To bodies
// that overlap it forgives a slower recovery.
TEST(FreeLanes, TheResidualIsThatOfTheCertificate) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    for (const int sweeps : {1, 3, 10}) {
      for (const double deepest : {0.0, 1e-4}) {
        FreeLanes lanes;
        const Solved found =
            solve(lanes, Pile(seed, 24, deepest), {.tolerance = 1e-8, .guess_tolerance = 0, .sweeps = sweeps});
        const double certified = std::max(found.certificate.normal, found.certificate.friction);
        EXPECT_GT(certified, 1e-6);
        EXPECT_LT(certified, (1 + 1e-9) * found.report.residual) << seed << ' ' << sweeps;
        EXPECT_LT(found.certificate.momentum, 1e-12);
        EXPECT_LT(found.certificate.cone, 1e-12);
        if (deepest > 0) continue;
        EXPECT_GT(certified, (1 - 1e-9) * found.report.residual) << seed << ' ' << sweeps;
      }
    }
  }
}

TEST(FreeLanes, AnAnswerIsAGuessThatIsTaken) {
  const Pile pile(3, 12, 1e-4, 2);
  FreeLanes lanes;
  const Solved found = solve_to(1e-4, lanes, pile);
  ASSERT_LE(found.report.residual, 1e-4);
  const Solved again = solve(lanes, pile, {.tolerance = 1e-4, .guess_tolerance = 1e-4, .sweeps = 100}, &found.answer);
  EXPECT_TRUE(again.report.warm_started);
  EXPECT_EQ(again.report.iterations, 0);
  EXPECT_LT((again.answer.v_end - found.answer.v_end).lpNorm<Eigen::Infinity>(), 1e-13);
  const Solved from_nothing = solve(lanes, pile, {.tolerance = 1e-4, .guess_tolerance = 1e-4, .sweeps = 100});
  EXPECT_FALSE(from_nothing.report.warm_started);
}

TEST(FreeLanes, TheSameBitsWithNarrowRegistersAndInUsedMemory) {
  const bool wide = use_wide_registers;
  FreeLanes used;
  for (unsigned seed = 1; seed <= 5; ++seed) {
    const Pile pile(seed, 24);
    std::array<Solved, 3> runs;
    VectorX moved[3];
    for (int i = 0; i < 3; ++i) {
      FreeLanes fresh;
      FreeLanes& lanes = i == 1 ? used : fresh;
      use_wide_registers = i == 2 ? false : wide;
      runs[i] = solve(lanes, pile, {.tolerance = 1e-8, .sweeps = 25});
      moved[i] = VectorX::Zero(pile.step.v_free.size());
      lanes.push_apart({.gap_share = 1 / h}, moved[i]);
      use_wide_registers = wide;
    }
    for (int i = 1; i < 3; ++i) {
      EXPECT_EQ(runs[0].report.residual, runs[i].report.residual);
      EXPECT_EQ(runs[0].answer.v_end, runs[i].answer.v_end);
      EXPECT_EQ(runs[0].answer.impulse, runs[i].answer.impulse);
      EXPECT_EQ(moved[0], moved[i]);
    }
  }
}

double normal_rate(const StepProblem& step, const VectorX& v, int contact) {
  const RowBlock& block = step.blocks[step.contacts[contact].block];
  double u = 0;
  for (int side = 0; side < 2; ++side) {
    if (block.tree[side] < 0) continue;
    u += step.jacobian_block(step.contacts[contact].block, side).row(0).dot(v.segment<6>(6 * block.tree[side]));
  }
  return u;
}

// Those that overlap leave at the depth over the step, less what they rest at, or at the speed that is allowed; nobody
// is pulled, and what already leaves is not pushed.
TEST(FreeLanes, PushesPartWhatOverlaps) {
  const Pile pile(5, 12);
  FreeLanes lanes;
  const Solved found = solve(lanes, pile, {.tolerance = 1e-6, .sweeps = 2000});
  const double max_speed = 4e-3, rest = 1e-5;
  VectorX moved = VectorX::Zero(pile.step.v_free.size());
  ASSERT_TRUE(
      lanes.push_apart({.resting_overlap = rest, .max_speed = max_speed, .gap_share = 1 / h, .sweeps = 5000}, moved));
  int pushed = 0, capped = 0;
  for (size_t c = 0; c < pile.contacts.size(); ++c) {
    const double gap = pile.step.contacts[c].gap, end = normal_rate(pile.step, found.answer.v_end, static_cast<int>(c));
    const bool rests = std::abs(gap) <= rest && found.answer.impulse[3 * static_cast<int>(c)] > 0;
    const double wanted = rests         ? -(std::min(gap, 0.0) + rest) / h  // it may settle
                          : gap < -rest ? std::min(max_speed, -(gap + rest) / h)
                                        : 0.0;
    // Contacts that are apart may close to their gap; here none of them is let come nearer than v_end lets it.
    const double least = wanted - std::max(end + std::max(gap, 0.0) / h, 0.0);
    EXPECT_GT(normal_rate(pile.step, moved, static_cast<int>(c)), least - 1e-7) << c;
    pushed += wanted > 0 ? 1 : 0;
    capped += wanted == max_speed ? 1 : 0;
  }
  EXPECT_GT(pushed, 5);
  EXPECT_GT(capped, 2);
  VectorX still = VectorX::Zero(moved.size());
  EXPECT_FALSE(lanes.push_apart({.least_overlap = 1, .gap_share = 1 / h}, still));
  EXPECT_EQ(still, VectorX::Zero(moved.size()));
}

TEST(FreeLanes, OtherLawsAreLeftToOthers) {
  const Pile pile(1, 12);
  FreeLanes lanes;
  EXPECT_TRUE(lanes.take(pile.step, pile.trees, pile.contacts));
  const auto refused = [&](auto&& change) {
    Pile other = pile;
    change(other.step);
    return !lanes.take(other.step, other.trees, other.contacts);
  };
  EXPECT_TRUE(refused([](StepProblem& step) { step.contacts[3].friction = {0.5, 0}; }));
  EXPECT_TRUE(refused([](StepProblem& step) { step.contacts[3].rolling = 0; }));
  EXPECT_TRUE(refused([](StepProblem& step) { step.contacts[3].layers = {0, -1}; }));
  EXPECT_TRUE(refused([](StepProblem& step) { step.blocks[3].row_count = 4; }));
  EXPECT_TRUE(refused([](StepProblem& step) { step.trees[2].size = 5; }));
  EXPECT_TRUE(refused([](StepProblem& step) { step.normal_law = NormalLaw::rate; }));
  EXPECT_TRUE(refused([](StepProblem& step) { step.mass[36 * 2 + 3] = step.mass[36 * 2 + 18] = 0.01; }));
}

// A row of bodies from one end to the other, and the same bodies in a square.
TEST(FreeLanes, NarrowIslandsAreCheapToEliminate) {
  const auto work = [](int wide, int long_) {
    std::mt19937_64 random(1);
    const stiction::testing::ImpactOptions options{};
    stiction::testing::detail::ImpactBuilder build{options, random};
    for (int b = 0; b < wide * long_; ++b) build.add_body();
    for (int b = 0; b < wide * long_; ++b) {
      if (b % long_ > 0) build.add_contact(b - 1, b, Vector3::UnitX(), build.vector(), build.vector());
      if (b >= long_) build.add_contact(b - long_, b, Vector3::UnitY(), build.vector(), build.vector());
    }
    StepProblem& step = build.problem;
    step.normal_law = NormalLaw::gap;
    step.v_start = step.v_free = VectorX::Zero(static_cast<int>(6 * step.trees.size()));
    for (ContactRows& contact : step.contacts) contact.friction = {0.5, 0.5};
    std::vector<int> trees(step.trees.size()), contacts(step.contacts.size());
    std::iota(trees.begin(), trees.end(), 0);
    std::iota(contacts.begin(), contacts.end(), 0);
    FreeLanes lanes;
    EXPECT_TRUE(lanes.take(step, trees, contacts));
    return lanes.elimination_work();
  };
  EXPECT_NEAR(work(1, 100), 216.0 * (100 / 3.0 + 99) / 99, 1e-9);
  EXPECT_GT(work(20, 20), 30 * work(1, 400));
}

TEST(FreeLanes, AllocatesOnlyForMoreThanEver) {
  if (!STICTION_COUNTS_ALLOCATIONS) GTEST_SKIP() << "a sanitizer owns malloc";
  FreeLanes lanes;
  const Pile large(1, 40), small(2, 30);
  for (const Pile* pile : {&large, &small}) solve(lanes, *pile, {.sweeps = 20});
  StepAnswer answer = nothing(small.step);
  const auto take_step = [&] {
    lanes.take(small.step, small.trees, small.contacts);
    lanes.measure();
    lanes.solve({.sweeps = 20});
    lanes.elimination_work();
    lanes.write(small.step, answer);
    lanes.push_apart({.gap_share = 1 / h}, answer.position);
  };
  take_step();
  EXPECT_EQ(stiction::testing::allocations_during(take_step), 0);
}

}  // namespace
}  // namespace stiction::solvers
