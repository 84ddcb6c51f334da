#include "stiction/study/benchmark/figure_scenes.h"

#include <array>
#include <map>
#include <numbers>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "stiction/study/benchmark/scene_parts.h"

namespace stiction {

namespace {

// A capsule about the points between `from` and `to`, in the body's frame; a sphere where they are the same.
ShapeDescription capsule(const Vector3& from, const Vector3& to, double radius) {
  ShapeDescription shape;
  shape.X_BS.p = (from + to) / 2;
  const double length = (to - from).norm();
  if (length > 0) {
    shape.shape = geometry::Capsule{radius, length / 2};
    shape.X_BS.R = Quaternion::FromTwoVectors(Vector3::UnitZ(), to - from).toRotationMatrix();
  } else {
    shape.shape = geometry::Sphere{radius};
  }
  return shape;
}

// A straight part of the crawler: `half` leads from its centre to the centre of one cap.
BodyDescription crawler_part(std::string name, double mass, double radius, const Vector3& half, const Vector3& center) {
  BodyDescription body;
  body.name = std::move(name);
  body.mass = mass;
  body.position = center;
  body.shapes.push_back(capsule(-half, half, radius));
  return body;
}

JointDescription crawler_hinge(const std::string& parent, const std::string& child, const Vector3& position,
                               const Vector3& axis) {
  JointDescription hinge;
  hinge.name = child + "_hinge";
  hinge.parent = parent;
  hinge.child = child;
  hinge.position = position;
  hinge.axis = axis;
  hinge.coordinates = {{.limits = {-1.2, 1.2}, .damping = 0.5}};
  return hinge;
}

constexpr double crawler_height = 0.6;  // m: of all centres at first

// Five links in a row, from the side of the torso at `x` outwards.
void add_crawler_limb(const std::string& name, double x, double side, ModelDescription& model) {
  constexpr double link = 0.16, first = 0.12;  // m: length of a link, and where the first begins
  const std::array<Vector3, 5> axes = {Vector3::UnitX(), Vector3::UnitZ(), Vector3::UnitY(), Vector3::UnitX(),
                                       Vector3::UnitZ()};
  const Vector3 out = side * Vector3::UnitY();
  std::string parent = "torso";
  for (size_t k = 0; k < axes.size(); ++k) {
    const std::string child = fmt::format("{}{}", name, k);
    const Vector3 center(x, side * (first + link * (static_cast<double>(k) + 0.5)), crawler_height);
    model.bodies.push_back(crawler_part(child, 1, 0.04, 0.04 * out, center));
    const Vector3 begin = k == 0 ? Vector3(x, side * first, 0) : Vector3(link / 2 * out);
    model.joints.push_back(crawler_hinge(parent, child, begin, axes[k]));
    parent = child;
  }
}

// Every number of the humanoid. Lengths in m, in frames that have the axes of the world while it stands upright; angles
// in degrees, stiffness in N m/rad, damping in N m s/rad.
struct Bone {
  Vector3 from, to;  // in the part's frame
  double radius;
};

struct Turn {
  Vector3 axis;
  double low, high, stiffness, damping;
};

struct Part {
  const char* name;
  const char* parent;
  Vector3 place;            // of its frame, in the parent's
  Vector3 joint;            // in its own frame
  std::vector<Turn> turns;  // none: the root
  std::vector<Bone> bones;
  bool collides = true;
};

std::vector<Part> trunk() {
  return {
      {"torso",
       "",
       {0, 0, 0},
       {0, 0, 0},
       {},
       {{{0, -0.07, 0}, {0, 0.07, 0}, 0.07},
        {{-0.01, -0.06, -0.12}, {-0.01, 0.06, -0.12}, 0.06},
        {{0, 0, 0.19}, {0, 0, 0.19}, 0.09}}},
      {"waist",
       "torso",
       {-0.01, 0, -0.26},
       {0, 0, 0.065},
       {{{0, 0, 1}, -45, 45, 20, 5}, {{0, 1, 0}, -75, 30, 10, 5}},
       {{{0, -0.06, 0}, {0, 0.06, 0}, 0.06}}},
      {"pelvis",
       "waist",
       {0, 0, -0.165},
       {0, 0, 0.1},
       {{{1, 0, 0}, -35, 35, 10, 5}},
       {{{-0.02, -0.07, 0}, {-0.02, 0.07, 0}, 0.09}}},
  };
}

// Thighs begin below the hip, so that they do not overlap with the pelvis.
std::vector<Part> right_side() {
  return {
      {"hip",
       "pelvis",
       {0, -0.1, -0.04},
       {0, 0, 0},
       {{{1, 0, 0}, -30, 10, 10, 5}, {{0, 0, 1}, -60, 35, 10, 5}},
       {{{0, 0, 0}, {0, 0, 0}, 0.04}},
       false},
      {"thigh", "hip", {0, 0, 0}, {0, 0, 0}, {{{0, 1, 0}, -150, 20, 10, 5}}, {{{0, 0, -0.13}, {0, 0.01, -0.34}, 0.06}}},
      {"shin",
       "thigh",
       {0, 0.01, -0.4},
       {0, 0, 0.02},
       {{{0, -1, 0}, -160, 2, 1, 0.2}},
       {{{0, 0, 0}, {0, 0, -0.3}, 0.049}}},
      {"foot",
       "shin",
       {0, 0, -0.39},
       {0, 0, 0.06},
       {{{0, 1, 0}, -50, 50, 6, 0.2}, {{1, 0, 0.5}, -50, 50, 3, 0.2}},
       {{{-0.07, -0.01, 0}, {0.14, -0.03, 0}, 0.027}, {{-0.07, 0.01, 0}, {0.14, 0.03, 0}, 0.027}}},
      {"upper_arm",
       "torso",
       {0, -0.17, 0.06},
       {0, 0, 0},
       {{{2, 1, 1}, -85, 60, 1, 0.2}, {{0, -1, 1}, -85, 60, 1, 0.2}},
       {{{0, 0, 0}, {0.16, -0.16, -0.16}, 0.04}}},
      {"lower_arm",
       "upper_arm",
       {0.18, -0.18, -0.18},
       {0, 0, 0},
       {{{0, -1, 1}, -100, 50, 0, 0.2}},
       {{{0.01, 0.01, 0.01}, {0.17, 0.17, 0.17}, 0.031}, {{0.18, 0.18, 0.18}, {0.18, 0.18, 0.18}, 0.04}}},
  };
}

Vector3 mirrored_point(const Vector3& v) {
  return {v.x(), -v.y(), v.z()};
}

// Turns by the same angle about it are mirror images.
Vector3 mirrored_axis(const Vector3& v) {
  return {-v.x(), v.y(), -v.z()};
}

Part mirrored(Part part) {
  part.place = mirrored_point(part.place);
  part.joint = mirrored_point(part.joint);
  for (Turn& turn : part.turns) turn.axis = mirrored_axis(turn.axis);
  for (Bone& bone : part.bones) bone = {mirrored_point(bone.from), mirrored_point(bone.to), bone.radius};
  return part;
}

JointCoordinate coordinate_of(const Turn& turn) {
  constexpr double degree = std::numbers::pi / 180;
  return {.limits = {turn.low * degree, turn.high * degree},
          .damping = turn.damping,
          .stiffness = turn.stiffness,
          .armature = 0.01};
}

// Puts parts together, each after its parent; `X_WT` is the pose of the torso.
class HumanoidMaker {
 public:
  HumanoidMaker(const Pose& X_WT, ModelDescription& model) : X_WT_(X_WT), model_(model) {}

