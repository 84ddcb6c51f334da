// Steps whose gaps and rows are those of the end, with and without compliant layers: closed forms of one particle are
// accepted, and every quantity that is changed is rejected.
#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "stiction/certify/step_certificate.h"

namespace stiction::certify {
namespace {

// Right answers carry rounding only: 1e-16 m of a deflection over h = 1e-3 s and s = 1e-2 m/s.
constexpr double accepted = 1e-10;
constexpr double step_length = 1e-3;
constexpr double body_mass = 2;
constexpr double row_weight = 1 / body_mass;  // W_ii of every row
constexpr double free_fall = 9.81;

StepCertificate certify(const StepProblem& problem, const StepAnswer& answer) {
  CertifyWorkspace workspace;
  return certify_step(problem, answer, workspace);
}

// A particle over the ground with velocities, and rows, (n, t, o).
StepProblem particle(const Vector3& v_start, double gravity = free_fall, int rows = 3) {
  StepProblem problem;
  problem.step = step_length;
  problem.normal_law = NormalLaw::end_gap;
  problem.trees = {{0, 3, 0}};
  const MatrixX M = body_mass * MatrixX::Identity(3, 3);
  problem.mass.assign(M.data(), M.data() + 9);
  problem.v_start = v_start;
  problem.external_impulse = Vector3(-gravity * body_mass * step_length, 0, 0);
  problem.v_free = v_start + problem.external_impulse / body_mass;
  problem.blocks = {{0, rows, {0, -1}, {0, 0}}};
  const RowMatrixX J = RowMatrixX::Identity(rows, 3);
  problem.jacobian.assign(J.data(), J.data() + rows * 3);
  problem.row_count = rows;
  ContactRows contact;
  contact.friction = {0.5, 0.5};
  contact.approach = v_start[0];
  problem.contacts = {contact};
  return problem;
}

// The answer of end velocity v, with the impulse that the equations of motion then have.
StepAnswer answer_of(const StepProblem& problem, const Vector3& v) {
  StepAnswer answer;
  answer.v_end = v;
  answer.impulse = (body_mass * (v - problem.v_free)).head(problem.row_count);
  return answer;
}

// Sets an impulse, and the velocity that goes with it.
void set_impulse(const StepProblem& problem, StepAnswer& answer, int row, double p) {
  answer.impulse[row] = p;
  answer.v_end[row] = problem.v_free[row] + p * row_weight;
}

struct Step {
  StepProblem problem;
  StepAnswer answer;
};

StepCertificate certify(const Step& step) {
  return certify(step.problem, step.answer);
}

// --- end_gap without layers

// Rests on the ground: p_n = m g h.
Step resting() {
  Step step = {particle(Vector3::Zero()), {}};
  step.answer = answer_of(step.problem, Vector3::Zero());
  return step;
}

TEST(EndGap, AcceptsRestAndFlight) {
  EXPECT_LT(certify(resting()).worst(), accepted);
  Step flying = {particle({1, 0, 0}), {}};
  flying.problem.contacts[0].gap = 0.02;
  flying.answer = answer_of(flying.problem, flying.problem.v_free);
  EXPECT_LT(certify(flying).worst(), accepted);
  // It fell on the ground within the step: 0.3 mm of way left, inelastic.
  Step landing = {particle({-1, 0, 0}), {}};
  landing.answer = answer_of(landing.problem, {-0.3, 0, 0});
  EXPECT_LT(certify(landing).worst(), accepted);
  EXPECT_EQ(certify(landing).energy_gain, 0);
}

TEST(EndGap, RejectsAGapUnderLoadAnOverlapAndAPull) {
  const double s = free_fall * step_length;
  for (const double gap : {1e-6, -1e-6}) {
    Step step = resting();
    step.problem.contacts[0].gap = gap;
    const StepCertificate certificate = certify(step);
    EXPECT_NEAR(certificate.normal, 1e-6 / step_length / s, 1e-9);
    EXPECT_EQ(certificate.penetration, gap < 0 ? 1e-6 : 0);
  }
  Step step = resting();
  step.problem.contacts[0].gap = 1e-3;
  set_impulse(step.problem, step.answer, 0, -0.01);
  EXPECT_NEAR(certify(step).normal, 0.01 * row_weight / s, 1e-9);
}

// An overlap may not be left to a later step, unlike under NormalLaw::gap, and parting bodies that were at rest to each
// other are measured against the speed at which they part.
TEST(EndGap, OverlapsEndWithinTheStep) {
  Step step = {particle(Vector3::Zero(), 0), {}};
  step.answer = answer_of(step.problem, {0.1, 0, 0});  // from a gap of -0.1 mm
  step.problem.contacts[0].gap = 1e-17;
  EXPECT_LT(certify(step).normal, accepted);
  EXPECT_GT(certify(step).energy_gain, 0.009);  // m v^2 / 2 from nowhere
  step.answer = answer_of(step.problem, {0.05, 0, 0});
  step.problem.contacts[0].gap = -5e-5;
  EXPECT_NEAR(certify(step).normal, 1, 1e-12);  // half of the way left, half done: 0.05 over 0.05 m/s
}

TEST(EndGap, AnImpactThatTheMethodMarksReboundsByNewtonsLaw) {
  Step step = {particle({-1, 0, 0}), {}};
  ContactRows& contact = step.problem.contacts[0];
  contact.restitution = 0.5;
  contact.normal_bias = -0.5;
  contact.gap = 1e-4;
  step.answer = answer_of(step.problem, {0.5, 0, 0});
  EXPECT_LT(certify(step).worst(), accepted);
  step.answer = answer_of(step.problem, {0.6, 0, 0});  // too fast
  EXPECT_NEAR(certify(step).normal, 0.1 / (1 + free_fall * step_length), 1e-9);
  step.answer = answer_of(step.problem, {0.4, 0, 0});  // too slow
  EXPECT_NEAR(certify(step).normal, 0.1 / (1 + free_fall * step_length), 1e-9);
  step.answer = answer_of(step.problem, {0.5, 0, 0});
  contact.normal_bias = 0;  // not marked: then a gap carries no load
  EXPECT_NEAR(certify(step).normal, 0.1 / (1 + free_fall * step_length), 1e-9);
}

TEST(EndGap, LimitsOfJointsBehaveAsUnderGap) {
  for (const double gap : {1e-4, 0.0, -1e-4}) {
    Step step = {particle({-1, 0, 0}), {}};
    step.problem.contacts.clear();
    ScalarRow limit;
    limit.gap = gap;
    limit.bias = gap / step_length;
    step.problem.scalars = {limit};
    for (const double v : {-gap / step_length, 0.2}) {
      step.answer = answer_of(step.problem, {v, 0, 0});
      const StepCertificate end = certify(step);
      step.problem.normal_law = NormalLaw::gap;
      const StepCertificate start = certify(step);
      step.problem.normal_law = NormalLaw::end_gap;
      EXPECT_EQ(end.normal, start.normal);
      EXPECT_EQ(end.limit_violation, start.limit_violation);
      if (v == -gap / step_length) {
        EXPECT_LT(end.normal, accepted);
      }
    }
  }
}

// --- layers

CompliantLayer spring(double normal, double tangential = 0, double damping = 0) {
  CompliantLayer layer;
  layer.stiffness = Vector3(normal, tangential, tangential).asDiagonal();
  layer.damping(0, 0) = damping;
  return layer;
}

void lay(Step& step, const CompliantLayer& layer, const Vector3& start, const Vector3& end, double core = 0) {
  step.problem.layers.push_back({0, &layer, start});
  step.answer.deflection.push_back(end);
  step.answer.core_impulse.push_back(core);
}

// Implicit Euler of a mass on a spring and damper that was pressed in by `start`: gap_l = -start, and
//     m v = m v_free + (h k + c) delta - c start,    delta = start - h v.
Step on_spring(const CompliantLayer& layer, double start, double speed, double gravity = free_fall) {
  const double k = layer.stiffness(0, 0), c = layer.damping(0, 0);
  Step step = {particle({speed, 0, 0}, gravity), {}};
  const double v = (body_mass * step.problem.v_free[0] + step_length * k * start) /
                   (body_mass + step_length * (step_length * k + c));
  step.answer = answer_of(step.problem, {v, 0, 0});
  step.problem.contacts[0].gap = -(start - step_length * v);
  lay(step, layer, Vector3(start, 0, 0), Vector3(start - step_length * v, 0, 0));
  return step;
}

TEST(LayerCertificate, AcceptsTheClosedFormOfAMassOnASpring) {
  for (const double damping : {0.0, 200.0}) {
    const CompliantLayer layer = spring(1e5, 0, damping);
    for (const double speed : {-1.0, -0.1, 0.1}) {
      const StepCertificate certificate = certify(on_spring(layer, 2e-3, speed));
      EXPECT_LT(certificate.worst(), accepted);
      EXPECT_EQ(certificate.energy_gain, 0);
      EXPECT_LT(certificate.penetration, 1e-16);  // rounding of 2 mm
    }
    // Without weight or motion the spring itself gives the scale.
    EXPECT_LT(certify(on_spring(layer, 2e-3, 0, 0)).worst(), accepted);
  }
}

TEST(LayerCertificate, RejectsEachQuantityThatIsChanged) {
  const CompliantLayer layer = spring(1e5, 0, 200);
  const Step right = on_spring(layer, 2e-3, -1);
  const double s = std::abs(right.problem.v_free[0]);
  for (const double change : {1e-6, -1e-6}) {
    Step step = right;  // deflection: both the gap and the law of the layer
    step.answer.deflection[0][0] += change;
    EXPECT_NEAR(certify(step).normal, std::max(1e-6 / step_length, 1e-6 * row_weight * (step_length * 1e5 + 200)) / s,
                1e-9);
    EXPECT_NEAR(certify(step).penetration, std::max(0.0, -change), 1e-12);
    step = right;
    step.problem.contacts[0].gap += change;
    EXPECT_NEAR(certify(step).normal, 1e-6 / step_length / s, 1e-9);
    step = right;
    step.problem.layers[0].start[0] += change;
    EXPECT_NEAR(certify(step).normal, 1e-6 * row_weight * 200 / s, 1e-9);
  }
  for (const double change : {1e-3, -1e-3}) {
    Step step = right;
    step.answer.core_impulse[0] += change;  // no core anywhere near
    EXPECT_NEAR(certify(step).normal, 1e-3 * row_weight / s, 1e-9);
    step = right;
    set_impulse(step.problem, step.answer, 0, step.answer.impulse[0] + change);
    EXPECT_NEAR(certify(step).normal, 1e-3 * row_weight / s, 1e-9);
    EXPECT_LT(certify(step).momentum, accepted);
  }
  Step step = right;
  step.answer.deflection[0][0] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(std::isinf(certify(step).worst()));
}

TEST(LayerCertificate, AcceptsALayerThatIsLetGo) {
  const CompliantLayer layer = spring(1e5, 0, 200);
  // The particle is gone; h k delta + c (delta - start) = 0.
  Step step = {particle({3, 0, 0}), {}};
  step.answer = answer_of(step.problem, step.problem.v_free);
  const double end = 200 * 2e-3 / (200 + step_length * 1e5);
  step.problem.contacts[0].gap = 1e-3;
  lay(step, layer, Vector3(2e-3, 0, 0), Vector3(end, 0, 0));
  EXPECT_LT(certify(step).worst(), accepted);
  EXPECT_EQ(certify(step).energy_gain, 0);
  step.answer.deflection[0][0] = 2e-3;  // it may not stay pressed in
  EXPECT_GT(certify(step).normal, 0.01);
}

// The core stops the particle at delta = thickness and takes what the spring does not.
Step on_core(const CompliantLayer& layer) {
  const double start = layer.thickness - 2e-4;
  Step step = {particle({-1, 0, 0}), {}};
  step.answer = answer_of(step.problem, {-2e-4 / step_length, 0, 0});
  step.problem.contacts[0].gap = -layer.thickness;
  const double law = step_length * layer.stiffness(0, 0) * layer.thickness + layer.damping(0, 0) * 2e-4;
  lay(step, layer, Vector3(start, 0, 0), Vector3(layer.thickness, 0, 0), step.answer.impulse[0] - law);
  return step;
}

TEST(LayerCertificate, TheCoreCarriesWhatTheSpringDoesNot) {
  CompliantLayer layer = spring(1e5, 0, 200);
  layer.thickness = 2e-3;
  const Step right = on_core(layer);
  ASSERT_GT(right.answer.core_impulse[0], 0.1);
  EXPECT_LT(certify(right).worst(), accepted);
  EXPECT_EQ(certify(right).energy_gain, 0);
  const double s = std::abs(right.problem.v_free[0]);
  for (const double change : {1e-3, -1e-3}) {
    Step step = right;
    step.answer.core_impulse[0] += change;
    EXPECT_NEAR(certify(step).normal, 1e-3 * row_weight / s, 1e-9);
  }
  // The same impulses with a core that lies deeper, or that the surface has sunk into.
  for (const double change : {1e-5, -1e-5}) {
    layer.thickness = 2e-3 + change;
    EXPECT_NEAR(certify(right).normal, 1e-5 / step_length / s, 1e-9);
  }
}

// Two springs in series carry the same impulse: as one of stiffness k1 k2 / (k1 + k2).
TEST(LayerCertificate, TwoLayersActInSeries) {
  const CompliantLayer one = spring(1e5), two = spring(3e5), together = spring(0.75e5);
  Step step = on_spring(together, 4e-3, -0.5);
  const double total = step.answer.deflection[0][0];
  step.problem.layers.clear();
  step.answer.deflection.clear();
  step.answer.core_impulse.clear();
  lay(step, one, Vector3(3e-3, 0, 0), Vector3(0.75 * total, 0, 0));
  lay(step, two, Vector3(1e-3, 0, 0), Vector3(0.25 * total, 0, 0));
  EXPECT_LT(certify(step).worst(), accepted);
  EXPECT_EQ(certify(step).energy_gain, 0);
  step.answer.deflection[0][0] += 1e-6;  // the gap is still closed, the forces differ
  step.answer.deflection[1][0] -= 1e-6;
  EXPECT_NEAR(certify(step).normal, 1e-6 * row_weight * step_length * 3e5 / std::abs(step.problem.v_free[0]), 1e-9);
}

TEST(LayerCertificate, AcceptsHertzAndHuntCrossley) {
  for (const auto law : {CompliantLayer::Law::hertz, CompliantLayer::Law::hunt_crossley}) {
    CompliantLayer layer = spring(2e6);
    layer.law = law;
    if (law == CompliantLayer::Law::hunt_crossley) layer.damping(0, 0) = 1e6;
    const double start = 1e-3, end = 1.5e-3, v = -(end - start) / step_length;
    const double rate = law == CompliantLayer::Law::hertz ? 0 : -v;
    const double p = step_length * std::pow(end, 1.5) * (2e6 + 1e6 * rate);
    Step step = {particle({v - p / body_mass + free_fall * step_length, 0, 0}), {}};
    step.answer = answer_of(step.problem, {v, 0, 0});
    step.problem.contacts[0].gap = -end;
    lay(step, layer, Vector3(start, 0, 0), Vector3(end, 0, 0));
    EXPECT_LT(certify(step).worst(), 1e-9);  // the law's own smoothing is 2.5e-13 at 1 mm
    EXPECT_EQ(certify(step).energy_gain, 0);
    layer.exponent = 1.51;
    EXPECT_GT(certify(step).normal, 1e-3);
  }
}

// --- tangents

// Sticks while the layer gives way sideways: delta_t = start - h v_t, m v_t = m v_free_t + h k_t delta_t. The normal
// rests: delta_n = g m / k.
Step sticking(const CompliantLayer& layer, double start, double speed) {
  const double k = layer.stiffness(1, 1), sunk = body_mass * free_fall / layer.stiffness(0, 0);
  Step step = {particle({0, speed, 0}), {}};
  step.problem.deflection_slips = true;
  const double v = (body_mass * speed + step_length * k * start) / (body_mass + step_length * step_length * k);
  step.answer = answer_of(step.problem, {0, v, 0});
  step.problem.contacts[0].gap = -sunk;
  lay(step, layer, Vector3(sunk, start, 0), Vector3(sunk, start - step_length * v, 0));
  return step;
}

TEST(LayerCertificate, AStickingContactMovesWithItsLayer) {
  const CompliantLayer layer = spring(1e5, 2e4);
  for (const double speed : {0.02, -0.02}) {
    const Step right = sticking(layer, speed > 0 ? -1e-4 : 1e-4, speed);
    ASSERT_LT(speed * right.answer.impulse[1], 0);  // against the motion
    EXPECT_LT(certify(right).worst(), accepted);
    EXPECT_EQ(certify(right).energy_gain, 0);
    const double s = std::abs(speed);
    Step step = right;  // the layer must take the way of the bodies, and with this sign
    step.answer.deflection[0][1] = 2 * step.problem.layers[0].start[1] - step.answer.deflection[0][1];
    EXPECT_GT(certify(step).friction, 0.1);
    step = right;
    step.answer.deflection[0][1] += 1e-7;
    EXPECT_NEAR(certify(step).friction, 1e-7 / step_length / s, 2e-5);
    step = right;
    step.answer.deflection[0][2] += 1e-7;
    EXPECT_GT(certify(step).friction, 1e-3);
    step = right;
    step.problem.deflection_slips = false;  // then the bodies slip, and friction is not at its limit
    EXPECT_GT(certify(step).friction, 0.1);
  }
}

// Passive: friction opposes the motion of the bodies, at its limit; the deflection only follows the force, and its
// energy is not theirs.
TEST(LayerCertificate, PassiveDeflectionFollowsTheForceOfFriction) {
  const CompliantLayer layer = spring(1e5, 2e4);
  const double p_n = body_mass * free_fall * step_length, sunk = body_mass * free_fall / 1e5;
  Step step = {particle({0, 1, 0}), {}};
  step.answer = answer_of(step.problem, {0, 1 - 0.5 * p_n / body_mass, 0});
  step.problem.contacts[0].gap = -sunk;
  lay(step, layer, Vector3(sunk, 0, 0), Vector3(sunk, -0.5 * p_n / (step_length * 2e4), 0));
  EXPECT_LT(certify(step).worst(), accepted);
  EXPECT_EQ(certify(step).energy_gain, 0);
  step.answer.deflection[0][1] *= 1.01;
  EXPECT_NEAR(certify(step).friction, 0.01 * 0.5 * p_n * row_weight, 1e-9);
}

TEST(LayerCertificate, ALayerThatIsRigidSidewaysHasNoTangentialLaw) {
  const CompliantLayer layer = spring(1e5);
  const double p_n = body_mass * free_fall * step_length, sunk = body_mass * free_fall / 1e5;
  Step step = {particle({0, 1, 0}), {}};
  step.problem.deflection_slips = true;
  step.answer = answer_of(step.problem, {0, 1 - 0.5 * p_n / body_mass, 0});
  step.problem.contacts[0].gap = -sunk;
  lay(step, layer, Vector3(sunk, 0, 0), Vector3(sunk, 0, 0));
  EXPECT_LT(certify(step).worst(), accepted);
}

// Without friction there are no tangential rows: the layer must be relaxed there.
TEST(LayerCertificate, AFrictionlessContactLeavesItsTangentsRelaxed) {
  const CompliantLayer layer = spring(1e5, 2e4);
  const double sunk = body_mass * free_fall / 1e5;
  Step step = {particle({0, 1, 0}, free_fall, 1), {}};
  step.answer = answer_of(step.problem, {0, 1, 0});
  step.problem.contacts[0].gap = -sunk;
  lay(step, layer, Vector3(sunk, 1e-4, 0), Vector3(sunk, 0, 0));
  EXPECT_LT(certify(step).worst(), accepted);
  step.answer.deflection[0][1] = 1e-5;
  EXPECT_NEAR(certify(step).friction, row_weight * step_length * 2e4 * 1e-5 / (free_fall * step_length), 1e-9);
}

// --- energy

TEST(LayerCertificate, WhatASpringStoredItMayGiveBackAndNoMore) {
  const CompliantLayer layer = spring(1e5);
  const Step right = on_spring(layer, 2e-3, 0.5, 0);
  const double v = right.answer.v_end[0], end = right.answer.deflection[0][0];
  const double gained = body_mass * (v * v - 0.25) / 2, given = 1e5 * (4e-6 - end * end) / 2;
  ASSERT_GT(gained, 0.05);  // of the bodies, and none of it from nowhere
  ASSERT_GT(given, gained);
  EXPECT_EQ(certify(right).energy_gain, 0);
  Step step = right;  // half as much again
  set_impulse(step.problem, step.answer, 0, 1.5 * step.answer.impulse[0]);
  const double faster = step.answer.v_end[0];
  EXPECT_NEAR(certify(step).energy_gain, body_mass * (faster * faster - 0.25) / 2 - given, 1e-12);
  EXPECT_GT(certify(step).energy_gain, 0.01);
  step = right;  // the right impulse, and the spring as it was
  step.answer.deflection[0][0] = 2e-3;
  EXPECT_NEAR(certify(step).energy_gain, gained, 1e-12);
}

// Sideways only the layer in series gives its energy to the bodies.
TEST(LayerCertificate, TangentialEnergyCountsInSeries) {
  const CompliantLayer layer = spring(1e5, 2e4);
  const Step right = sticking(layer, 4e-4, 0.02);  // drives the body on
  ASSERT_GT(right.answer.impulse[1] * right.answer.v_end[1], 0);
  EXPECT_EQ(certify(right).energy_gain, 0);
  EXPECT_LT(certify(right).worst(), accepted);
  Step step = right;
  step.problem.deflection_slips = false;
  // What the bodies gain sideways, less what the weight loses from its free fall of a step.
  const double gained = right.answer.impulse[1] * (right.answer.v_end[1] + 0.02) / 2;
  const double lost = body_mass * std::pow(free_fall * step_length, 2) / 2;
  ASSERT_GT(gained - lost, 1e-5);
  EXPECT_NEAR(certify(step).energy_gain, gained - lost, 1e-15);
}

}  // namespace
}  // namespace stiction::certify
