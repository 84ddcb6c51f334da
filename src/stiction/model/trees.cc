// The order of the tree joints: parents first, one tree after the other, trees by their first body in the scene.
#include <algorithm>

#include "stiction/model/build_steps.h"
#include "stiction/model/joint_traits.h"

namespace stiction {
namespace {

// The joints as a forest over bodies.
struct Forest {
  std::vector<int> joint_of;               ///< bodies: index of its joint, or -1
  std::vector<int> parent_of;              ///< bodies: simulated parent, or -1
  std::vector<std::vector<int>> children;  ///< bodies: simulated children, in scene order
};

Forest make_forest(const Model& model, const std::vector<Joint>& joints) {
  const size_t n = model.bodies.size();
  Forest forest{std::vector<int>(n, -1), std::vector<int>(n, -1), std::vector<std::vector<int>>(n)};
  for (size_t j = 0; j < joints.size(); ++j) {
    forest.joint_of[joints[j].child] = static_cast<int>(j);
    const int parent = joints[j].parent;
    if (parent != world_index && model.bodies[parent].kind == BodyKind::simulated)
      forest.parent_of[joints[j].child] = parent;
  }
  for (size_t b = 0; b < n; ++b)
    if (forest.parent_of[b] >= 0) forest.children[forest.parent_of[b]].push_back(static_cast<int>(b));
  return forest;
}

// The body without simulated parent that `body` hangs on, or -1 when the parents go round in a circle.
int root_of(const Forest& forest, int body) {
  for (size_t steps = 0; steps <= forest.parent_of.size(); ++steps) {
    if (forest.parent_of[body] < 0) return body;
    body = forest.parent_of[body];
  }
  return -1;
}

// `body` and everything that hangs on it, depth first, without recursion so that long chains cannot exhaust the stack.
void append_subtree(const Forest& forest, int body, std::vector<int>& order) {
  std::vector<int> stack = {body};
  while (!stack.empty()) {
    const int top = stack.back();
    stack.pop_back();
    order.push_back(forest.joint_of[top]);
    stack.insert(stack.end(), forest.children[top].rbegin(), forest.children[top].rend());
  }
}

}  // namespace

void sort_trees(BuildContext& build, std::vector<Joint> joints, std::vector<int> source) {
  Model& model = build.model;
  const Forest forest = make_forest(model, joints);
  std::vector<bool> listed(model.bodies.size(), false);
  std::vector<int> order;
  for (size_t b = 0; b < model.bodies.size(); ++b) {
    if (forest.joint_of[b] < 0) continue;
    const int root = root_of(forest, static_cast<int>(b));
    if (root < 0) {
      const Joint& joint = joints[forest.joint_of[b]];
      build.check.fail({joint.name, build.description.joints[source[forest.joint_of[b]]].line}, "cycle in the tree",
                       "Set loop = true on one of the joints of the cycle.");
      return;
    }
    if (listed[root]) continue;
    listed[root] = true;
    append_subtree(forest, root, order);
  }
  for (int j : order) {
    model.tree_joints.push_back(std::move(joints[j]));
    build.tree_source.push_back(source[j]);
  }
}

void assign_offsets(Model& model) {
  model.trees.clear();
  model.armature.clear();
  model.tree_of_body.assign(model.bodies.size(), -1);
  model.q_size = model.v_size = model.mass_size = 0;
  for (size_t j = 0; j < model.tree_joints.size(); ++j) {
    Joint& joint = model.tree_joints[j];
    const bool child_of_tree = joint.parent != world_index && model.bodies[joint.parent].kind == BodyKind::simulated;
    if (!child_of_tree) {
      Tree tree;
      tree.first_joint = static_cast<int>(j);
      tree.v_offset = model.v_size;
      model.trees.push_back(tree);
    }
    joint.parent_joint = child_of_tree ? model.bodies[joint.parent].joint : -1;
    joint.tree = static_cast<int>(model.trees.size()) - 1;
    joint.q_offset = model.q_size;
    joint.v_offset = model.v_size;
    joint.q_size = joint_traits(joint.type).q_size();
    joint.v_size = joint_traits(joint.type).v_size();
    model.q_size += joint.q_size;
    model.v_size += joint.v_size;
    ++model.trees.back().joint_count;
    model.trees.back().v_size += joint.v_size;
    for (const JointCoordinate& coordinate : joint.coordinates) model.armature.push_back(coordinate.armature);
    Body& child = model.bodies[joint.child];
    child.joint = static_cast<int>(j);
    model.tree_of_body[joint.child] = joint.tree;
    child.root = child_of_tree ? model.bodies[joint.parent].root : joint.parent;
  }
  model.prescribed_root.assign(model.bodies.size(), -1);
  for (size_t b = 0; b < model.bodies.size(); ++b) {
    const Body& body = model.bodies[b];
    const int root = body.kind == BodyKind::simulated ? body.root : static_cast<int>(b);
    if (root >= 0 && model.bodies[root].kind == BodyKind::prescribed) model.prescribed_root[b] = root;
  }
  for (Tree& tree : model.trees) {
    tree.mass_offset = model.mass_size;
    model.mass_size += tree.v_size * tree.v_size;
  }
}

}  // namespace stiction
