// Random pairs of shapes thrown at each other, one to three long steps each, and the verdict on every step: for methods
// whose contacts are those of the end of the step.
//
// Speeds go up to where a body crosses several of its sizes in a step, steps from 1e-4 to 0.1 s. A step is right when
// it is certified and ends without overlap on the side where it began, or when the report names a fallback; what must
// never be is a number that is not finite, a body that has passed through another, or a claim that is refuted.
#pragma once

#include <array>
#include <cmath>
#include <map>
#include <string>

#include "geometry/random_pairs.h"
#include "support/scenarios.h"

namespace stiction::testing {

/// What became of the steps.
struct RandomStepCounts {
  long cases = 0, steps = 0, touched = 0;
  long not_finite = 0;     ///< must be 0
  long wrong_side = 0;     ///< must be 0
  long refuted = 0;        ///< called solved, but the certificate is above 1e-8: must be 0
  long overlapping = 0;    ///< called solved, but bodies overlap by more than 1e-9 of the size: must be 0
  long state_touched = 0;  ///< not solved, but the state has changed: must be 0
  long not_solved = 0;     ///< reported as such
  double worst_certificate = 0, worst_overlap = 0;  ///< of solved steps; overlap relative to the size
  std::map<std::string, long> fallbacks;            ///< of steps, by name
  std::map<std::string, unsigned> first_seed;       ///< of each thing that must not be
};

/// Makes and judges the cases.
class RandomContactSteps {
 public:
  explicit RandomContactSteps(std::string method) : method_(std::move(method)) {}

  void run(unsigned seed, RandomStepCounts& counts) {
    geometry::testing::RandomPairs random(seed);
    size_ = random.log_uniform(0.05, 1);
    h_ = random.log_uniform(1e-4, 1e-1);
    ModelDescription model = make(random);
    SimulationSettings settings;
    settings.method = method_;
    settings.step = h_;
    const Result<BuiltModel> built = build_model(model);
    if (!built) throw std::runtime_error(built.error().message());
    Simulation simulation = make_simulation(model, settings);
    ++counts.cases;
    for (int i = 0; i < 3; ++i) {
      if (!take_step(simulation, seed, counts)) return;
    }
  }

 private:
  static Pose pose_of(const Simulation& simulation, const Kinematics& kinematics, int shape) {
    const BodyShape& s = simulation.model().shapes[shape];
    return kinematics.X_WB[s.body] * s.X_BS;
  }

  static std::array<Pose, 2> poses_of(Simulation& simulation) {
    const Kinematics& kinematics = simulation.kinematics();
    return {pose_of(simulation, kinematics, 0), pose_of(simulation, kinematics, 1)};
  }

  ModelDescription make(geometry::testing::RandomPairs& random) {
    ModelDescription model;
    if (random.below(2)) model.gravity.setZero();
    const double mu = random.below(4) == 0 ? 0.0 : random.uniform(0, 1.2);
    model.materials.push_back({.name = "wood", .friction = {mu, mu}});
    if (random.below(4) == 0) model.materials[0].torsional_friction = 0.1 * size_;
    if (random.below(4) == 0) model.materials[0].restitution = random.uniform(0, 1);
    geometry::Shape A = random.shape(size_, 4, false), B = random.shape(size_, 4, false);
    const bool plane = random.below(5) == 0;
    if (plane) A = geometry::Plane{};
    const Matrix3 R_A = plane ? Matrix3::Identity() : random.rotation(), R_B = random.rotation();
    const Vector3 d = plane ? Vector3::UnitZ() : random.direction();
    const double reach = support(A, R_A, d, plane) + support(B, R_B, -d, false);
    const double gap = size_ * (random.below(3) == 0 ? 0.0 : random.log_uniform(1e-6, 3));
    model.bodies.push_back(body("A", A, R_A, Vector3::Zero(), random, plane || random.below(3) == 0));
    model.bodies.push_back(body("B", B, R_B, (reach + gap) * d, random, false));
    // B comes towards A, more or less, at up to several sizes per step.
    const double travel = size_ * random.log_uniform(1e-4, 6);
    model.bodies[1].linear_velocity = (-d + random.uniform(0, 0.7) * random.direction()) * (travel / h_);
    return model;
  }

  static double support(const geometry::Shape& shape, const Matrix3& R, const Vector3& d, bool plane) {
    return plane ? 0.0 : geometry::support_height(shape, R.transpose() * d);
  }

