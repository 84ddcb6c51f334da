#include "stiction/study/benchmark/benchmark_meters.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "stiction/base/assert.h"
#include "stiction/dynamics/joint_rows.h"
#include "stiction/model/joint_traits.h"

namespace stiction {

namespace {

constexpr double not_reached = std::numeric_limits<double>::infinity();

Vector3 center(const Model& model, const std::vector<BodyMotion>& bodies, int body) {
  return bodies[body].X_WB * model.bodies[body].com_B;
}

Vector3 across(const Vector3& v, const Vector3& direction) {
  return v - v.dot(direction) * direction;
}

int body_named(const Model& model, const char* name) {
  const int body = model.find_body(name);
  STICTION_ASSERT(body >= 0, "the scene has the body that its measure is about");
  return body;
}

// Slip of a sphere of radius 1 m over the plane falls evenly to zero. The time at which 1 % of it is left is found
// between two steps; soft contacts never come to exactly none.
class RollingMeter final : public BenchmarkMeter {
 public:
  RollingMeter(const BenchmarkMotion& motion, const Model& model, const std::vector<BodyMotion>& start)
      : motion_(motion), ball_(body_named(model, "ball")), first_slip_(slip(start)), slip_(first_slip_) {}

  void observe(double time, const std::vector<BodyMotion>& bodies) override {
    const double now = slip(bodies), left = 0.01 * first_slip_;
    if (!std::isfinite(rolls_at_) && now <= left) {
      rolls_at_ = (time_ + (time - time_) * (slip_ - left) / (slip_ - now)) / 0.99;
    }
    time_ = time;
    slip_ = now;
    speed_ = bodies[ball_].velocity.linear.dot(motion_.direction);
  }
  std::vector<BenchmarkFigure> figures() const override {
    return {{"speed error", "m/s", std::abs(speed_ - motion_.expected)},
            {"rolling error", "s", std::abs(rolls_at_ - motion_.expected_time)}};
  }

 private:
  double slip(const std::vector<BodyMotion>& bodies) const {
    return bodies[ball_].velocity.at(-Vector3::UnitZ()).dot(motion_.direction);
  }

  BenchmarkMotion motion_;
  int ball_;
  double first_slip_, slip_, time_ = 0, speed_ = 0, rolls_at_ = not_reached;
};

// Mean speed over the last second.
class StickingMeter final : public BenchmarkMeter {
 public:
  StickingMeter(double duration, const Model& model)
      : model_(model), cube_(body_named(model, "cube")), begin_(duration - 1) {}

  void observe(double time, const std::vector<BodyMotion>& bodies) override {
    const Vector3 at = center(model_, bodies, cube_);
    if (time <= begin_ + 1e-9) {
      from_ = at;
      from_time_ = time;
    } else {
      creep_ = across(at - from_, Vector3::UnitZ()).norm() / (time - from_time_);
    }
  }
  std::vector<BenchmarkFigure> figures() const override { return {{"creep", "m/s", creep_}}; }

 private:
  const Model& model_;
  int cube_;
  double begin_, from_time_ = 0, creep_ = not_reached;
  Vector3 from_ = Vector3::Zero();
};

class SlippingMeter final : public BenchmarkMeter {
 public:
  SlippingMeter(const BenchmarkMotion& motion, const Model& model)
      : motion_(motion), cube_(body_named(model, "cube")) {}

  void observe(double time, const std::vector<BodyMotion>& bodies) override {
    acceleration_ = bodies[cube_].velocity.linear.dot(motion_.direction) / time;
  }
  std::vector<BenchmarkFigure> figures() const override {
    return {{"acceleration error", "1", std::abs(acceleration_ / motion_.expected - 1)}};
  }

 private:
  BenchmarkMotion motion_;
  int cube_;
  double acceleration_ = not_reached;
};

class StoppingMeter final : public BenchmarkMeter {
 public:
  StoppingMeter(const BenchmarkMotion& motion, const Model& model, const std::vector<BodyMotion>& start)
      : motion_(motion), model_(model), cube_(body_named(model, "cube")), start_(center(model, start, cube_)) {}

  void observe(double, const std::vector<BodyMotion>& bodies) override {
    travel_ = center(model_, bodies, cube_) - start_;
  }
  std::vector<BenchmarkFigure> figures() const override {
    const Vector3 sideways = Vector3::UnitZ().cross(motion_.direction);
    return {{"distance error", "m", std::abs(travel_.dot(motion_.direction) - motion_.expected)},
            {"sideways drift", "m", std::abs(travel_.dot(sideways))}};
  }

 private:
  BenchmarkMotion motion_;
  const Model& model_;
  int cube_;
  Vector3 start_, travel_ = Vector3::Zero();
};

// Where the top ends, and the deepest overlap on the way.
class StandingMeter final : public BenchmarkMeter {
 public:
  StandingMeter(const Model& model, const std::vector<BodyMotion>& start)
      : model_(model), overlap_(model), top_(body_named(model, "top")), start_(center(model, start, top_)) {}

