#include "stiction/solvers/friction/body/body_set.h"

#include <algorithm>
#include <cmath>

#include <Eigen/LU>

#include "stiction/problem/friction_cone_projection.h"

namespace stiction::solvers {
namespace {

constexpr int local_steps = 30;
constexpr double local_accuracy = 1e-14;  // of z_t, relative
constexpr double newton_gain = 0.5;       // a Newton step must bring the defect down to this share

using Matrix2 = Eigen::Matrix2d;

double squared(double x) {
  return x * x;
}

// The largest share by which x is outside n F: g_F(x) - n, zero inside.
double gauge_excess(const BlockSet& set, double n, const double* x) {
  double excess = 0;
  for (int i = 0; i < constraint_count(*set.cone); ++i) {
    // phi(0, x) is the gauge to the power gamma; phi(1, x) + 1 would lose a small x to rounding.
    const double level = std::max(0.0, constraint_value(*set.cone, i, 0, x));
    excess = std::max(excess, std::pow(level, 1 / homogeneity(*set.cone)) / set.scale - n);
  }
  return excess;
}

// A loaded block with u_n = 0, so that z_t is the only unknown:
//
//     u_t = A z_t + c,  z_n = push - w . z_t,   z_t = P(z_t - step u_t) onto z_n F
class LoadedSet {
 public:
  LoadedSet(const SystemBlock& block, const double* W, const double* b) : set_(block.set) {
    const Vector2 W_tn(W[3], W[6]);
    w_ = Vector2(W[1], W[2]) / W[0];
    A_ << W[4], W[5], W[7], W[8];
    A_ -= W_tn * w_.transpose();
    c_ = Vector2(b[1], b[2]) - W_tn * (b[0] / W[0]);
    push_ = -b[0] / W[0];
    const double trace = A_.trace();
    step_ = trace > 0 ? 1 / trace : 1.0;
  }

  // Newton's method; where a step of it does not help, a projected step.
  Vector2 solve(const Vector2& start) {
    At at = evaluate(start);
    for (int k = 0; k < local_steps && at.size > local_accuracy * (at.z.norm() + at.image.norm()); ++k) {
      const Vector2 newton = at.z - at.slope.inverse() * (at.z - at.image);
      const At next = newton.allFinite() ? evaluate(newton) : at;
      at = next.size <= newton_gain * at.size ? next : evaluate(at.image);
    }
    return at.image;
  }

  double normal(const Vector2& z_t) const { return std::max(0.0, push_ - w_.dot(z_t)); }

 private:
  struct At {
    Vector2 z, image;
    Matrix2 slope;    // of z - image
    double size = 0;  // |z - image|
  };

  At evaluate(const Vector2& z) const {
    At at;
    at.z = z;
    const Vector2 y = z - step_ * (A_ * z + c_);
    const double n = normal(z);
    ConeProjection p;
    project_on_cone(*set_.cone, n * set_.scale, y.data(), p);
    at.image = Vector2(p.y[0], p.y[1]);
    Matrix2 G;
    G << p.dy_dx[0], p.dy_dx[1], p.dy_dx[2], p.dy_dx[3];
    const Vector2 by_normal = n > 0 ? Vector2(set_.scale * Vector2(p.dy_dc[0], p.dy_dc[1])) : Vector2::Zero();
    at.slope = Matrix2::Identity() - G * (Matrix2::Identity() - step_ * A_) + by_normal * w_.transpose();
    at.size = (z - at.image).norm();
    return at;
  }

  const BlockSet set_;
  Matrix2 A_;
  Vector2 w_, c_;
  double push_ = 0, step_ = 1;
};

}  // namespace

double set_defect(const SystemBlock& block, double smallest, const double* z, const double* u) {
  const double n = std::max(z[0], 0.0), back[2] = {z[1] - u[1], z[2] - u[2]}, against[2] = {-u[1], -u[2]};
  ConeProjection p;
  project_on_cone(*block.set.cone, n * block.set.scale, back, p);
  const double lost = n * block.set.scale * cone_support(*block.set.cone, against) + z[1] * u[1] + z[2] * u[2];
  return squared(std::min(z[0], u[0])) + squared(gauge_excess(block.set, n, z + 1)) +
         squared(lost / (std::max(n, smallest) * block.mu)) + squared(z[1] - p.y[0]) + squared(z[2] - p.y[1]);
}

void project_on_set(const SystemBlock& block, const double* y, double* image, double* G) {
  std::fill_n(G, 9, 0.0);
  std::fill_n(image, 3, 0.0);
  if (!(y[0] > 0)) return;
  ConeProjection p;
  project_on_cone(*block.set.cone, y[0] * block.set.scale, y + 1, p);
  image[0] = y[0];
  G[0] = 1;
  for (int i = 0; i < 2; ++i) {
    image[1 + i] = p.y[i];
    G[3 * (1 + i)] = block.set.scale * p.dy_dc[i];
    for (int j = 0; j < 2; ++j) G[3 * (1 + i) + 1 + j] = p.dy_dx[2 * i + j];
  }
}

void put_in_set(const SystemBlock& block, double* z) {
  ConeProjection p;
  z[0] = std::max(z[0], 0.0);
  project_on_cone(*block.set.cone, z[0] * block.set.scale, z + 1, p);
  z[1] = p.y[0], z[2] = p.y[1];
}

void solve_set(const SystemBlock& block, const double* W, const double* b, double* z) {
  if (b[0] >= 0 || !(W[0] > 0)) {
    std::fill_n(z, 3, 0.0);
    return;
  }
  LoadedSet loaded(block, W, b);
  const Vector2 z_t = loaded.solve(Vector2(z[1], z[2]));
  z[0] = loaded.normal(z_t), z[1] = z_t.x(), z[2] = z_t.y();
  put_in_set(block, z);
}

}  // namespace stiction::solvers
