#include "papers/drumwright2009/grasp_run.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include <fmt/format.h>

#include "stiction/study/drift.h"

namespace stiction::papers::drumwright2009 {

namespace {

constexpr int most_samples = 2000;
constexpr double after_loss = 0.1;  // s: the fall that a plot still shows

// Where the ball is, seen from the jaws, whose axes are the palm's.
class GripperView {
 public:
  explicit GripperView(Simulation& simulation)
      : simulation_(simulation),
        meter_(simulation.model(), simulation.kinematics(), {{"left_jaw", "right_jaw"}, "ball", Vector3::UnitY()}),
        before_(make_kinematics(simulation.model())),
        q_before_(simulation.state().q) {}

  // After a step: the drift and the scheme's part of it, in the plane of the pads.
  void look() {
    add_scheme_part();
    drift_ = meter_.displacement(simulation_.kinematics());
    q_before_ = simulation_.state().q;
  }

  const Vector3& drift() const { return drift_; }
  const Vector3& scheme() const { return scheme_; }

 private:
  // The palm's point at the ball's place moves by h v + c; the ball, going straight, is left behind by c.
  void add_scheme_part() {
    const StepRecord& step = simulation_.last_step();
    const double h = simulation_.settings().step;
    State state{simulation_.state().time - h, q_before_, step.v_position};
    update_kinematics(simulation_.model(), state, h, before_);
    const Vector3 point = before_.com_W[ball_];
    const Pose& old = before_.X_WB[palm_];
    const Vector3 velocity = before_.velocity[palm_].at(point - before_.com_W[palm_]);
    const Pose& now = simulation_.kinematics().X_WB[palm_];
    const Vector3 carried = now.p + now.R * (old.R.transpose() * (point - old.p));
    const Vector3 c = now.R.transpose() * (carried - point - h * velocity);
    scheme_ -= Vector3(c.x(), 0, c.z());
  }

  Simulation& simulation_;
  DriftMeter meter_;
  int ball_ = simulation_.model().find_body("ball"), palm_ = simulation_.model().find_body("palm");
  Kinematics before_;
  VectorX q_before_;
  Vector3 drift_ = Vector3::Zero(), scheme_ = Vector3::Zero();
};

// One grasp while it goes on.
class Grasp {
 public:
  Grasp(Simulation& simulation, GraspRun& run)
      : simulation_(simulation),
        run_(run),
        view_(simulation),
        every_(std::max(1L, steps_for(run.duration, run.h) / most_samples)) {}

  // Takes a step and looks at it; false when there is nothing more to see.
  bool step() {
    const StepOutcome outcome = simulation_.step();
    const double now = simulation_.state().time;
    if (!outcome.ok) {
      run_.failed_at = now;
      run_.failure = outcome.failure;
      return false;
    }
    ++run_.steps;
    run_.fallbacks += outcome.fallbacks;
    run_.certificate.merge(simulation_.last_step().certificate);
    view_.look();
    if (run_.lost_at < 0) look_at_held_ball();
    if (run_.steps % every_ == 0 || run_.lost_at >= 0 || run_.steps <= 200) sample(now);
    if (run_.lost_at < 0 && !(view_.drift().norm() <= dropped_drift)) run_.lost_at = now;
    return run_.lost_at < 0 || now <= run_.lost_at + after_loss;
  }

  void finish() {
    if (run_.steps > 0) run_.grip = grip_ / static_cast<double>(run_.steps);
  }

 private:
  void look_at_held_ball() {
    run_.worst_drift = std::max(run_.worst_drift, view_.drift().norm());
    run_.worst_scheme = std::max(run_.worst_scheme, view_.scheme().norm());
    run_.worst_excess = std::max(run_.worst_excess, (view_.drift() - view_.scheme()).norm());
    look_at_forces();
  }

  // Friction that the contacts use, and how hard the jaws press.
  void look_at_forces() {
    simulation_.contact_reports(reports_);
    for (const ContactReport& contact : reports_) {
      const double normal = contact.force.dot(contact.normal);
      if (normal <= 0) continue;
      grip_ += normal / static_cast<double>(reports_.size());
      const double tangential = (contact.force - normal * contact.normal).norm();
      run_.friction_used = std::max(run_.friction_used, tangential / normal);
    }
  }

  void sample(double now) {
    run_.time.push_back(now);
    run_.drift.push_back(view_.drift().norm());
    if (run_.lost_at < 0) run_.worst_penetration = std::max(run_.worst_penetration, simulation_.measure_penetration());
  }

  Simulation& simulation_;
  GraspRun& run_;
  GripperView view_;
  long every_;
  std::vector<ContactReport> reports_;
  double grip_ = 0;
};

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
  Grasp grasp(simulation, run);
  const long steps = steps_for(duration, run.h);
  size_t next = 0;
  const auto begin = std::chrono::steady_clock::now();
  for (bool goes_on = true; goes_on && run.steps < steps;) {
    if (next < snapshot_times.size() && simulation.state().time >= snapshot_times[next] - run.h / 2) {
      snapshots->push_back({simulation.state().time, simulation.kinematics().X_WB});
      ++next;
    }
    goes_on = grasp.step();
  }
  run.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  grasp.finish();
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
