#include "stiction/dynamics/mean_velocity.h"

#include "stiction/math/rotation.h"
#include "stiction/model/joint_traits.h"

namespace stiction {

VectorX mean_velocity(const Model& model, const VectorX& q_start, const VectorX& q_end, double h) {
  VectorX v(model.v_size);
  for (const Joint& joint : model.tree_joints) {
    const JointTraits& traits = joint_traits(joint.type);
    const int first = traits.vector_size;
    v.segment(joint.v_offset, first) =
        (q_end.segment(joint.q_offset, first) - q_start.segment(joint.q_offset, first)) / h;
    if (!traits.quaternion) continue;
    const Quaternion from = load_quaternion(q_start.data() + joint.q_offset + first);
    const Quaternion to = load_quaternion(q_end.data() + joint.q_offset + first);
    v.segment<3>(joint.v_offset + first) = log_rotation(to * from.conjugate()) / h;
  }
  return v;
}

}  // namespace stiction
