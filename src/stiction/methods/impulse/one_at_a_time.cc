#include "stiction/methods/impulse/one_at_a_time.h"

#include <algorithm>

namespace stiction::methods {

namespace {

// Approach of less than this share of the fastest at the start does not count; m/s: nor does less than this.
constexpr double negligible_share = 1e-6, negligible_speed = 1e-12;
// Approach up to this many times g h is that of a contact at rest.
constexpr double resting_share = 2;

}  // namespace

OneAtATime::OneAtATime(int max_impulses, int threads) : max_impulses_(max_impulses), scratch_(std::max(1, threads)) {}

// The point that approaches fastest, of those that may still get an impulse; -1: none is faster than `slowest`.
int OneAtATime::fastest(const Scratch& s, double slowest) const {
  int result = -1;
  for (int i = 0; i < s.island.point_count(); ++i) {
    if (!s.island.point(i).movable || s.used[i] >= max_impulses_) continue;
    const double speed = -s.island.normal_velocity(i);
    if (speed <= slowest) continue;
    slowest = speed;
    result = i;
  }
  return result;
}

// True when there was anything to do.
bool OneAtATime::collide_all(double slowest, double resting_speed, Scratch& s) const {
  bool any = false;
  for (int i = fastest(s, slowest); i >= 0; i = fastest(s, slowest)) {
    const ImpulseIsland::Point& point = s.island.point(i);
    const Vector4 u = s.island.velocity(i);
    const bool resting = -u[0] <= resting_speed;
    s.island.apply(i, collide(point.law, s.island.response(i), u, resting ? 0.0 : point.restitution, resting));
    ++s.used[i];
    ++s.impulses;
    any = true;
  }
  return any;
}

IslandReport OneAtATime::solve_island(const StepProblem& problem, const contact::Island& island, int worker,
                                      StepAnswer& answer) {
  Scratch& s = scratch_[worker];
  if (!s.island.form(problem, island)) return {};
  s.used.assign(s.island.point_count(), 0);
  s.impulses = 0;
  const double at_start = s.island.largest_approach();
  const double slowest = std::max(negligible_share * at_start, negligible_speed);
  const double resting_speed = resting_share * gravity_ * problem.step;
  for (int round = 0; round < max_impulses_; ++round) {
    const double changed = s.island.sweep_bounded();
    if (!collide_all(slowest, resting_speed, s) && changed <= slowest) break;
  }
  const double left = s.island.largest_approach();
  s.island.finish(problem, island, answer);
  IslandReport report;
  report.solve.termination = solvers::Termination::solved;
  report.solve.iterations = s.impulses;
  report.solve.residual = left > slowest ? left / std::max(at_start, negligible_speed) : 0.0;
  if (left > slowest) report.fallback = Fallback::impulses_ended;
  return report;
}

}  // namespace stiction::methods
