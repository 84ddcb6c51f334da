// Each constraint is judged by the motion of its own bodies: what is fast, heavy or spinning elsewhere hides nothing.
#include <cmath>

#include <gtest/gtest.h>

#include "stiction/certify/step_certificate.h"

namespace stiction::certify {
namespace {

constexpr double h = 0.01, g = 9.81;

StepCertificate certify(const StepProblem& problem, const StepAnswer& answer) {
  CertifyWorkspace workspace;
  return certify_step(problem, answer, workspace);
}

// Particles of which velocity i is along x (or up): one contact of one row for each pair (a, b), n from a to b; -1
// is the ground, or a wall.
struct Beads {
  StepProblem problem;
  StepAnswer answer;

  explicit Beads(const std::vector<double>& masses) {
    problem.step = h;
    for (int i = 0; i < static_cast<int>(masses.size()); ++i) problem.trees.push_back({i, 1, i});
    problem.mass = masses;
    problem.v_start = problem.v_free = problem.external_impulse = VectorX::Zero(static_cast<int>(masses.size()));
  }
  void load(int bead, double acceleration) {
    problem.external_impulse[bead] = problem.mass[bead] * acceleration * h;
    problem.v_free[bead] = problem.v_start[bead] + acceleration * h;
  }
  void start(int bead, double v) {
    problem.v_start[bead] = v;
    problem.v_free[bead] = v + problem.external_impulse[bead] / problem.mass[bead];
  }
  void touch(int a, int b, double impulse) {
    const int row = problem.row_count++, offset = static_cast<int>(problem.jacobian.size());
    problem.blocks.push_back({row, 1, {a, b}, {offset, a < 0 ? offset : offset + 1}});
    if (a >= 0) problem.jacobian.push_back(-1);
    if (b >= 0) problem.jacobian.push_back(1);
    ContactRows contact;
    contact.block = row;
    problem.contacts.push_back(contact);
    answer.impulse.conservativeResize(row + 1);
    answer.impulse[row] = impulse;
  }
  StepCertificate judge() {
    answer.v_end = problem.v_free;
    for (const RowBlock& block : problem.blocks) {
      for (int side = 0; side < 2; ++side) {
        if (block.tree[side] < 0) continue;
        const double J = problem.jacobian[block.offset[side]];
        answer.v_end[block.tree[side]] += J * answer.impulse[block.first_row] / problem.mass[block.tree[side]];
      }
    }
    return certify(problem, answer);
  }
};

TEST(CertificateScale, WhatSinksBesideSomethingFastShows) {
  Beads beads({1.0, 1000.0});
  beads.load(0, -g);
  beads.start(1, -10);  // stopped by the ground, rightly
  beads.touch(-1, 0, 0.999 * g * h);
  beads.touch(-1, 1, 1000 * 10);
  EXPECT_NEAR(beads.judge().normal, 1e-3, 1e-12);  // of its own weight, not of 10 m/s
}

TEST(CertificateScale, WhatRestsOnAnotherBodyIsJudgedByItsOwnLoad) {
  // Both fall alike, so that the contact between them sees no velocity without impulses.
  Beads beads({1.0, 1.0});
  beads.load(0, -g);
  beads.load(1, -g);
  beads.touch(-1, 0, 2 * g * h);
  beads.touch(0, 1, g * h);
  EXPECT_LT(beads.judge().worst(), 1e-12);
  beads.answer.impulse[1] = 0.999 * g * h;
  beads.answer.impulse[0] = 1.999 * g * h;
  // The upper one falls at 1e-3 g h; W_nn p_n = 2 g h between them is more than their loads do, and no more than that
  // counts as the fastest motion of the step.
  EXPECT_NEAR(beads.judge().normal, 1e-3, 1e-12);
}

TEST(CertificateScale, ABodyThatPassesABlowOnIsJudgedByTheBlow) {
  // Three equal beads in a row against a wall, nothing but the first in motion: all stop.
  Beads beads({1.0, 1.0, 1.0});
  beads.start(0, 2);
  beads.touch(0, 1, 2);
  beads.touch(1, 2, 2);
  beads.touch(2, -1, 2);
  EXPECT_LT(beads.judge().worst(), 1e-12);
  beads.answer.impulse[2] = 2 - 2e-6;  // rounding of a blow, not of nothing
  EXPECT_NEAR(beads.judge().normal, 1e-6, 1e-12);
}

TEST(CertificateScale, WhatNothingMovesIsJudgedByAShareOfTheFastest) {
  Beads beads({1.0, 1.0});
  beads.start(0, -1e-9);
  beads.start(1, -10);
  beads.touch(-1, 0, 0);
  beads.touch(-1, 1, 10);
  EXPECT_NEAR(beads.judge().normal, 1e-9 / (1e-3 * 10), 1e-12);
}

TEST(CertificateScale, AJamSetsNoScaleOfItsOwn) {
  // A bead between two walls that press it with any force: W p may be as large as it likes.
  Beads beads({1.0});
  beads.load(0, -g);
  beads.touch(-1, 0, 1e6);
  beads.touch(0, -1, 1e6 - 0.999 * g * h);
  EXPECT_NEAR(beads.judge().normal, 1e-3, 1e-6);
}

// A disc with velocities (up, along x, along y, spin), mass and moment of inertia 1, on the ground.
struct Disc {
  StepProblem problem;
  StepAnswer answer;

  Disc(double slide, double spin) {
    problem.step = h;
    problem.trees = {{0, 4, 0}};
    const MatrixX M = MatrixX::Identity(4, 4);
    problem.mass.assign(M.data(), M.data() + 16);
    problem.v_start = Vector4(0, slide, 0, spin);
    problem.external_impulse = Vector4(-g * h, 0, 0, 0);
    problem.v_free = problem.v_start + problem.external_impulse;
    problem.blocks = {{0, 4, {0, -1}, {0, 0}}};
    const RowMatrixX J = RowMatrixX::Identity(4, 4);
    problem.jacobian.assign(J.data(), J.data() + 16);
    problem.row_count = 4;
    ContactRows contact;
    contact.friction = {0.5, 0.5};
    contact.torsion = 0.02;
    problem.contacts = {contact};
  }
  StepCertificate judge(const Vector4& impulse) {
    answer.impulse = impulse;
    answer.v_end = problem.v_free + impulse;
    return certify(problem, answer);
  }
};

TEST(CertificateScale, SpinDoesNotHideFrictionThatIsWrong) {
  Disc disc(1e-3, 5000);
  const double p = g * h;
  // Friction almost wholly against the spin: the slip of 1 mm/s takes its share of 1e-3 over 0.04 * 5000.
  const Vector4 wrong(p, -0.5 * p, 0, 0);  // all of it against the slip
  EXPECT_GT(disc.judge(wrong).friction, 0.1);
  const Vector4 none(p, 0, 0, 0);
  EXPECT_GT(disc.judge(none).friction, 1e-6);
}

TEST(CertificateScale, SpinIsJudgedBySpin) {
  Disc disc(0, 5000);
  const double p = g * h;
  EXPECT_LT(disc.judge({p, 0, 0, -0.02 * p}).worst(), 1e-12);
  EXPECT_GT(disc.judge({p, 0, 0, 0}).friction, 1e-4);  // no torsion at all: 0.5 p / rho over 0.04 * 5000 m/s
  EXPECT_LT(disc.judge({p, 0, 0, 0}).normal, 1e-12);
}

}  // namespace
}  // namespace stiction::certify
