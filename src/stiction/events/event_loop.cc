#include "stiction/events/event_loop.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "stiction/contact/sorted_keys.h"
#include "stiction/dynamics/mean_velocity.h"
#include "stiction/events/event_report.h"
#include "stiction/events/event_settle.h"
#include "stiction/events/smooth_motion.h"

namespace stiction {

namespace {

// Events without any time between them before a step is given up.
constexpr int max_stalled = 200;
// Bodies move by no more than this share of the smallest one's size in one step of the integration.
constexpr double travel_share = 0.25;
// Evaluations of the motion that a step may take, and more with every event; their work is bounded by
// options.max_evaluations.
constexpr long least_budget = 6000, event_budget = 300;
// Refinements of an event's time.
constexpr int max_refinements = 4;
// m: a gap that dips deeper between two steps of the integration was an event.
constexpr double dip_tolerance = 1e-12;
constexpr double projection_tolerance = 1e-13;
constexpr int projection_steps = 4;
// m: tracked gaps above this are as well measured.
constexpr double measured_gap = 1e-6;
// Relative to the motion: absolute errors of positions [m] and velocities [m/s].
constexpr double least_scale = 1e-3;
// m/s: gaps that open more slowly open from rest; m: their absolute error.
constexpr double from_rest = 1e-11, rounding = 1e-16;
// s: errors of the time of landing that do not matter.
constexpr double landing_time = 1e-13;

// One step, from event to event.
class EventLoop {
 public:
  EventLoop(const Model& model, const EventDrivenOptions& options, IslandSolver& instants, const StepInput& input,
            const contact::ContactMemory& memory, const State& start, EventWork& work)
      : model_(model),
        options_(options),
        m_(work),
        h_(input.h),
        start_(start.time),
        motion_(model, input.force, m_),
        settler_({model, options, instants, input, memory}, m_, motion_),
        state(start) {}

  bool run();
  void report(StepOutcome& outcome, StepRecord& record);

  std::string failure() const { return settler_.failure.empty() ? failure_ : settler_.failure; }

 private:
  // A contact near by: for dips between two steps.
  struct Near {
    std::uint64_t key;
    double gap, rate;
  };

  bool advance(double& local);
  bool rate(double t, const double* y, double* ydot);
  bool root(double t, const double* y, double* g);
  void set_limits();
  void list_near(const double* y, std::vector<Near>& near);
  bool dipped(double length, const std::vector<Near>& now) const;
  EventTrigger refine(double t_before, const VectorX& y_before, const SmoothMotion& motion, double& t, VectorX& y);
  EventTrigger read_trigger(const std::vector<int>& found, const VectorX& g) const;
  void take(const VectorX& y, double length);

  const Model& model_;
  const EventDrivenOptions& options_;
  EventWork& m_;
  double h_, start_;
  EventMotion motion_;
  EventSettler settler_;
  SmoothProblem problem_;
  State trial_;
  Accelerations at_;
  std::vector<Near> near_;
  double step_limit_ = infinity;  // s: of the integration, after a dip
  double piece_start_ = 0;        // of the present piece, since the start of the step
  std::optional<EventTrigger> trigger_;
  std::string failure_;

