// Which friction a contact has in a step: by its slip at the start, and what counts as rest.
#include "stiction/contact/start_slip.h"

#include <cmath>

#include <gtest/gtest.h>

#include "contact/contact_scene.h"

namespace stiction {
namespace {

using testing::body_of;
using testing::ContactScene;
using testing::ground;

constexpr double mu_d = 0.3, mu_s = 0.6, h = 1e-2;

// A ball on the ground with friction 0.3 and 0.6 at rest; gravity with a pull along x.
struct Ball {
  ContactScene scene;

  static ModelDescription describe(double v_s, double speed, double spin, double pull, bool states) {
    ModelDescription description;
    Material material;
    material.name = "default";
    material.friction = {mu_d, 0.5 * mu_d};
    material.static_friction = states ? mu_s : -1;
    material.stribeck_velocity = v_s;
    material.torsional_friction = 0.1;
    material.rolling_friction = 0.2;
    description.materials = {material};
    description.gravity = Vector3(pull, 0, -9.81);
    description.bodies = {ground(), body_of("ball", 1, geometry::Sphere{0.5}, {0, 0, 0.5})};
    description.bodies[1].linear_velocity = Vector3(speed, 0, 0);
    description.bodies[1].angular_velocity = Vector3(0, 0, spin);
    return description;
  }

  Ball(double v_s, double speed, double spin = 0, double pull = 0, bool stuck = false, bool states = true)
      : scene(describe(v_s, speed, spin, pull, states), h) {
    scene.detect();
    for (contact::Contact& contact : scene.contacts) contact.stuck = stuck;
    scene.assemble();
  }

  const ContactRows& rows() const { return scene.problem.contacts.at(0); }
  double factor() const { return rows().friction[0] / mu_d; }
};

TEST(StartSlip, GivesTheCurveAtTheSlipOfTheStart) {
  const double v_s = 0.2;
  for (const double speed : {0.05, 0.2, 1.0}) {
    EXPECT_NEAR(Ball(v_s, speed).factor(), 1 + std::exp(-speed / v_s), 1e-14) << speed;
  }
  EXPECT_NEAR(Ball(0, 0).factor(), 2, 1e-14);
  EXPECT_NEAR(Ball(0, 1e-10).factor(), 2, 1e-14);  // rounding
  EXPECT_NEAR(Ball(0, 1e-6).factor(), 1, 1e-14);
}

TEST(StartSlip, ScalesTheWholeSetButNotRolling) {
  const Ball rest(0, 0), slides(0, 1);
  EXPECT_NEAR(rest.rows().friction[1], mu_s / 2, 1e-15);
  EXPECT_NEAR(rest.rows().torsion, mu_s * 0.1, 1e-15);
  EXPECT_EQ(slides.rows().torsion, mu_d * 0.1);
  for (const Ball* ball : {&rest, &slides}) EXPECT_EQ(ball->scene.problem.rollings.at(0).limit, mu_d * 0.2);
}

// A contact patch of the torsional length slides when it spins.
TEST(StartSlip, CountsSpinAtTheTorsionalLength) {
  EXPECT_NEAR(Ball(0.2, 0, 2).factor(), 1 + std::exp(-2 * 0.1 / 0.2), 1e-14);
  EXPECT_NEAR(Ball(0.2, 0.15, 2).factor(), 1 + std::exp(-std::hypot(0.15, 0.2) / 0.2), 1e-14);
}

// Against the motion the loads turn it round when they are stronger than v / h.
TEST(StartSlip, IsRestWhereTheLoadsTurnItRound) {
  EXPECT_NEAR(Ball(0, 0.02, 0, -1.9).factor(), 1, 1e-14);
  EXPECT_NEAR(Ball(0, 0.02, 0, -2.1).factor(), 2, 1e-14);
  EXPECT_NEAR(Ball(0, 0.02, 0, +2.1).factor(), 1, 1e-14);
}

TEST(StartSlip, IsRestWhereTheContactStuck) {
  EXPECT_NEAR(Ball(0, 0.02, 0, 0, true).factor(), 2, 1e-14);
}

TEST(StartSlip, LeavesFrictionToTheBitWithoutStaticFriction) {
  const Ball ball(0.2, 0.05, 0, 0, false, false);
  EXPECT_EQ(ball.rows().friction, (std::array{mu_d, 0.5 * mu_d}));
  EXPECT_EQ(ball.rows().torsion, mu_d * 0.1);
  EXPECT_EQ(ball.rows().cone_scale, 1);
}

}  // namespace
}  // namespace stiction
