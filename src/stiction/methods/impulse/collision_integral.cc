#include "stiction/methods/impulse/collision_integral.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "stiction/base/infinity.h"

namespace stiction::methods {

namespace {

// Slip of less than this share of the speeds at the start has stopped.
constexpr double stopped = 1e-15;
// A direction that turns by less than this, per change of the slip's logarithm, is constant.
constexpr double straight = 1e-14;
constexpr int most_steps = 10000;

// d, ln r, p_n, p_t, W.
using Path = Eigen::Matrix<double, 9, 1>;

// Dormand and Prince's pair of orders 5 and 4.
constexpr std::array<std::array<double, 6>, 6> stage = {
    {{1.0 / 5},
     {3.0 / 40, 9.0 / 40},
     {44.0 / 45, -56.0 / 15, 32.0 / 9},
     {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
     {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
     {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84}}};
constexpr std::array<double, 7> error_weight = {71.0 / 57600,      0,          -71.0 / 16695, 71.0 / 1920,
                                                -17253.0 / 339200, 22.0 / 525, -1.0 / 40};

// One collision in scaled rows. Rows beyond the law's count are zero in everything.
struct Collision {
  int slip_rows;
  double K_nn;
  Vector3 K_tn;
  Matrix3 K_tt;
  double u_n_start, e, tolerance;
  Vector3 w_start;
  double speed;  // of the start
  Path path = Path::Zero();
  bool compressing = true;
  double target = 0;  // W at which restitution ends

  double p_n() const { return path[4]; }
  Vector3 p_t() const { return path.segment<3>(5); }
  double work() const { return path[8]; }
  double normal_velocity(const Path& y) const { return u_n_start + K_nn * y[4] + K_tn.dot(y.segment<3>(5)); }

  void run();
  bool slide();
  bool slide_straight();
  Vector3 solve_tangential(const Vector3& b) const;
  void stick_or_slip_away();
  Vector3 ray_out() const;
  bool go_straight(const Vector3& f, double most);
  double normal_to_end(double u_n, double rate) const;
  void begin_restitution();
  Path rates(const Path& y) const;
  double step(double ds, Path& next) const;
  bool take(double ds, const Path& next);
  Path where(double ds, double (*event)(const Collision&, const Path&)) const;
};

double approach_event(const Collision& c, const Path& y) {
  return c.normal_velocity(y);
}

double work_event(const Collision& c, const Path& y) {
  return y[8] - c.target;
}

void Collision::begin_restitution() {
  compressing = false;
  target = (1 - e * e) * work();
}

Path Collision::rates(const Path& y) const {
  const Vector3 d = y.head<3>(), a = K_tn - K_tt * d;
  const double r = std::exp(y[3]), along = d.dot(a);
  Path rate;
  rate << a - along * d, along, r, -r * d, r * normal_velocity(y);
  return rate;
}

// One step; returns its error in units of the tolerance.
double Collision::step(double ds, Path& next) const {
  std::array<Path, 7> k;
  k[0] = rates(path);
  for (int i = 0; i < 6; ++i) {
    next = path;
    for (int j = 0; j <= i; ++j) next += ds * stage[i][j] * k[j];
    k[i + 1] = rates(next);
  }
  Path error = Path::Zero(), size;
  for (int i = 0; i < 7; ++i) error += ds * error_weight[i] * k[i];
  const double impulse = speed / K_nn;
  size << 1, 1, 1, 1, impulse, impulse, impulse, impulse, impulse * speed;
  next.head<3>().normalize();
  return error.cwiseQuotient(size).lpNorm<Eigen::Infinity>() / tolerance;
}

// The path where `event`, negative at the start of a step of ds and not at its end, is zero: regula falsi (Illinois).
Path Collision::where(double ds, double (*event)(const Collision&, const Path&)) const {
  Path y;
  double low = 0, high = ds, at_low = event(*this, path);
  step(high, y);
  double at_high = event(*this, y);
  int last = 0;
  for (int i = 0; i < 100 && at_high > 0 && high - low > 1e-15 * high; ++i) {
    const double middle = low + (high - low) * at_low / (at_low - at_high);
    step(middle, y);
    const double value = event(*this, y);
    const int side = value < 0 ? -1 : 1;
    (side < 0 ? low : high) = middle;
    (side < 0 ? at_low : at_high) = value;
    if (side == last) (side < 0 ? at_high : at_low) /= 2;
    if (value == 0) break;
    last = side;
  }
  return y;
}

// Moves to `next`, or to the event on the way there; true when the collision is over.
bool Collision::take(double ds, const Path& next) {
  if (compressing && normal_velocity(next) >= 0) {
    path = where(ds, approach_event);
    begin_restitution();
    return e == 0;
  }
  if (!compressing && work_event(*this, next) >= 0) {
    path = where(ds, work_event);
    return true;
  }
  path = next;
  return false;
}

// While the slip turns. True when the collision is over.
bool Collision::slide() {
  const double turn_scale = K_tn.norm() + K_tt.norm();
  double ds = 0.1 / std::max(turn_scale, K_nn * w_start.norm() / speed);
  const double stop = std::log(stopped * speed);
  for (int i = 0; i < most_steps && path[3] > stop; ++i) {
    const Vector3 d = path.head<3>(), a = K_tn - K_tt * d;
    if ((a - d.dot(a) * d).norm() <= straight * turn_scale) return slide_straight();
    Path next;
    const double error = step(ds, next);
    const bool accepted = error <= 1;
    if (accepted && take(ds, next)) return true;
    ds *= std::clamp(0.9 * std::pow(std::max(error, 1e-10), -0.2), 0.2, 5.0);
  }
  return false;
}

// Along a constant direction until the slip stops. True when the collision is over.
bool Collision::slide_straight() {
  const Vector3 d = path.head<3>();
  const double along = d.dot(K_tn - K_tt * d);
  return go_straight(-d, along < 0 ? -std::exp(path[3]) / along : infinity);
}

// x with K_tt x = b.
Vector3 Collision::solve_tangential(const Vector3& b) const {
  Matrix4 K = Matrix4::Zero();
  K.topLeftCorner<3, 3>() = K_tt;
  return solve_semidefinite(K, slip_rows, Vector4(b[0], b[1], b[2], 0)).head<3>();
}

// From no slip to the end. What slip the integration left is taken out first.
void Collision::stick_or_slip_away() {
  path.segment<3>(5) -= solve_tangential(w_start + K_tn * p_n() + K_tt * p_t());
  const Vector3 hold = solve_tangential(-K_tn);
  go_straight(hold.norm() <= 1 ? hold : Vector3(-ray_out()), infinity);
}

// d with K_tn - K_tt d = lambda d, lambda > 0: |(K_tt + lambda)^-1 K_tn| falls with lambda from more than 1.
Vector3 Collision::ray_out() const {
  double low = 0, high = K_tn.norm();
  const auto solve = [&](double lambda) { return Vector3((K_tt + lambda * Matrix3::Identity()).llt().solve(K_tn)); };
  for (int i = 0; i < 200 && high - low > 1e-16 * high; ++i) {
    const double middle = low + (high - low) / 2;
    (solve(middle).norm() > 1 ? low : high) = middle;
  }
  return solve(high).normalized();
}

// Normal impulse until the phase ends, for u_n growing at `rate`.
double Collision::normal_to_end(double u_n, double rate) const {
  if (compressing) return rate > 0 ? -u_n / rate : infinity;
  const double lacking = target - work(), square = u_n * u_n + 2 * rate * lacking;
  if (lacking <= 0) return 0;
  const double root = square < 0 ? -infinity : u_n + std::sqrt(square);
  return root > 0 ? 2 * lacking / root : infinity;
}

// With constant friction f per normal impulse, over at most `most` of it. True when the collision is over.
bool Collision::go_straight(const Vector3& f, double most) {
  const double rate = K_nn + K_tn.dot(f);
  for (;;) {
    const double u_n = normal_velocity(path), to_end = normal_to_end(u_n, rate);
    const double p = std::min(to_end, most);
    if (!std::isfinite(p)) return true;
    path[4] += p;
    path.segment<3>(5) += p * f;
    path[8] += p * u_n + rate * p * p / 2;
    if (to_end > most) return false;
    most -= p;
    if (!compressing || e == 0) return true;
    begin_restitution();
  }
}

void Collision::run() {
  const double slip = w_start.norm();
  if (slip > stopped * speed) {
    path.head<3>() = w_start / slip;
    path[3] = std::log(slip);
    if (slide()) return;
  }
  stick_or_slip_away();
}

}  // namespace

Vector4 integrate_collision(const PointLaw& law, const Matrix4& K, const Vector4& u, double e, double tolerance) {
  if (law.cone != nullptr) return closed_form_impulse(law, K, u, e);
  const ScaledContact scaled = scale_contact(law, K, u);
  Collision collision{.slip_rows = law.count - 1,
                      .K_nn = scaled.K(0, 0),
                      .K_tn = scaled.K.block<3, 1>(1, 0),
                      .K_tt = scaled.K.bottomRightCorner<3, 3>(),
                      .u_n_start = scaled.u[0],
                      .e = e,
                      .tolerance = tolerance,
                      .w_start = scaled.u.tail<3>(),
                      .speed = scaled.u.norm()};
  collision.run();
  Vector4 p;
  p << collision.p_n(), collision.p_t();
  const double excess = p.tail<3>().norm() / p[0];
  if (excess > 1) p.tail<3>() /= excess;  // by what the integration leaves
  return unscale_impulse(law, p);
}

}  // namespace stiction::methods