  void observe(double, const std::vector<BodyMotion>& bodies) override {
    deepest_ = std::max(deepest_, overlap_.measure(bodies));
    moved_ = center(model_, bodies, top_) - start_;
  }
  std::vector<BenchmarkFigure> figures() const override {
    return {{"overlap", "m", deepest_},
            {"drift", "m", across(moved_, Vector3::UnitZ()).norm()},
            {"sag", "m", std::abs(moved_.z())}};
  }

 private:
  const Model& model_;
  OverlapMeter overlap_;
  int top_;
  double deepest_ = 0;
  Vector3 start_, moved_ = Vector3::Zero();
};

class SettlingMeter final : public BenchmarkMeter {
 public:
  explicit SettlingMeter(const Model& model) : overlap_(model) {}

  void observe(double, const std::vector<BodyMotion>& bodies) override {
    overlap_end_ = overlap_.measure(bodies);
    overlap_largest_ = std::max(overlap_largest_, overlap_end_);
    speed_end_ = 0;
    for (const BodyMotion& body : bodies) speed_end_ = std::max(speed_end_, body.velocity.linear.norm());
    speed_largest_ = std::max(speed_largest_, speed_end_);
  }
  std::vector<BenchmarkFigure> figures() const override {
    return {{"overlap end", "m", overlap_end_},
            {"overlap max", "m", overlap_largest_},
            {"speed end", "m/s", speed_end_},
            {"speed max", "m/s", speed_largest_}};
  }

 private:
  OverlapMeter overlap_;
  double overlap_end_ = 0, overlap_largest_ = 0, speed_end_ = 0, speed_largest_ = 0;
};

// The ball's way against the middle of the jaws, in the plane of their faces: the jaws do not turn.
class HoldingMeter final : public BenchmarkMeter {
 public:
  HoldingMeter(const Model& model, const std::vector<BodyMotion>& start)
      : model_(model),
        ball_(body_named(model, "ball")),
        jaws_{body_named(model, "left"), body_named(model, "right")},
        start_(place(start)) {}

  void observe(double, const std::vector<BodyMotion>& bodies) override {
    slip_end_ = across(place(bodies) - start_, Vector3::UnitX()).norm();
    slip_largest_ = std::max(slip_largest_, slip_end_);
  }
  std::vector<BenchmarkFigure> figures() const override {
    return {{"slip end", "m", slip_end_}, {"slip max", "m", slip_largest_}};
  }

 private:
  Vector3 place(const std::vector<BodyMotion>& bodies) const {
    const Vector3 middle = (center(model_, bodies, jaws_[0]) + center(model_, bodies, jaws_[1])) / 2;
    return bodies[jaws_[0]].X_WB.R.transpose() * (center(model_, bodies, ball_) - middle);
  }

  const Model& model_;
  int ball_;
  std::array<int, 2> jaws_;
  Vector3 start_;
  double slip_end_ = 0, slip_largest_ = 0;
};

double energy_of(const Model& model, const std::vector<BodyMotion>& bodies) {
  double energy = 0;
  for (size_t b = 0; b < bodies.size(); ++b) {
    const Body& body = model.bodies[b];
    if (!body.moves) continue;
    const Vector3 w = bodies[b].X_WB.R.transpose() * bodies[b].velocity.angular;
    energy += 0.5 * body.mass * bodies[b].velocity.linear.squaredNorm() + 0.5 * w.dot(body.inertia_B * w) -
              body.mass * model.gravity.dot(center(model, bodies, static_cast<int>(b)));
  }
  return energy;
}

// m: between the two halves of a joint.
double largest_joint_gap(const Model& model, const std::vector<BodyMotion>& bodies) {
  double largest = 0;
  for (const Joint& joint : model.tree_joints) {
    if (is_free(joint.type)) continue;
    const Pose parent = joint.parent == world_index ? Pose{} : bodies[joint.parent].X_WB;
    const Vector3 apart = parent * joint.X_PJ.p - bodies[joint.child].X_WB * joint.X_CJ.p;
    largest = std::max(largest, apart.norm());
  }
  return largest;
}

class SwingingMeter final : public BenchmarkMeter {
 public:
  SwingingMeter(const Model& model, const std::vector<BodyMotion>& start)
      : model_(model), start_(energy_of(model, start)) {}

  void observe(double, const std::vector<BodyMotion>& bodies) override {
    energy_error_ = std::max(energy_error_, std::abs(energy_of(model_, bodies) - start_));
    joint_gap_ = std::max(joint_gap_, largest_joint_gap(model_, bodies));
  }
  std::vector<BenchmarkFigure> figures() const override {
    return {{"energy error", "J", energy_error_}, {"joint gap", "m", joint_gap_}};
  }

