// Three rows of a free body are measured by a kernel of their own: what it finds is what the code for any tree finds.
#include <gtest/gtest.h>

#include "stiction/certify/certificate_values.h"
#include "stiction/certify/step_certificate.h"
#include "stiction/math/linear/quad.h"
#include "support/random_impacts.h"

namespace stiction::certify {
namespace {

struct Judged {
  StepProblem step;
  StepAnswer answer;

  StepCertificate certificate() const {
    CertifyWorkspace workspace;
    return certify_step(step, answer, workspace);
  }
};

// Bodies at random, and an answer that is far from right.
Judged random_step(unsigned seed) {
  std::mt19937_64 random(seed);
  Judged judged;
  judged.step = testing::random_impact({.bodies = 6, .contacts = 25, .mass_decades = 1}, random);
  judged.step.external_impulse = VectorX::Random(judged.step.v_free.size());
  judged.answer.v_end = judged.step.v_free + 0.3 * VectorX::Random(judged.step.v_free.size());
  judged.answer.impulse = VectorX::Random(judged.step.row_count);
  return judged;
}

// The same with a seventh velocity of each body that no row touches.
Judged with_another_velocity(const Judged& from) {
  Judged to = from;
  StepProblem& step = to.step;
  const auto trees = static_cast<int>(step.trees.size());
  const auto widen = [&](const VectorX& v) {
    VectorX wide = VectorX::Zero(7 * trees);
    for (int t = 0; t < trees; ++t) wide.segment<6>(7 * t) = v.segment<6>(6 * t);
    return wide;
  };
  for (VectorX* v : {&step.v_start, &step.v_free, &step.external_impulse, &to.answer.v_end}) *v = widen(*v);
  step.mass.clear();
  for (int t = 0; t < trees; ++t) {
    MatrixX M = MatrixX::Identity(7, 7);
    M.topLeftCorner(6, 6) = from.step.mass_block(t);
    step.mass.insert(step.mass.end(), M.data(), M.data() + M.size());
    step.trees[t] = {7 * t, 7, 49 * t};
  }
  step.jacobian.clear();
  for (size_t b = 0; b < step.blocks.size(); ++b) {
    for (int side = 0; side < 2; ++side) {
      if (step.blocks[b].tree[side] < 0) continue;
      RowMatrixX J = RowMatrixX::Zero(3, 7);
      J.leftCols(6) = from.step.jacobian_block(static_cast<int>(b), side);
      step.blocks[b].offset[side] = static_cast<int>(step.jacobian.size());
      step.jacobian.insert(step.jacobian.end(), J.data(), J.data() + J.size());
    }
  }
  return to;
}

TEST(ThreeRows, AsOfAnyTree) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const Judged judged = random_step(seed);
    const StepCertificate found = judged.certificate(), expected = with_another_velocity(judged).certificate();
    EXPECT_GT(found.friction, 1e-3);
    for (const CertificateValue& value : certificate_values) {
      EXPECT_NEAR(found.*value.member, expected.*value.member, 1e-11 * (1 + expected.*value.member)) << value.name;
    }
  }
}

TEST(ThreeRows, TheSameBitsWithNarrowRegisters) {
  const bool wide = use_wide_registers;
  for (unsigned seed = 1; seed <= 10; ++seed) {
    const Judged judged = seed % 2 == 0 ? random_step(seed) : with_another_velocity(random_step(seed));
    const StepCertificate with = judged.certificate();
    use_wide_registers = false;
    const StepCertificate without = judged.certificate();
    use_wide_registers = wide;
    for (const CertificateValue& value : certificate_values) {
      EXPECT_EQ(with.*value.member, without.*value.member) << value.name;
    }
  }
}

TEST(ThreeRows, WhatIsNoNumberShows) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const int what : {0, 1, 2, 3}) {
    for (const bool on_trees : {false, true}) {
      Judged judged = on_trees ? with_another_velocity(random_step(4)) : random_step(4);
      const std::array<double*, 4> places = {&judged.step.v_start[3], &judged.step.v_free[3], &judged.step.jacobian[7],
                                             &judged.answer.v_end[2]};
      *places[what] = nan;
      EXPECT_EQ(judged.certificate().worst(), infinity) << what;
    }
  }
}

}  // namespace
}  // namespace stiction::certify
