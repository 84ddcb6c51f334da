#include "stiction/dynamics/mean_velocity.h"

#include "stiction/math/rotation.h"

namespace stiction {

VectorX mean_velocity(const Model& model, const VectorX& q_start, const VectorX& q_end, double h) {
  VectorX v(model.v_size);
  for (const Joint& joint : model.tree_joints) {
    const bool turns = joint.q_size > joint.v_size;  // its last four coordinates are a quaternion
    const int travels = turns ? joint.v_size - 3 : joint.v_size;
    v.segment(joint.v_offset, travels) =
        (q_end.segment(joint.q_offset, travels) - q_start.segment(joint.q_offset, travels)) / h;
    if (!turns) continue;
    const Quaternion from = load_quaternion(q_start.data() + joint.q_offset + travels);
    const Quaternion to = load_quaternion(q_end.data() + joint.q_offset + travels);
    v.segment<3>(joint.v_offset + travels) = log_rotation(to * from.conjugate()) / h;
  }
  return v;
}

}  // namespace stiction