  BodyDescription body(const std::string& name, const geometry::Shape& shape, const Matrix3& R, const Vector3& at,
                       geometry::testing::RandomPairs& random, bool fixed) const {
    BodyDescription body = body_of(name, 1, shape, at);
    body.orientation = Quaternion(R);
    if (fixed) {
      body.mass = std::nullopt;
      body.fixed = true;
      return body;
    }
    body.mass = random.log_uniform(0.1, 10);
    body.linear_velocity = random.direction() * (size_ * random.log_uniform(1e-4, 0.5) / h_);
    body.angular_velocity = random.direction() * (random.log_uniform(1e-3, 0.8) / h_);
    return body;
  }

  // Deepest overlap on the straight way of both shapes from start to end, relative to the size: an end on the far side
  // that the body did not fly round to.
  double overlap_on_the_way(const Simulation& simulation, const std::array<Pose, 2>& start,
                            const std::array<Pose, 2>& end) const {
    const Model& model = simulation.model();
    double deepest = 0;
    constexpr int samples = 64;
    for (int k = 1; k < samples; ++k) {
      std::array<Pose, 2> at;
      for (int i = 0; i < 2; ++i) {
        const double t = static_cast<double>(k) / samples;
        at[i].p = start[i].p + t * (end[i].p - start[i].p);
        at[i].R = Quaternion(start[i].R).slerp(t, Quaternion(end[i].R)).toRotationMatrix();
      }
      const auto apart = geometry::distance(model.shapes[0].shape, at[0], model.shapes[1].shape, at[1]);
      deepest = std::max(deepest, -apart.gap);
    }
    return deepest / size_;
  }

  static geometry::Distance gap_at(const Simulation& simulation, const Kinematics& kinematics) {
    const Model& model = simulation.model();
    return geometry::distance(model.shapes[0].shape, pose_of(simulation, kinematics, 0), model.shapes[1].shape,
                              pose_of(simulation, kinematics, 1));
  }

  // False when there is no point in going on.
  bool take_step(Simulation& simulation, unsigned seed, RandomStepCounts& counts) {
    const State start = simulation.state();
    const std::array<Pose, 2> poses = poses_of(simulation);
    const Vector3 normal = gap_at(simulation, simulation.kinematics()).normal;
    const StepOutcome outcome = simulation.step();
    ++counts.steps;
    const auto wrong = [&](long& count, const char* what) {
      ++count;
      counts.first_seed.try_emplace(what, seed);
      return false;
    };
    const State& end = simulation.state();
    if (!end.q.allFinite() || !end.v.allFinite()) return wrong(counts.not_finite, "not finite");
    if (!outcome.ok) {
      if (end.q != start.q || end.v != start.v) return wrong(counts.state_touched, "state touched");
      return wrong(counts.not_solved, "not solved");
    }
    FallbackOf fallback;
    for (const IslandReport& report : simulation.last_step().reports) {
      if (report.fallback != Fallback::none) fallback = report.fallback_of();
    }
    const bool first_way = fallback.kind == Fallback::none;
    if (!first_way) {
      ++counts.fallbacks[fallback.name()];
      counts.first_seed.try_emplace(fallback.name(), seed);
    }
    const VectorX& p = simulation.last_step().answer.impulse;
    counts.touched += p.size() > 0 && p.cwiseAbs().maxCoeff() > 0;
    const geometry::Distance at_end = gap_at(simulation, simulation.kinematics());
    bool right = true;
    // A step of several parts may hit, turn aside and go on past a corner: only the far half of the far side is proof.
    const double turned = outcome.parts == 1 ? 0.0 : -0.5;
    if (at_end.normal.dot(normal) < turned && overlap_on_the_way(simulation, poses, poses_of(simulation)) > 1e-2) {
      right = wrong(counts.wrong_side, first_way ? "wrong side" : ("wrong side, " + fallback.name()).c_str());
    }
    const bool own = fallback.kind == Fallback::homotopy || fallback.kind == Fallback::halved;
    if (!first_way && !own) return false;  // no more is promised
    const double certificate = simulation.last_step().certificate.worst();
    const double overlap = std::max(0.0, -at_end.gap) / size_;
    counts.worst_certificate = std::max(counts.worst_certificate, certificate);
    counts.worst_overlap = std::max(counts.worst_overlap, overlap);
    if (!(certificate < 1e-8)) right = wrong(counts.refuted, "refuted");
    if (!(overlap < 1e-9)) right = wrong(counts.overlapping, "overlapping");
    return right;
  }

  std::string method_;
  double size_ = 1, h_ = 1e-3;
};

}  // namespace stiction::testing
