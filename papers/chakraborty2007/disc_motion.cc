#include "papers/chakraborty2007/disc_motion.h"

#include <cmath>
#include <numbers>

#include "stiction/base/infinity.h"

namespace stiction::papers::chakraborty2007 {

namespace {

constexpr double d = DiscMotion::m * DiscMotion::g / DiscMotion::k;

double frequency() {
  return std::sqrt(DiscMotion::k / DiscMotion::m);
}

// y = A cos(w s + phi) from a state at s = 0.
struct Swing {
  double A = 0, phi = 0;

  explicit Swing(const DiscMotion::State& from) {
    const double y = from.z - (DiscMotion::r - d), u = from.v / frequency();
    A = std::hypot(y, u);
    phi = std::atan2(-u, y);
    if (phi < 0) phi += 2 * std::numbers::pi;
  }
  /// s at which the phase w s + phi is reached.
  double time_of(double phase) const { return (phase - phi) / frequency(); }
};

}  // namespace

DiscMotion::DiscMotion(double thickness, double duration) : thickness_(thickness) {
  phases_.push_back({Kind::flight, 0, {start, 0}});
  while (phases_.back().begin <= duration || phases_.size() < 5) phases_.push_back(next(phases_.back()));
}

DiscMotion::Phase DiscMotion::next(const Phase& phase) {
  const State& from = phase.from;
  if (phase.kind == Kind::flight) {
    const double v = -std::sqrt(from.v * from.v + 2 * g * (from.z - r));
    return {Kind::contact, phase.begin + (from.v - v) / g, {r, v}};
  }
  const Swing swing(from);
  const double deepest = thickness_ - d;
  if (!phase.after_core && swing.A > deepest) {
    const double s = swing.time_of(std::acos(-deepest / swing.A));
    if (speed_at_core_ == 0) speed_at_core_ = frequency() * std::sqrt(swing.A * swing.A - deepest * deepest);
    return {Kind::contact, phase.begin + s, {r - thickness_, 0}, true};
  }
  const double s = swing.time_of(2 * std::numbers::pi - std::acos(d / swing.A));
  return {Kind::flight, phase.begin + s, {r, frequency() * std::sqrt(swing.A * swing.A - d * d)}};
}

DiscMotion::State DiscMotion::at(double t) const {
  size_t i = 0;
  while (i + 1 < phases_.size() && phases_[i + 1].begin <= t) ++i;
  const State& from = phases_[i].from;
  const double s = t - phases_[i].begin;
  if (phases_[i].kind == Kind::flight) return {from.z + from.v * s - 0.5 * g * s * s, from.v - g * s};
  const Swing swing(from);
  const double phase = frequency() * s + swing.phi;
  return {r - d + swing.A * std::cos(phase), -frequency() * swing.A * std::sin(phase)};
}

double DiscMotion::core() const {
  return phases_[2].after_core ? phases_[2].begin : infinity;
}

double DiscMotion::bounce() const {
  return phases_[2].after_core ? phases_[2].begin : phases_[1].begin;
}

double DiscMotion::leave() const {
  return phases_[phases_[2].after_core ? 3 : 2].begin;
}

double DiscMotion::apex_time() const {
  return leave() + phases_[phases_[2].after_core ? 3 : 2].from.v / g;
}

}  // namespace stiction::papers::chakraborty2007
