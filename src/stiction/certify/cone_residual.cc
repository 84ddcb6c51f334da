#include "stiction/certify/cone_residual.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "stiction/base/assert.h"
#include "stiction/base/infinity.h"

namespace stiction::certify {
namespace {

using Wide = long double;
using Kind = FrictionCone::Kind;
using Rows = std::array<Wide, 4>;

Wide velocity_of_row(const ConeProblem& problem, std::span<const double> r, int row) {
  const size_t n = problem.q.size();
  Wide u = problem.q[row];
  for (size_t j = 0; j < n; ++j) u += static_cast<Wide>(problem.W[j * n + row]) * r[j];
  return u;
}

Wide reach_along(const FrictionCone& cone, int i) {
  if (cone.kind != Kind::polygon) return cone.axes[i];
  Wide reach = 0;
  for (const auto& corner : cone.vertices) reach = std::max<Wide>(reach, std::abs(corner[i]));
  return reach;
}

// A contact with its weights, velocity and impulse.
struct Contact {
  const FrictionCone* cone = nullptr;
  int d = 0;
  Wide rho = 1, q_square = 0, reach = 0;
  Rows r = {}, u = {}, weight = {1, 1, 1, 1};
};

Contact read_contact(const ConeProblem& problem, std::span<const double> r, const ConeContact& from) {
  Contact c;
  c.cone = from.cone;
  c.d = friction_rows(from);
  const size_t n = problem.q.size();
  Wide trace = 0;
  for (int i = 0; i < c.d; ++i) c.reach = std::max(c.reach, reach_along(*c.cone, i));
  for (int i = 0; i <= c.d; ++i) {
    const size_t row = from.first_row + i;
    const Wide along = i > 0 ? reach_along(*c.cone, i - 1) : 0;
    if (along > 0) c.weight[i] = along / c.reach;
    trace += c.weight[i] * c.weight[i] * problem.W[row * n + row];
    c.q_square += c.weight[i] * c.weight[i] * problem.q[row] * problem.q[row];
    c.r[i] = r[row];
    c.u[i] = velocity_of_row(problem, r, static_cast<int>(row));
  }
  c.rho = trace > 0 ? (c.d + 1) / trace : Wide(1);
  return c;
}

Wide cross(const Vector2& a, const Vector2& b) {
  return static_cast<Wide>(a.x()) * b.y() - static_cast<Wide>(a.y()) * b.x();
}

// The line of edge i as b . g <= 1; of a segment: end i.
std::array<Wide, 2> edge_line(const FrictionCone& cone, size_t i) {
  const Vector2& a = cone.vertices[i];
  if (cone.vertices.size() == 2) {
    const Wide square = static_cast<Wide>(a.x()) * a.x() + static_cast<Wide>(a.y()) * a.y();
    return {a.x() / square, a.y() / square};
  }
  const Vector2& b = cone.vertices[(i + 1) % cone.vertices.size()];
  const Wide area = cross(a, b);
  return {(static_cast<Wide>(b.y()) - a.y()) / area, (static_cast<Wide>(a.x()) - b.x()) / area};
}

Wide power_norm(Wide p, const Wide* x, int d) {
  Wide largest = 0, sum = 0;
  for (int i = 0; i < d; ++i) largest = std::max(largest, std::abs(x[i]));
  if (largest == 0) return 0;
  for (int i = 0; i < d; ++i) sum += std::pow(std::abs(x[i]) / largest, p);
  return largest * std::pow(sum, 1 / p);
}

Wide exponent_of(const FrictionCone& cone) {
  return cone.kind == Kind::superellipse ? static_cast<Wide>(cone.exponent) : Wide(2);
}

// The parts of x (friction rows) along and aside of the span of F, squared.
struct SpanSquares {
  Wide along = 0, aside = 0;
};

SpanSquares span_squares(const FrictionCone& cone, const Wide* x) {
  SpanSquares squares;
  if (cone.kind == Kind::polygon && cone.vertices.size() == 2) {
    const Wide s = static_cast<Wide>(cone.vertices[0].x()) - cone.vertices[1].x();
    const Wide t = static_cast<Wide>(cone.vertices[0].y()) - cone.vertices[1].y();
    const Wide along = s * x[0] + t * x[1], aside = s * x[1] - t * x[0];
    return {along * along / (s * s + t * t), aside * aside / (s * s + t * t)};
  }
  for (int i = 0; i < cone.dimension; ++i) {
    const bool inside = cone.kind == Kind::polygon || cone.axes[i] > 0;
    (inside ? squares.along : squares.aside) += x[i] * x[i];
  }
  return squares;
}

Wide gauge(const FrictionCone& cone, const Wide* x) {
  if (cone.kind == Kind::polygon) {
    Wide most = 0;
    for (size_t i = 0; i < cone.vertices.size(); ++i) {
      const auto line = edge_line(cone, i);
      most = std::max(most, line[0] * x[0] + line[1] * x[1]);
    }
    return most;
  }
  Wide over[3] = {0, 0, 0};
  for (int i = 0; i < cone.dimension; ++i) over[i] = cone.axes[i] > 0 ? x[i] / cone.axes[i] : 0;
  return power_norm(exponent_of(cone), over, cone.dimension);
}

// h_F(-u).
Wide most_dissipation(const FrictionCone& cone, const Wide* u) {
  if (cone.kind == Kind::polygon) {
    Wide most = 0;
    for (const auto& corner : cone.vertices) most = std::max(most, -(corner.x() * u[0] + corner.y() * u[1]));
    return most;
  }
  const Wide p = exponent_of(cone);
  Wide times[3] = {0, 0, 0};
  for (int i = 0; i < cone.dimension; ++i) times[i] = u[i] * cone.axes[i];
  return power_norm(p / (p - 1), times, cone.dimension);
}

// |q|^2 in the weights.
Wide q_square(const ConeProblem& problem, std::span<const double> r) {
  Wide sum = 0;
  for (int i = 0; i < problem.bilateral_rows; ++i) sum += static_cast<Wide>(problem.q[i]) * problem.q[i];
  for (const ConeContact& contact : problem.contacts) sum += read_contact(problem, r, contact).q_square;
  return sum > 0 ? sum : Wide(1);
}

// The power that friction of this contact has to do with, at velocities of |q|.
Wide power_scale(const Contact& c, Wide q2) {
  return std::max(c.rho * q2, std::abs(c.r[0]) * c.reach * std::sqrt(q2));
}

bool all_finite(std::span<const double> x) {
  return std::all_of(x.begin(), x.end(), [](double value) { return std::isfinite(value); });
}

// grad phi_i(1, b) on the friction rows.
void gradient(const FrictionCone& cone, size_t i, const Wide* b, Wide* g) {
  if (cone.kind == Kind::polygon) {
    const auto line = edge_line(cone, i);
    g[0] = line[0], g[1] = line[1];
    return;
  }
  const Wide p = exponent_of(cone);
  for (int k = 0; k < cone.dimension; ++k) {
    const Wide a = cone.axes[k];
    g[k] = a > 0 ? (b[k] < 0 ? -1 : 1) * p * std::pow(std::abs(b[k]) / a, p - 1) / a : 0;
  }
}

// phi_i(1, b).
Wide level(const FrictionCone& cone, size_t i, const Wide* b) {
  if (cone.kind != Kind::polygon) return std::pow(gauge(cone, b), exponent_of(cone)) - 1;
  const auto line = edge_line(cone, i);
  return line[0] * b[0] + line[1] * b[1] - 1;
}

// Squares of what one contact leaves of (22).
struct ContactSquares {
  Wide stationarity = 0, complementarity = 0, sign = 0;
};

ContactSquares contact_fritz_john(const Contact& c, std::span<const double> lambda) {
  ContactSquares squares;
  const bool pressed = c.r[0] > 0;
  Wide left[3] = {0, 0, 0}, b[3] = {0, 0, 0};
  for (int i = 0; i < c.d; ++i) {
    left[i] = pressed ? c.r[0] * c.u[i + 1] : Wide(0);
    b[i] = pressed ? c.r[i + 1] / c.r[0] : Wide(0);
  }
  for (size_t i = 0; i < lambda.size(); ++i) {
    const Wide l = lambda[i], phi = pressed ? level(*c.cone, i, b) : Wide(0);
    Wide g[3] = {0, 0, 0};
    gradient(*c.cone, i, b, g);  // at b = 0: that of phi(0, 0), which is zero for gamma > 1
    for (int k = 0; k < c.d; ++k) left[k] += l * g[k];
    squares.complementarity += l * phi * l * phi;
    squares.sign += l < 0 ? l * l : 0;
  }
  // Only inside the span: outside it (22) has no columns of D.
  squares.stationarity = span_squares(*c.cone, left).along * c.reach * c.reach;
  return squares;
}

}  // namespace

double ConeResidual::worst() const {
  return std::max({normal, cone, dissipation, bilateral});
}

double FritzJohnResidual::worst() const {
  return std::max({stationarity, complementarity, sign});
}

ConeResidual cone_residual(const ConeProblem& problem, std::span<const double> r) {
  STICTION_ASSERT(r.size() == problem.q.size(), "r has one value per row");
  if (!all_finite(r) || !all_finite(problem.q) || !all_finite(problem.W)) {
    return {infinity, infinity, infinity, infinity};
  }
  const Wide q2 = q_square(problem, r);
  Wide normal = 0, outside = 0, gaps = 0, bilateral = 0;
  for (int i = 0; i < problem.bilateral_rows; ++i) {
    const Wide u = velocity_of_row(problem, r, i);
    bilateral += u * u;
  }
  for (const ConeContact& contact : problem.contacts) {
    const Contact c = read_contact(problem, r, contact);
    const Wide least = std::min(c.r[0] / c.rho, c.u[0]);
    normal += least * least;
    if (c.d == 0) continue;
    const Wide beyond = std::max<Wide>(0, gauge(*c.cone, &c.r[1]) - std::max<Wide>(0, c.r[0])) / c.rho;
    outside += beyond * beyond + span_squares(*c.cone, &c.r[1]).aside / (c.rho * c.rho);
    Wide gap = std::max<Wide>(0, c.r[0]) * most_dissipation(*c.cone, &c.u[1]);
    for (int i = 1; i <= c.d; ++i) gap += c.r[i] * c.u[i];
    gap /= power_scale(c, q2);
    gaps += gap * gap;
  }
  const auto relative = [](Wide square, Wide by) { return static_cast<double>(std::sqrt(square) / by); };
  return {relative(normal, std::sqrt(q2)), relative(outside, std::sqrt(q2)), relative(gaps, 1),
          relative(bilateral, std::sqrt(q2))};
}

FritzJohnResidual fritz_john_residual(const ConeProblem& problem, std::span<const double> r,
                                      std::span<const double> lambda) {
  STICTION_ASSERT(static_cast<int>(lambda.size()) == multiplier_count(problem), "one lambda a constraint");
  if (!all_finite(r) || !all_finite(lambda)) return {infinity, infinity, infinity};
  const Wide q2 = q_square(problem, r);
  ContactSquares sum;
  size_t at = 0;
  for (const ConeContact& contact : problem.contacts) {
    if (!contact.cone) continue;
    const Contact c = read_contact(problem, r, contact);
    const size_t count = constraint_count(*contact.cone);
    const ContactSquares squares = contact_fritz_john(c, lambda.subspan(at, count));
    const Wide scale = power_scale(c, q2);
    sum.stationarity += squares.stationarity / (scale * scale);
    sum.complementarity += squares.complementarity / (scale * scale);
    sum.sign += squares.sign / (scale * scale);
    at += count;
  }
  const auto relative = [](Wide square) { return static_cast<double>(std::sqrt(square)); };
  return {relative(sum.stationarity), relative(sum.complementarity), relative(sum.sign)};
}

}  // namespace stiction::certify
