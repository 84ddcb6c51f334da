#include "stiction/model/model.h"

#include <algorithm>

namespace stiction {

int Model::find_body(const std::string& name) const {
  for (size_t i = 0; i < bodies.size(); ++i)
    if (bodies[i].name == name) return static_cast<int>(i);
  return -1;
}

int joint_v_size(JointType type) {
  switch (type) {
    case JointType::fixed:
      return 0;
    case JointType::revolute:
    case JointType::prismatic:
      return 1;
    case JointType::universal:
    case JointType::cylindrical:
      return 2;
    case JointType::spherical:
    case JointType::planar:
      return 3;
    case JointType::free:
      return 6;
  }
  return 0;
}

int joint_q_size(JointType type) {
  const bool quaternion = type == JointType::spherical || type == JointType::free;
  return joint_v_size(type) + (quaternion ? 1 : 0);
}

std::string_view joint_type_name(JointType type) {
  switch (type) {
    case JointType::fixed:
      return "fixed";
    case JointType::revolute:
      return "revolute";
    case JointType::prismatic:
      return "prismatic";
    case JointType::spherical:
      return "spherical";
    case JointType::planar:
      return "planar";
    case JointType::universal:
      return "universal";
    case JointType::cylindrical:
      return "cylindrical";
    case JointType::free:
      return "free";
  }
  return "";
}

bool Model::may_collide(int shape_a, int shape_b) const {
  const BodyShape &a = shapes[shape_a], &b = shapes[shape_b];
  if (a.body == b.body || !a.collide || !b.collide) return false;
  if (!bodies[a.body].has_freedom && !bodies[b.body].has_freedom) return false;
  return !std::binary_search(joined.begin(), joined.end(),
                             std::pair(std::min(a.body, b.body), std::max(a.body, b.body)));
}

}  // namespace stiction
