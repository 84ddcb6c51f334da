#include "stiction/recording/sample.h"

namespace stiction::recording {

namespace {

// Of the two quaternions of a rotation, the one with w >= 0.
Vector4 stored_quaternion(const Matrix3& R) {
  Quaternion q(R);
  q.normalize();
  if (q.w() < 0) q.coeffs() = -q.coeffs();
  return {q.w(), q.x(), q.y(), q.z()};
}

}  // namespace

void SolverFigures::add(const StepOutcome& outcome) {
  iterations += outcome.iterations;
  islands += outcome.islands;
  warm_started += outcome.warm_started;
  fallbacks += outcome.fallbacks;
  passes += outcome.passes;
}

RecordingLayout make_layout(const Simulation& simulation, const std::string& scene, int every) {
  const SimulationSettings& settings = simulation.settings();
  RecordingLayout layout{.scene = scene,
                         .method = settings.method,
                         .solver = settings.solver,
                         .step = settings.step,
                         .every = every,
                         .body_names = {},
                         .joints = make_joint_layout(simulation.model())};
  for (const Body& body : simulation.model().bodies) layout.body_names.push_back(body.name);
  return layout;
}

void capture(Simulation& simulation, const JointLayout& layout, Sample& sample) {
  const Kinematics& kinematics = simulation.kinematics();
  sample.step = simulation.step_index();
  sample.time = simulation.state().time;
  const size_t bodies = simulation.model().bodies.size();
  sample.position.resize(bodies);
  sample.quaternion.resize(bodies);
  sample.linear_velocity.resize(bodies);
  sample.angular_velocity.resize(bodies);
  for (size_t b = 0; b < bodies; ++b) {
    sample.position[b] = kinematics.X_WB[b].p;
    sample.quaternion[b] = stored_quaternion(kinematics.X_WB[b].R);
    sample.linear_velocity[b] = kinematics.velocity[b].linear;
    sample.angular_velocity[b] = kinematics.velocity[b].angular;
  }
  read_joints(simulation.model(), simulation.state(), kinematics, layout, sample.joints);
  simulation.contact_reports(sample.contacts);
  sample.energies = simulation.energies();
}

}  // namespace stiction::recording
