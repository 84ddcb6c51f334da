// What the simulators that we measure beside have in common: they are given a model as ours builds it, take steps, and
// tell where bodies are. One file per simulator; none is part of the product.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "stiction/study/benchmark/benchmark_run.h"

namespace stiction::bench {

/// What a simulator is given.
struct PeerScene {
  const Model& model;
  const State& state;                   ///< at time zero
  std::vector<BodyMotion> bodies = {};  ///< at time zero
  double step = 0;                      ///< s
  double friction = 0;                  ///< of all shapes
};

/// A scene in a simulator.
class PeerEngine {
 public:
  virtual ~PeerEngine() = default;
  /// Gravity of the coming steps [m/s^2].
  virtual void set_gravity(const Vector3& gravity) = 0;
  /// Detects contacts and advances by the step.
  virtual void advance() = 0;
  /// Brings what motion() reads up to date; not timed.
  virtual void refresh() {}
  /// What it complained of so far, one clause; empty: nothing.
  virtual std::string complaints() const { return {}; }
  /// Where a body that moves is; `body` is its index in the model.
  virtual BodyMotion motion(int body) const = 0;
};

/// One way to run a simulator. `make` throws std::invalid_argument for what it cannot take.
struct PeerSetting {
  std::string engine, setting;
  std::function<bool(const BenchmarkScene& scene)> takes;
  std::function<std::unique_ptr<PeerEngine>(const PeerScene& scene)> make;
};

/// A simulator: its ways, none where the program was built without it, and the Debian package that brings it.
struct Peer {
  std::string name, package;
  std::vector<PeerSetting> settings;
};

/// Scenes with contacts; those of them with and without figures; and mechanisms without contacts.
bool has_contacts(const BenchmarkScene& scene);
bool has_figure(const BenchmarkScene& scene);
bool has_no_figure(const BenchmarkScene& scene);
bool has_links_only(const BenchmarkScene& scene);

/// The ways of each simulator, one file each.
std::vector<PeerSetting> ode_settings();
std::vector<PeerSetting> bullet_settings();
std::vector<PeerSetting> bullet_multibody_settings();
std::vector<PeerSetting> bullet_figure_settings();
std::vector<PeerSetting> mujoco_settings();

/// All simulators, those that the program was built without included.
std::vector<Peer> all_peers();

/// The way as an engine of benchmarks.
BenchmarkEngine engine_of(const PeerSetting& setting);

/// A body's pose and velocity from those of its centre of mass, with the axes of its frame.
BodyMotion motion_of_center(const Body& body, const Vector3& center, const Quaternion& orientation,
                            const Vector3& velocity, const Vector3& spin);

/// "1 error", "2 errors".
std::string counted(long count, const std::string& what);

/// The force of a constant actuator on the child of its joint, in world axes. Throws std::invalid_argument for another
/// kind of actuator.
Vector3 constant_push(const PeerScene& scene, const Actuator& actuator);

/// Spring, damping and armature of a joint's coordinate over a step, as one soft row:
/// force = resistance (target - velocity at the end of the step), all taken at the end of the step as ours are.
struct SoftRow {
  double target = 0;      ///< rad/s
  double resistance = 0;  ///< N m s
};

/// Throws std::invalid_argument where the joint has limits, springs, damping, armature or dry friction.
void require_bare(const Joint& joint);

/// Has the coordinate any of the three?
bool has_soft_row(const JointCoordinate& coordinate);

/// The row of a step of `h` seconds from angle `q` and velocity `v`.
SoftRow soft_row(const JointCoordinate& coordinate, double q, double v, double h);

}  // namespace stiction::bench
