#include "papers/anitescu1998/exact_motion.h"

#include <algorithm>
#include <cmath>

namespace stiction::papers::anitescu1998 {

std::string ExactMotion::name() const {
  return kind_ == Kind::block ? "block" : kind_ == Kind::ball ? "ball" : "sphere";
}

double ExactMotion::rest_height() const {
  return kind_ == Kind::block ? 0.05 : kind_ == Kind::ball ? 0.1 : 1.0;
}

std::vector<ExactMotion::Flight> ExactMotion::flights() const {
  std::vector<Flight> list = {{0, 0.5 * g_ * event_ * event_, 0}};
  double speed = g_ * event_, start = event_;
  while (start < duration()) {
    speed *= restitution_;
    list.push_back({start, 0, speed});
    start += 2 * speed / g_;
  }
  return list;
}

ExactMotion::Flight ExactMotion::flight_at(double t) const {
  Flight current{};
  for (const Flight& flight : flights()) {
    if (flight.start <= t) current = flight;
  }
  return current;
}

Vector3 ExactMotion::q(double t) const {
  if (kind_ == Kind::ball) {
    const Flight flight = flight_at(t);
    const double s = t - flight.start;
    return {0, flight.height + flight.speed * s - 0.5 * g_ * s * s, 0};
  }
  const double s = std::min(t, event_);  // time spent sliding
  const double slid = v0() * s - 0.5 * mu_ * g_ * s * s;
  if (kind_ == Kind::block) return {slid, 0, 0};
  return {slid + v(t).x() * (t - s), 0, 1.25 * mu_ * g_ * s * s + v(t).z() * (t - s)};
}

Vector3 ExactMotion::v(double t) const {
  if (kind_ == Kind::ball) {
    const Flight flight = flight_at(t);
    return {0, flight.speed - g_ * (t - flight.start), 0};
  }
  const double s = std::min(t, event_);
  return {v0() - mu_ * g_ * s, 0, kind_ == Kind::block ? 0 : 2.5 * mu_ * g_ * s};
}

Vector2 ExactMotion::impulse(double t) const {
  if (kind_ == Kind::ball) return {0, v(t).y() + g_ * t};
  return {-mu_ * g_ * std::min(t, event_), g_ * t};
}

Vector2 ExactMotion::impulse_against_cosine() const {
  if (kind_ != Kind::ball) return Vector2(-mu_ * g_ * std::sin(3 * event_), g_ * std::sin(3 * duration())) / 3;
  double sum = 0;
  for (const Flight& flight : flights()) {
    const double given = flight.start > 0 ? flight.speed * (1 + 1 / restitution_) : 0;
    sum += given * std::cos(3 * flight.start);
  }
  return {0, sum};
}

std::vector<double> ExactMotion::jumps() const {
  std::vector<double> times;
  if (kind_ != Kind::ball) return times;
  for (const Flight& flight : flights()) {
    if (flight.start > 0) times.push_back(flight.start);
  }
  return times;
}

}  // namespace stiction::papers::anitescu1998