 private:
  const Model& model_;
  double start_, energy_error_ = 0, joint_gap_ = 0;
};

// The last second: the deepest overlap in it, how far the body came that went farthest, and what joints do in it.
class RestingMeter final : public BenchmarkMeter {
 public:
  RestingMeter(double duration, const Model& model, const std::vector<BodyMotion>& start)
      : model_(model), overlap_(model), kinematics_(make_kinematics(model)), begin_(duration - 1), from_(start) {}

  void observe(double time, const std::vector<BodyMotion>& bodies) override {
    if (time <= begin_ + 1e-9) {
      from_ = bodies;
      from_time_ = time;
      return;
    }
    overlap_largest_ = std::max(overlap_largest_, overlap_.measure(bodies));
    joint_gap_ = std::max(joint_gap_, largest_joint_gap(model_, bodies));
    limit_excess_ = std::max(limit_excess_, largest_limit_excess(bodies));
    creep_ = farthest_way(bodies) / (time - from_time_);
  }
  std::vector<BenchmarkFigure> figures() const override {
    return {{"overlap", "m", overlap_largest_},
            {"creep", "m/s", creep_},
            {"joint gap", "m", joint_gap_},
            {"limit excess", "rad", limit_excess_}};
  }

 private:
  double farthest_way(const std::vector<BodyMotion>& bodies) const {
    double farthest = 0;
    for (int b = 0; b < static_cast<int>(bodies.size()); ++b) {
      farthest = std::max(farthest, (center(model_, bodies, b) - center(model_, from_, b)).norm());
    }
    return farthest;
  }

  // Coordinates are read off the poses of the two bodies.
  double largest_limit_excess(const std::vector<BodyMotion>& bodies) {
    for (size_t b = 0; b < bodies.size(); ++b) kinematics_.X_WB[b] = bodies[b].X_WB;
    double largest = 0;
    for (const Joint& joint : model_.tree_joints) {
      if (is_free(joint.type)) continue;
      const JointRows rows = joint_freedom_rows(model_, joint, kinematics_);
      for (int i = 0; i < rows.count; ++i) {
        const auto& [low, high] = joint.coordinates[i].limits;
        largest = std::max({largest, low - rows.rows[i].value, rows.rows[i].value - high});
      }
    }
    return largest;
  }

  const Model& model_;
  OverlapMeter overlap_;
  Kinematics kinematics_;
  double begin_, from_time_ = 0;
  std::vector<BodyMotion> from_;
  double overlap_largest_ = 0, creep_ = not_reached, joint_gap_ = 0, limit_excess_ = 0;
};

}  // namespace

std::vector<BodyMotion> body_motions(const Kinematics& kinematics) {
  std::vector<BodyMotion> bodies(kinematics.X_WB.size());
  for (size_t b = 0; b < bodies.size(); ++b) bodies[b] = {kinematics.X_WB[b], kinematics.velocity[b]};
  return bodies;
}

OverlapMeter::OverlapMeter(const Model& model)
    : model_(model), kinematics_(make_kinematics(model)), detection_(contact::make_detection(model)) {
  std::fill(detection_.reach.begin(), detection_.reach.end(), 0.0);
}

double OverlapMeter::measure(const std::vector<BodyMotion>& bodies) {
  for (size_t b = 0; b < bodies.size(); ++b) {
    kinematics_.X_WB[b] = bodies[b].X_WB;
    kinematics_.com_W[b] = center(model_, bodies, static_cast<int>(b));
  }
  contact::detect_contacts(model_, kinematics_, detection_, contacts_);
  double deepest = 0;
  for (const contact::Contact& contact : contacts_) deepest = std::max(deepest, -contact.gap);
  return deepest;
}

std::unique_ptr<BenchmarkMeter> make_benchmark_meter(const BenchmarkMotion& motion, double duration, const Model& model,
                                                     const std::vector<BodyMotion>& start) {
  switch (motion.measure) {
    case BenchmarkMeasure::rolling:
      return std::make_unique<RollingMeter>(motion, model, start);
    case BenchmarkMeasure::sticking:
      return std::make_unique<StickingMeter>(duration, model);
    case BenchmarkMeasure::slipping:
      return std::make_unique<SlippingMeter>(motion, model);
    case BenchmarkMeasure::stopping:
      return std::make_unique<StoppingMeter>(motion, model, start);
    case BenchmarkMeasure::standing:
      return std::make_unique<StandingMeter>(model, start);
    case BenchmarkMeasure::settling:
      return std::make_unique<SettlingMeter>(model);
    case BenchmarkMeasure::holding:
      return std::make_unique<HoldingMeter>(model, start);
    case BenchmarkMeasure::resting:
      return std::make_unique<RestingMeter>(duration, model, start);
    case BenchmarkMeasure::swinging:
      break;
  }
  return std::make_unique<SwingingMeter>(model, start);
}

}  // namespace stiction
