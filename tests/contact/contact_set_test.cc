// Contacts from shapes: frames, the rule for the friction direction, reach, materials, belts.
#include "stiction/contact/contact_set.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "contact/contact_scene.h"

namespace stiction {
namespace {

using contact::Contact;
using testing::body_of;
using testing::ContactScene;
using testing::cube;
using testing::ground;

constexpr double rounding = 1e-14;  // of coordinates of order one

void expect_frame(const Contact& c) {
  EXPECT_NEAR(c.normal.norm(), 1, rounding);
  EXPECT_NEAR(c.tangent.norm(), 1, rounding);
  EXPECT_NEAR(c.normal.dot(c.tangent), 0, rounding);
  EXPECT_NEAR((c.binormal() - c.normal.cross(c.tangent)).norm(), 0, rounding);
}

ModelDescription leaning_cubes() {
  ModelDescription description;
  description.bodies = {ground(), cube("heavy", 3, {0, 0, 0.5}), cube("light", 1, {0.9, 0, 0.52}),
                        cube("also_light", 1, {0.05, 0.1, 1.499})};
  description.bodies[1].orientation = exp_rotation(Vector3(0, 0, 0.3));
  description.bodies[3].orientation = exp_rotation(Vector3(0.001, 0, -0.2));
  return description;
}

// Contacts as (names of A and B, point, normal, tangent, gap), which no order of bodies may change.
struct NamedContact {
  std::string A, B;
  Vector3 point, normal, tangent;
  double gap;
};

std::vector<NamedContact> named_contacts(const ModelDescription& description) {
  ContactScene scene(description);
  scene.detect();
  std::vector<NamedContact> named;
  for (const Contact& c : scene.contacts) {
    named.push_back({scene.name(c.body_A), scene.name(c.body_B), c.point, c.normal, c.tangent, c.gap});
  }
  const auto key = [](const NamedContact& c) {
    return std::make_tuple(c.A, c.B, std::lround(1e6 * c.point.x()), std::lround(1e6 * c.point.y()),
                           std::lround(1e6 * c.point.z()));
  };
  std::sort(named.begin(), named.end(), [&](const auto& a, const auto& b) { return key(a) < key(b); });
  return named;
}

// Each side has the layer of its own material; that of a pair stands for both.
TEST(ContactSet, LayersAreThoseOfTheMaterialsOrOneOfThePair) {
  ModelDescription description;
  description.bodies = {ground(), cube("box", 1, {0, 0, 0.5})};
  Material soft;
  soft.name = "soft";
  soft.layer.stiffness = 1e4 * Matrix3::Identity();
  description.materials = {soft};
  description.bodies[1].shapes[0].material = "soft";
  ContactScene own(description);
  own.detect();
  ASSERT_FALSE(own.contacts.empty());
  for (const Contact& c : own.contacts) {
    const int side = own.name(c.body_A) == "box" ? 0 : 1;
    ASSERT_NE(c.layers[side], nullptr);
    EXPECT_EQ(c.layers[side]->stiffness(0, 0), 1e4);
    EXPECT_EQ(c.layers[1 - side], nullptr);
  }
  soft.layer.stiffness *= 5;
  description.pairs = {{{"soft", "default"}, soft, 0}};
  ContactScene pair(description);
  pair.detect();
  ASSERT_FALSE(pair.contacts.empty());
  for (const Contact& c : pair.contacts) {
    ASSERT_NE(c.layers[1], nullptr);
    EXPECT_EQ(c.layers[1]->stiffness(0, 0), 5e4);
    EXPECT_EQ(c.layers[0], nullptr);
  }
}

TEST(ContactSet, FramesAreOrthonormalAndPointFromAToB) {
  ContactScene scene(leaning_cubes());
  scene.detect();
  ASSERT_GT(scene.contacts.size(), 4u);
  for (const Contact& c : scene.contacts) {
    expect_frame(c);
    const Vector3 to_B = scene.kinematics.com_W[c.body_B] - c.point;
    EXPECT_GT(c.normal.dot(to_B), 0) << scene.name(c.body_A) << " - " << scene.name(c.body_B);
  }
}

TEST(ContactSet, DoesNotDependOnTheOrderOfBodies) {
  ModelDescription description = leaning_cubes();
  const std::vector<NamedContact> expected = named_contacts(description);
  ASSERT_GT(expected.size(), 4u);
  std::vector<int> order = {0, 1, 2, 3};
  while (std::next_permutation(order.begin(), order.end())) {
    ModelDescription permuted = description;
    for (size_t i = 0; i < order.size(); ++i) permuted.bodies[i] = description.bodies[order[i]];
    const std::vector<NamedContact> contacts = named_contacts(permuted);
    ASSERT_EQ(contacts.size(), expected.size());
    for (size_t i = 0; i < contacts.size(); ++i) {
      EXPECT_EQ(contacts[i].A + contacts[i].B, expected[i].A + expected[i].B);
      EXPECT_NEAR((contacts[i].point - expected[i].point).norm(), 0, rounding);
      EXPECT_NEAR((contacts[i].normal - expected[i].normal).norm(), 0, rounding);
      EXPECT_NEAR((contacts[i].tangent - expected[i].tangent).norm(), 0, rounding);
      EXPECT_NEAR(contacts[i].gap, expected[i].gap, rounding);
    }
  }
}

// One contact of two spheres along z: who gives the tangent?
Contact sphere_contact(double mass_a, double mass_b, const Vector3& direction_a, const Vector3& direction_b,
                       const std::string& name_a = "a", const std::string& name_b = "b") {
  ModelDescription description;
  description.bodies = {body_of(name_a, mass_a, geometry::Sphere{0.5}, {0, 0, 0}),
                        body_of(name_b, mass_b, geometry::Sphere{0.5}, {0, 0, 1})};
  description.bodies[0].orientation = exp_rotation(Vector3(0, 0, 0.5));
  description.bodies[1].orientation = exp_rotation(Vector3(0, 0, -0.7));
  description.bodies[0].shapes[0].friction_direction = direction_a;
  description.bodies[1].shapes[0].friction_direction = direction_b;
  ContactScene scene(description);
  scene.detect();
  EXPECT_EQ(scene.contacts.size(), 1u);
  return scene.contacts.at(0);
}

Vector3 turned(double angle) {
  return {std::cos(angle), std::sin(angle), 0};
}

TEST(ContactSet, TheFrictionDirectionComesFromTheShapeThatStatesOne) {
  const Vector3 none = Vector3::Zero();
  // Stated: it wins over a heavier and over a fixed body.
  EXPECT_NEAR((sphere_contact(9, 1, none, Vector3::UnitY()).tangent - turned(-0.7 + M_PI / 2)).norm(), 0, rounding);
  EXPECT_NEAR((sphere_contact(0, 1, none, Vector3::UnitX()).tangent - turned(-0.7)).norm(), 0, rounding);
  // Not stated: fixed, then heavier, then the name that comes first.
  EXPECT_NEAR((sphere_contact(9, 0, none, none).tangent - turned(-0.7)).norm(), 0, rounding);
  EXPECT_NEAR((sphere_contact(2, 1, none, none).tangent - turned(0.5)).norm(), 0, rounding);
  EXPECT_NEAR((sphere_contact(1, 2, none, none).tangent - turned(-0.7)).norm(), 0, rounding);
  EXPECT_NEAR((sphere_contact(1, 1, none, none).tangent - turned(0.5)).norm(), 0, rounding);
  EXPECT_NEAR((sphere_contact(1, 1, none, none, "z", "y").tangent - turned(-0.7)).norm(), 0, rounding);
}

TEST(ContactSet, ADirectionAlongTheNormalGivesWayToAnother) {
  const Contact c = sphere_contact(2, 1, Vector3::UnitZ(), Vector3::Zero());
  expect_frame(c);
}

TEST(ContactSet, ReachIsWhatTheBodiesMayTravelInTheStep) {
  ModelDescription description;
  description.bodies = {ground(), body_of("ball", 1, geometry::Sphere{0.5}, {0, 0, 0.6})};
  const auto contacts = [&](const Vector3& v, const Vector3& w) {
    description.bodies[1].linear_velocity = v;
    description.bodies[1].angular_velocity = w;
    ContactScene scene(description, 0.01);
    scene.detect();
    return scene.contacts.size();
  };
  EXPECT_EQ(contacts({0, 0, 0}, {0, 0, 0}), 0u);
  EXPECT_EQ(contacts({0, 0, -9.9}, {0, 0, 0}), 0u);  // closes 0.099 of a gap of 0.1
  EXPECT_EQ(contacts({0, 0, -10.1}, {0, 0, 0}), 1u);
  EXPECT_EQ(contacts({0, 0, -6}, {0, 9, 0}), 1u);  // turning counts with the radius: 0.06 + 0.045
}

TEST(ContactSet, GrowReachSaysWhenABodyMovesFarther) {
  ModelDescription description;
  description.bodies = {ground(), body_of("ball", 1, geometry::Sphere{0.5}, {0, 0, 0.6})};
  ContactScene scene(description, 0.01);
  scene.detect();
  EXPECT_FALSE(contact::grow_reach(scene.built.model, scene.kinematics, scene.h, scene.detection));
  scene.built.state.v[2] = -20;
  update_velocities(scene.built.model, scene.built.state.v, scene.kinematics);
  EXPECT_TRUE(contact::grow_reach(scene.built.model, scene.kinematics, scene.h, scene.detection));
  EXPECT_NEAR(scene.detection.reach[1], 0.2, rounding);
  contact::detect_contacts(scene.built.model, scene.kinematics, scene.detection, scene.contacts);
  ASSERT_EQ(scene.contacts.size(), 1u);
  EXPECT_NEAR(scene.contacts[0].gap, 0.1, rounding);
}

// A heap of balls and cubes that shakes: contacts come and go.
ModelDescription heap() {
  ModelDescription description;
  description.bodies = {ground()};
  for (int k = 0; k < 60; ++k) {
    const Vector3 position(0.9 * (k % 4), 0.9 * (k / 4 % 4), 0.45 + 0.9 * (k / 16));
    const std::string name = "body" + std::to_string(k);
    description.bodies.push_back(k % 3 == 0 ? body_of(name, 1, geometry::Sphere{0.5}, position)
                                            : cube(name, 1, position));
    description.bodies.back().orientation = exp_rotation(Vector3(0.01 * k, 0.02 * (k % 7), 0.3 * (k % 5)));
  }
  return description;
}

void expect_same(const Contact& a, const Contact& b) {
  EXPECT_EQ(a.key, b.key);
  EXPECT_EQ(std::pair(a.body_A, a.body_B), std::pair(b.body_A, b.body_B));
  EXPECT_EQ(a.point, b.point);
  EXPECT_EQ(a.normal, b.normal);
  EXPECT_EQ(a.tangent, b.tangent);
  EXPECT_EQ(a.gap, b.gap);
  EXPECT_EQ(a.material, b.material);
}

// What detection keeps from step to step makes it faster, never different: to the bit and in the same order.
TEST(ContactSet, AnOldWorkspaceGivesTheContactsOfANewOne) {
  ContactScene scene(heap());
  contact::DetectionWorkspace aged = contact::make_detection(scene.built.model);
  const VectorX start = scene.built.state.q;
  size_t fewest = 10000, most = 0;
  for (int step = 0; step < 60; ++step) {
    for (int k = 0; k < scene.built.state.q.size(); k += 7) {
      const double phase = 0.1 * step * (1 + k % 5);
      const double far = step % 20 == 19 ? 1.0 : 0.1;  // now and then farther than any skin
      scene.built.state.q.segment<3>(k) = start.segment<3>(k) + far * Vector3(std::sin(phase), std::cos(phase + k), 0);
    }
    scene.built.state.v.setConstant(step % 10 == 0 ? 10 : 0.1);
    std::swap(scene.detection, aged);
    scene.detect();
    const std::vector<Contact> old = scene.contacts;
    std::swap(scene.detection, aged);
    scene.detection = contact::make_detection(scene.built.model);
    scene.detect();
    ASSERT_EQ(scene.contacts.size(), old.size()) << "step " << step;
    for (size_t c = 0; c < old.size(); ++c) expect_same(old[c], scene.contacts[c]);
    if (::testing::Test::HasFailure()) FAIL() << "step " << step;
    fewest = std::min(fewest, old.size());
    most = std::max(most, old.size());
  }
  EXPECT_GT(most, fewest + 50);
}

TEST(ContactSet, BeltsMoveInTheTangentPlaneWithTheirBody) {
  ModelDescription description;
  description.bodies = {ground(), cube("box", 1, {0, 0, 0.5})};
  description.bodies[0].orientation = exp_rotation(Vector3(0, 0, M_PI / 2));  // belt's x is the world's y
  description.bodies[0].shapes[0].surface_velocity = Vector3(1, 0, 7);        // the normal part cannot act
  description.bodies[1].shapes[0].surface_velocity = Vector3(0.25, 0, 0);
  ContactScene scene(description);
  scene.detect();
  ASSERT_EQ(scene.contacts.size(), 4u);
  for (const Contact& c : scene.contacts) {
    ASSERT_EQ(scene.name(c.body_A), "ground");
    EXPECT_NEAR((c.surface_velocity - Vector3(0.25, -1, 0)).norm(), 0, rounding);  // of B's belt over A's
  }
}

TEST(ContactSet, KeysAreUniqueAndStayWhenTheBodiesMoveALittle) {
  ContactScene scene(leaning_cubes());
  scene.detect();
  const auto keys = [&] {
    std::vector<std::uint64_t> result;
    for (const Contact& c : scene.contacts) result.push_back(c.key);
    std::sort(result.begin(), result.end());
    return result;
  };
  const std::vector<std::uint64_t> before = keys();
  EXPECT_EQ(std::adjacent_find(before.begin(), before.end()), before.end());
  scene.built.state.q[2] -= 1e-6;  // the heavy cube sinks a little
  scene.detect();
  EXPECT_EQ(keys(), before);
}

TEST(ContactSet, JoinedBodiesDoNotCollide) {
  ModelDescription description = leaning_cubes();
  JointDescription joint;
  joint.name = "pin";
  joint.parent = "heavy";
  joint.child = "also_light";
  joint.position = Vector3(0, 0, 0.5);
  description.joints.push_back(joint);
  for (const NamedContact& c : named_contacts(description)) EXPECT_NE(c.A + "-" + c.B, "heavy-also_light");
}

}  // namespace
}  // namespace stiction
