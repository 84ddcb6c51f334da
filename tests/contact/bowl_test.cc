// Contacts in a bowl: each has its own normal, tangent and gap, whichever shape gives the frame.
#include <cmath>

#include <gtest/gtest.h>

#include "contact/contact_scene.h"

namespace stiction {
namespace {

using testing::body_of;
using testing::ContactScene;

constexpr double rounding = 1e-14;  // of coordinates of order one

/// A capsule that lies across the bottom of a bowl of radius 1, both ends touching.
ModelDescription capsule_in_bowl() {
  const double half_length = 0.5, radius = 0.1;
  const double height = -std::sqrt(0.81 - half_length * half_length);
  ModelDescription description;
  description.bodies = {body_of("bowl", 0, geometry::Bowl{1}, {1, 2, 3}),
                        body_of("rod", 1, geometry::Capsule{radius, half_length}, {1, 2, 3 + height})};
  description.bodies[1].orientation = exp_rotation(Vector3(0, M_PI / 2, 0));
  return description;
}

TEST(BowlContacts, EachHasItsOwnFrame) {
  for (const bool body_leads : {false, true}) {
    ModelDescription description = capsule_in_bowl();
    if (body_leads) description.bodies[1].shapes[0].friction_direction = Vector3::UnitZ();
    ContactScene scene(description);
    scene.detect();
    ASSERT_EQ(scene.contacts.size(), 2u);
    double sides = 1;
    for (const contact::Contact& c : scene.contacts) {
      EXPECT_EQ(scene.name(c.body_A), body_leads ? "rod" : "bowl");
      EXPECT_NEAR(c.gap, 0, rounding);
      const Vector3 inward = (Vector3(1, 2, 3) - c.point).normalized();
      EXPECT_LT((c.normal - (body_leads ? -1 : 1) * inward).norm(), rounding);
      EXPECT_NEAR(c.normal.dot(c.tangent), 0, rounding);
      sides *= c.point.x() - 1;
    }
    EXPECT_LT(sides, 0);
    EXPECT_NE(scene.contacts[0].key, scene.contacts[1].key);
  }
}

TEST(BowlContacts, NoneFarFromTheWall) {
  ModelDescription description = capsule_in_bowl();
  description.bodies[1].position = {1, 2, 3};
  ContactScene scene(description);
  scene.detect();
  EXPECT_TRUE(scene.contacts.empty());
}

}  // namespace
}  // namespace stiction
