#include "papers/drumwright2009/grasp_run.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include <fmt/format.h>

namespace stiction::papers::drumwright2009 {

namespace {

constexpr int most_samples = 2000;
constexpr double after_loss = 0.1;  // s: the fall that a plot still shows

// Where the ball is, seen from the palm.
class GripperView {
 public:
  explicit GripperView(Simulation& simulation)
      : simulation_(simulation), before_(make_kinematics(simulation.model())), start_(ball_from_jaws()) {
    q_before_ = simulation.state().q;
  }

  // After a step: the drift and the scheme's part of it.
  void look() {
    add_scheme_part();
    const Vector3 moved = ball_from_jaws() - start_;
    drift_ = {moved.x(), moved.z()};
    q_before_ = simulation_.state().q;
  }

  const Vector2& drift() const { return drift_; }
  const Vector2& scheme() const { return scheme_; }

 private:
  Vector3 ball_from_jaws() {
    const Kinematics& k = simulation_.kinematics();
    const Vector3 jaws = 0.5 * (k.com_W[left_] + k.com_W[right_]);
    return k.X_WB[palm_].R.transpose() * (k.com_W[ball_] - jaws);
  }

  // The palm's point at the ball's place moves by h v + c; the ball, going straight, is left behind by c.
  void add_scheme_part() {
    const StepWorkspace& step = simulation_.last_step();
    const double h = simulation_.settings().step;
    State state{simulation_.state().time - h, q_before_, step.v_position};
    update_kinematics(simulation_.model(), state, h, before_);
    const Vector3 point = before_.com_W[ball_];
    const Pose& old = before_.X_WB[palm_];
    const Vector3 velocity = before_.velocity[palm_].at(point - before_.com_W[palm_]);
    const Pose& now = simulation_.kinematics().X_WB[palm_];
    const Vector3 carried = now.p + now.R * (old.R.transpose() * (point - old.p));
    const Vector3 c = now.R.transpose() * (carried - point - h * velocity);
    scheme_ -= Vector2(c.x(), c.z());
  }

  Simulation& simulation_;
  int ball_ = simulation_.model().find_body("ball"), palm_ = simulation_.model().find_body("palm");
  int left_ = simulation_.model().find_body("left_jaw"), right_ = simulation_.model().find_body("right_jaw");
  Kinematics before_;
  Vector3 start_;
  VectorX q_before_;
  Vector2 drift_ = Vector2::Zero(), scheme_ = Vector2::Zero();
};

// Friction that the contacts use, and how hard the jaws press.
void look_at_forces(const Simulation& simulation, std::vector<ContactReport>& reports, GraspRun& run, double& grip) {
  simulation.contact_reports(reports);
  for (const ContactReport& contact : reports) {
    const double normal = contact.force.dot(contact.normal);
    if (normal <= 0) continue;
    grip += normal / static_cast<double>(reports.size());
    run.friction_used = std::max(run.friction_used, (contact.force - normal * contact.normal).norm() / normal);
  }
}

Snapshot take_snapshot(Simulation& simulation) {
  return {simulation.state().time, simulation.kinematics().X_WB};
}

}  // namespace

Result<GraspRun> run_grasp(const std::string& method, double duration, std::vector<std::string> overrides,
                           std::span<const double> snapshot_times, std::vector<Snapshot>* snapshots) {
  overrides.push_back("simulation.method=" + method);
  overrides.push_back(fmt::format("simulation.duration={}", duration));
  auto opened = open_example("scenes/grasp.toml", overrides);
  if (!opened) return failure(opened.error());
  Simulation& simulation = *opened;
  GraspRun run;
  run.method = method;
  run.h = simulation.settings().step;
  run.duration = duration;
  const long steps = steps_for(duration, run.h), every = std::max(1L, steps / most_samples);
  GripperView view(simulation);
  std::vector<ContactReport> reports;
  double grip = 0;
  size_t next_snapshot = 0;
  const auto begin = std::chrono::steady_clock::now();
  while (run.steps < steps) {
    if (next_snapshot < snapshot_times.size() && simulation.state().time >= snapshot_times[next_snapshot] - run.h / 2) {
      snapshots->push_back(take_snapshot(simulation));
      ++next_snapshot;
    }
    const StepOutcome outcome = simulation.step();
    const double now = simulation.state().time;
    if (!outcome.ok) {
      run.failed_at = now;
      run.failure = outcome.failure;
      break;
    }
    ++run.steps;
    run.fallbacks += outcome.fallbacks;
    run.certificate.merge(simulation.last_step().certificate);
    view.look();
    if (run.lost_at < 0) {
      run.worst_drift = std::max(run.worst_drift, view.drift().norm());
      run.worst_scheme = std::max(run.worst_scheme, view.scheme().norm());
      run.worst_excess = std::max(run.worst_excess, (view.drift() - view.scheme()).norm());
      look_at_forces(simulation, reports, run, grip);
    }
    if (run.steps % every == 0 || run.lost_at >= 0 || run.steps <= 200) {
      run.time.push_back(now);
      run.drift.push_back(view.drift().norm());
      if (run.lost_at < 0) run.worst_penetration = std::max(run.worst_penetration, simulation.measure_penetration());
    }
    if (run.lost_at < 0 && !(view.drift().norm() <= dropped_drift)) run.lost_at = now;
    if (run.lost_at >= 0 && now > run.lost_at + after_loss) break;
  }
  run.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  if (run.steps > 0) run.grip = grip / static_cast<double>(run.steps);
  return run;
}

std::vector<std::string> heavier_ball(double factor) {
  const double inertia = 4.2e-5 * factor;
  return {fmt::format("body.ball.mass={}", 0.058 * factor),
          fmt::format("body.ball.inertia=[{0}, {0}, {0}, 0, 0, 0]", inertia)};
}

std::vector<std::string> faster_motion(double factor) {
  return {fmt::format("controller.pan.trajectory=[{{ amplitude = 0.25, frequency = {} }}]", factor),
          fmt::format("controller.lift.trajectory=[{{ amplitude = 0.25, frequency = {} }}]", 2 * factor),
          fmt::format("joint.pan.velocity={}", 0.25 * factor),
          fmt::format("joint.lift.velocity={}", 0.5 * factor),
          fmt::format("body.ball.linear_velocity=[{}, {}, {}]", 0.2 * factor, 0.14 * factor, -0.28 * factor),
          fmt::format("body.ball.angular_velocity=[0, {}, {}]", 0.5 * factor, 0.25 * factor)};
}

std::vector<std::string> join(std::vector<std::string> a, const std::vector<std::string>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

}  // namespace stiction::papers::drumwright2009