  // `prefix` stands before the names of parts of one side.
  void add(const std::vector<Part>& parts, const std::string& prefix) {
    for (const Part& part : parts) {
      // A parent is of the same side, of the trunk, or nothing.
      const std::string same_side = prefix + part.parent;
      add(part, prefix + part.name, places_.contains(same_side) ? same_side : part.parent);
    }
  }

 private:
  void add(const Part& part, const std::string& name, const std::string& parent) {
    const Vector3 place = places_[name] = part.place + (parent.empty() ? Vector3(Vector3::Zero()) : places_.at(parent));
    BodyDescription body;
    body.name = name;
    body.density = 1000;
    body.position = X_WT_ * place;
    body.orientation = Quaternion(X_WT_.R);
    for (const Bone& bone : part.bones) {
      body.shapes.push_back(capsule(bone.from, bone.to, bone.radius));
      body.shapes.back().collide = part.collides;
    }
    model_.bodies.push_back(std::move(body));
    if (!part.turns.empty()) add_joint(part, name, parent);
  }

  void add_joint(const Part& part, const std::string& name, const std::string& parent) {
    JointDescription joint;
    joint.name = name + "_joint";
    joint.type = part.turns.size() == 2 ? JointType::universal : JointType::revolute;
    joint.parent = parent;
    joint.child = name;
    joint.position = part.place + part.joint;
    joint.axis = part.turns[0].axis.normalized();
    if (part.turns.size() == 2) joint.axis2 = part.turns[1].axis.normalized();
    for (const Turn& turn : part.turns) joint.coordinates.push_back(coordinate_of(turn));
    model_.joints.push_back(std::move(joint));
  }

  Pose X_WT_;
  ModelDescription& model_;
  std::map<std::string, Vector3> places_;  // of parts, in the torso's frame while it stands upright
};

}  // namespace

BenchmarkScene crawler() {
  BenchmarkMotion motion{.model = ground_model(0.8), .measure = BenchmarkMeasure::resting};
  ModelDescription& model = motion.model;
  model.bodies.push_back(crawler_part("torso", 12, 0.1, {0.25, 0, 0}, {0, 0, crawler_height}));
  for (const double x : {0.25, -0.25}) {
    for (const double side : {1.0, -1.0}) {
      add_crawler_limb(fmt::format("{}_{}", x > 0 ? "fore" : "hind", side > 0 ? "left" : "right"), x, side, model);
    }
  }
  model.bodies.push_back(crawler_part("head", 3, 0.08, {0.05, 0, 0}, {0.5, 0, crawler_height}));
  model.joints.push_back(crawler_hinge("torso", "head", {0.38, 0, 0}, Vector3::UnitY()));
  return {.sentence = "a torso with a head and four limbs of five links, 35 kg, falls 0.5 m, friction 0.8",
          .duration = 10,
          .steps = {0.005},
          .motions = {std::move(motion)},
          .has_figure = true,
          .last_second = true};
}

BenchmarkScene humanoid() {
  BenchmarkMotion motion{.model = ground_model(0.7), .measure = BenchmarkMeasure::resting};
  constexpr double lean = -0.2;  // rad: backwards, so that it falls to the same side in every engine
  const Pose X_WT{Eigen::AngleAxisd(lean, Vector3::UnitY()).toRotationMatrix(), {0, 0, 1.573}};
  HumanoidMaker maker(X_WT, motion.model);
  maker.add(trunk(), "");
  std::vector<Part> parts = right_side();
  maker.add(parts, "right_");
  for (Part& part : parts) part = mirrored(part);
  maker.add(parts, "left_");
  return {.sentence = "a human figure of 27 degrees of freedom, 40 kg, falls 0.3 m and on its back, friction 0.7",
          .duration = 10,
          .steps = {0.005},
          .motions = {std::move(motion)},
          .has_figure = true,
          .last_second = true};
}

}  // namespace stiction