 public:
  State state;
};

bool EventLoop::rate(double t, const double* y, double* ydot) {
  motion_.unpack(y, trial_);
  trial_.time = start_ + piece_start_ + t;
  if (!trial_.q.allFinite() || !trial_.v.allFinite()) return false;
  if (m_.last.work > options_.max_evaluations) return false;  // the integrator gives up soon, and so does the step
  if (!motion_.accelerate(trial_, false, at_)) return false;
  motion_.rates(trial_, at_.vdot, ydot);
  return true;
}

bool EventLoop::root(double t, const double* y, double* g) {
  motion_.unpack(y, trial_);
  trial_.time = start_ + piece_start_ + t;
  if (!trial_.q.allFinite() || !motion_.accelerate(trial_, true, at_)) return false;
  motion_.roots(y + model_.q_size + model_.v_size, t, at_, g);
  return true;
}

// Reach of detection, longest step and tolerances, from the motion at `state`.
void EventLoop::set_limits() {
  update_kinematics(model_, state, 0, m_.now.kinematics);
  double speed = 0, size = infinity;
  for (size_t b = 0; b < model_.bodies.size(); ++b) {
    const double radius = m_.now.detection.radius[b];
    const bool finite = std::isfinite(radius) && radius > 0;
    const Twist& V = m_.now.kinematics.velocity[b];
    speed = std::max(speed, V.linear.norm() + (finite ? radius * V.angular.norm() : 0.0));
    if (finite && model_.bodies[b].kind == BodyKind::simulated) size = std::min(size, radius);
  }
  if (!std::isfinite(size)) size = 1;
  const double fall = model_.gravity.norm() * h_;
  problem_.max_step = std::min(step_limit_, travel_share * size / std::max(speed + fall, 1e-3 * size / h_));
  motion_.reach = std::max(2 * (speed + fall) * h_, 1e-6);  // nothing that is followed gets out of sight
  problem_.size = motion_.size();
  problem_.roots = motion_.root_count();
  problem_.relative = options_.tolerance;
  problem_.absolute.resize(problem_.size);
  problem_.absolute.head(model_.q_size).setConstant(options_.tolerance * std::max(size, least_scale));
  problem_.absolute.segment(model_.q_size, model_.v_size)
      .setConstant(options_.tolerance * std::max(speed, least_scale));
  // Small bounces are followed as well as large ones: relative to the height that gravity would allow, as far as the
  // time of landing gains by it.
  motion_.accelerate(state, false, at_);
  const double g = std::max(model_.gravity.norm(), 1e-3);
  for (size_t i = 0; i < m_.tracked.size(); ++i) {
    const double u = std::abs(motion_.tracked_rates()[i]);
    problem_.absolute[model_.q_size + model_.v_size + i] =
        u > from_rest ? std::max(options_.tolerance * u / g, landing_time) * u : rounding;
  }
}

void EventLoop::list_near(const double* y, std::vector<Near>& near) {
  motion_.unpack(y, trial_);
  place_instant(model_, trial_, motion_.reach, m_.now);
  near.clear();
  for (const contact::Contact& c : m_.now.contacts) {
    near.push_back({c.key, c.gap, contact::closing_speed(model_, m_.now.kinematics, c)});
  }
  contact::sort_by_key(near);
}

// A gap that closed and opened again within the last step of the integration, by its cubic.
bool EventLoop::dipped(double length, const std::vector<Near>& now) const {
  for (const Near& a : near_) {
    if (a.rate >= 0 || m_.modes.find_contact(a.key) != nullptr) continue;
    const Near* b = contact::find_item(now, a.key);
    if (b == nullptr || b->rate <= 0) continue;
    constexpr int samples = 16;
    for (int i = 1; i < samples; ++i) {
      const double s = static_cast<double>(i) / samples, r = 1 - s;
      const double gap =
          r * r * (1 + 2 * s) * a.gap + s * s * (3 - 2 * s) * b->gap + length * s * r * (r * a.rate - s * b->rate);
      if (gap < -dip_tolerance) return true;
    }
  }
  return false;
}

EventTrigger EventLoop::read_trigger(const std::vector<int>& found, const VectorX& g) const {
  EventTrigger trigger;
  const auto fired = [&](int i) { return found[i] != 0 || g[i] <= 0; };
  int i = 0;
  trigger.gap = fired(i++);
  ++i;  // the margin: modes are found anew in any case
  for (const TrackedGap& tracked : m_.tracked) {
    if (fired(i++)) trigger.landed.push_back(tracked.key);
  }
  const auto slips = [&](const std::vector<ContactMode>& modes, std::vector<std::uint64_t>& stopped) {
    for (const ContactMode& mode : modes) {
      if (mode.slips && fired(i++)) stopped.push_back(mode.key);
      if (mode.slips) ++i;  // slow, or no longer: modes are found anew in any case
      if (mode.rolls && fired(i++)) trigger.unturned.push_back(mode.key);
    }
  };
  slips(m_.modes.contacts, trigger.stopped);
  slips(m_.modes.scalars, trigger.unmoved);
  return trigger;
}

// The root was found on an interpolant; here the motion itself is followed up to it, and the time corrected by the
// secant rule on the function that fell.
EventTrigger EventLoop::refine(double t_before, const VectorX& y_before, const SmoothMotion& motion, double& t,
                               VectorX& y) {
  const std::vector<int> found = motion.found();
  const auto fell =
      static_cast<Eigen::Index>(std::find_if(found.begin(), found.end(), [](int x) { return x != 0; }) - found.begin());
  SmoothProblem plain = problem_;
  plain.roots = 0;
  plain.rate = [&](double s, const double* x, double* xdot) { return rate(t_before + s, x, xdot); };
  VectorX g(problem_.roots);
  const auto follow = [&](double length, VectorX& end) {
    end = y_before;
    if (length <= 0) return true;
    SmoothMotion piece(plain, y_before);
    SmoothMotion::Ended ended = SmoothMotion::Ended::step;
    while (ended == SmoothMotion::Ended::step) ended = piece.step(length);
    end = piece.y();
    return ended == SmoothMotion::Ended::end;
  };
  root(t_before, y_before.data(), g.data());
  double a = 0, g_a = g[fell], b = t - t_before, best = infinity;
  VectorX end;
  for (int i = 0; i < max_refinements; ++i) {
    if (!follow(b, end) || !root(t_before + b, end.data(), g.data())) break;
    const double g_b = g[fell];
    if (std::abs(g_b) < best) {
      best = std::abs(g_b);
      t = t_before + b;
      y = end;
    }
    if (g_b == 0 || g_a == g_b) break;
    const double next = std::max(0.0, b - g_b * (b - a) / (g_b - g_a));
    if (std::abs(next - b) <= 1e-16 * b) break;
    a = b;
    g_a = g_b;
    b = next;
  }
  root(t, y.data(), g.data());
  return read_trigger(found, g);
}

void EventLoop::take(const VectorX& y, double length) {
  motion_.unpack(y.data(), state);
  for (size_t i = 0; i < m_.tracked.size(); ++i) {
    m_.tracked[i].gap = y[model_.q_size + model_.v_size + i];
    m_.tracked[i].age += length;
  }
  piece_start_ += length;
  state.time = start_ + piece_start_;
}

// One piece: to the next event, which it leaves in trigger_, or to the end of the step. `local`: time since its start.
bool EventLoop::advance(double& local) {
  set_limits();
  problem_.rate = [this](double t, const double* y, double* ydot) { return rate(t, y, ydot); };
  problem_.root = [this](double t, const double* y, double* g) { return root(t, y, g); };
  const double end = h_ - piece_start_;
  VectorX y_before = motion_.pack(state), y = y_before;
  double t_before = 0;
  trigger_.reset();
  SmoothMotion motion(problem_, y);
  list_near(y.data(), near_);
  std::vector<Near> now;
  while (true) {
    const SmoothMotion::Ended ended = motion.step(end);
    const long explained = least_budget + event_budget * static_cast<long>(m_.last.events.size());
    if (m_.last.evaluations > explained || m_.last.work > options_.max_evaluations) {
      failure_ = fmt::format("motion after t = {:.12g} s takes too many evaluations", state.time);
      return false;
    }
    if (ended == SmoothMotion::Ended::failed) {
      failure_ = fmt::format("motion after t = {:.12g} s not integrated: {}", state.time, motion.failure());
      return false;
    }
    double t = motion.time();
    y = motion.y();
    if (ended == SmoothMotion::Ended::root) {
      const EventTrigger trigger = refine(t_before, y_before, motion, t, y);
      local = t;
      trigger_ = trigger;
      step_limit_ = infinity;
      take(y, t);
      return true;
    }
    list_near(y.data(), now);
    if (dipped(t - t_before, now) && t - t_before > 1e-12) {
      step_limit_ = (t - t_before) / 4;
      take(y_before, t_before);
      return advance(local);
    }
    near_ = now;
    t_before = t;
    y_before = y;
    if (ended == SmoothMotion::Ended::end) break;
  }
  local = end;
  take(y, end);
  return true;
}

bool EventLoop::run() {
  EventTrigger trigger;
  if (!settler_.settle(trigger, state)) return false;
  int stalled = 0;
  while (piece_start_ < h_) {
    double length = 0;
    if (!advance(length)) return false;
    if (!trigger_) break;
    stalled = length <= 1e-15 * std::max(1.0, state.time) ? stalled + 1 : 0;
    if (stalled > max_stalled) {
      failure_ = fmt::format("events at t = {:.12g} s follow each other without end", state.time);
      return false;
    }
    if (!settler_.settle(*trigger_, state)) return false;
  }
  state.time = start_ + h_;
  return true;
}

void EventLoop::report(StepOutcome& outcome, StepRecord& record) {
  std::erase_if(m_.tracked, [](const TrackedGap& t) { return t.gap > measured_gap; });
  motion_.accelerate(state, true, at_);
  settler_.put_right(state);
  motion_.accelerate(state, true, at_);
  write_instant(model_, state, at_, motion_, m_, record);
  record.certificate = certify::certify_step(record.problem, record.answer, m_.certify);
  record.certificate.merge(settler_.certificate);
  record.reports.assign(record.islands.count(), {});
  for (IslandReport& island : record.reports) {
    island.solve.termination = solvers::Termination::solved;
    if (settler_.ended) island.fallback = Fallback::impacts_ended;
    if (settler_.by_step > 0) island.fallback = Fallback::impact_by_step;
  }
  outcome.ok = state.q.allFinite() && state.v.allFinite();
  outcome.islands = record.islands.count();
  outcome.iterations = static_cast<int>(m_.last.evaluations);
  outcome.parts = 1 + static_cast<int>(m_.last.events.size());
  outcome.passes = 1;
  outcome.fallbacks = settler_.ended || settler_.by_step > 0 ? record.islands.count() : 0;
}

}  // namespace

EventWork::EventWork(const Model& model)
    : now(make_instant(model)), scratch(make_instant(model)), forces(model), projection(model) {}

bool advance_by_events(const Model& model, const EventDrivenOptions& options, IslandSolver& instants,
                       const StepInput& input, const contact::ContactMemory& memory, State& state, EventWork& work,
                       StepRecord& record, StepOutcome& outcome) {
  work.last = {};
  EventLoop loop(model, options, instants, input, memory, state, work);
  if (loop.run()) {
    if (!model.loop_joints.empty()) {
      project_constraints(model, loop.state, projection_tolerance, projection_steps, work.projection);
    }
    loop.report(outcome, record);
  }
  if (!outcome.ok) {
    outcome.failure = fmt::format("step at t = {:.9g} s not solved: {}", state.time, loop.failure());
    return false;
  }
  record.v_position = mean_velocity(model, state.q, loop.state.q, input.h);
  state = loop.state;
  return true;
}

}  // namespace stiction
