// Making an implicit solid: an interior point, rays to the surface, the bounding box, convexity, mass, and the starts
// of the support map; each step stops with an error that says where and why.
#include "stiction/geometry/shapes/solids/implicit_solid.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>

#include "stiction/geometry/shapes/solids/implicit_support.h"

namespace stiction::geometry {
namespace {

using Check = std::optional<Error>;

std::string place(const Vector3& x) {
  return fmt::format("[{:.4g}, {:.4g}, {:.4g}]", x.x(), x.y(), x.z());
}

bool finite(const ImplicitValue& f) {
  return std::isfinite(f.value) && f.gradient.allFinite() && f.hessian.allFinite();
}

Vector3 eigenvalues(const Matrix3& symmetric) {
  return Eigen::SelfAdjointEigenSolver<Matrix3>(symmetric, Eigen::EigenvaluesOnly).eigenvalues();
}

class Maker {
 public:
  explicit Maker(std::vector<ImplicitFunction> functions) {
    solid_.functions = std::move(functions);
    solid_.scale.assign(solid_.functions.size(), 1);
  }

  Result<ImplicitSolid> make(const Vector3& start) {
    Check error;
    if ((error = check_functions())) return failure(*error);
    if ((error = find_interior(start))) return failure(*error);
    if ((error = cast_rays())) return failure(*error);
    if ((error = check_convex())) return failure(*error);
    if ((error = find_box())) return failure(*error);
    if ((error = check_derivatives())) return failure(*error);
    integrate_mass(&solid_);
    solid_.interior = solid_.center;
    find_starts();
    return std::move(solid_);
  }

 private:
  std::string name(int k) const {
    const auto* callback = std::get_if<ImplicitCallback>(&solid_.functions[k]);
    if (callback && !callback->name.empty()) return fmt::format("function '{}'", callback->name);
    return fmt::format("function {} of {}", k + 1, solid_.functions.size());
  }
  Error wrong(int k, const std::string& what, std::string remedy) const {
    return {.what = name(k) + " " + what, .remedy = std::move(remedy)};
  }
  Error unbounded(const Vector3& d) const {
    return {.what = fmt::format("{} the solid unbounded along {}",
                                count() == 1 ? name(0) + " leaves" : "the functions together leave", place(d)),
            .remedy = "Add a function that bounds it, such as a large sphere."};
  }
  int count() const { return static_cast<int>(solid_.functions.size()); }

  Check check_functions() const;
  Check check_polynomial(int k, const Polynomial& polynomial) const;
  Check check_finite(const Vector3& x) const;
  Check find_interior(Vector3 x);
  Check no_interior(const Vector3& x) const;
  Check cast_rays();
  Check check_slope(int k, const ImplicitValue& f, const Vector3& x, double depth) const;
  Check check_convex();
  Check find_box();
  Check check_derivatives() const;
  void find_starts();

  ImplicitSolid solid_;
  std::vector<Vector3> surface_;  ///< one per ray
  double length_ = 0;             ///< of the longest ray
};

Check Maker::check_polynomial(int k, const Polynomial& polynomial) const {
  if (polynomial.terms.empty()) return wrong(k, "has no terms", "Give terms = [[coefficient, px, py, pz], ...].");
  if (polynomial.terms.size() > max_polynomial_terms) {
    return wrong(k, fmt::format("has {} terms", polynomial.terms.size()),
                 fmt::format("Give at most {} terms.", max_polynomial_terms));
  }
  for (const Monomial& term : polynomial.terms) {
    if (!std::isfinite(term.coefficient)) return wrong(k, "has a coefficient that is not finite", "Give numbers.");
    for (const int power : term.power) {
      if (power >= 0 && power <= max_polynomial_power) continue;
      return wrong(k, fmt::format("has the power {}", power),
                   fmt::format("Give powers from 0 to {}.", max_polynomial_power));
    }
  }
  return {};
}

Check Maker::check_functions() const {
  if (count() < 1 || count() > max_implicit_functions) {
    return Error{.what = fmt::format("an implicit solid has {} functions", count()),
                 .remedy = fmt::format("Give 1 to {} functions.", max_implicit_functions)};
  }
  for (int k = 0; k < count(); ++k) {
    const ImplicitFunction& function = solid_.functions[k];
    if (const auto* polynomial = std::get_if<Polynomial>(&function)) {
      if (auto error = check_polynomial(k, *polynomial)) return error;
    } else if (!std::get<ImplicitCallback>(function).evaluate) {
      return wrong(k, "has no callback", "Set `evaluate`.");
    }
  }
  return {};
}

Check Maker::check_finite(const Vector3& x) const {
  for (int k = 0; k < count(); ++k) {
    if (finite(evaluate(solid_.functions[k], x))) continue;
    return wrong(k, fmt::format("or a derivative of it is not finite at {}", place(x)),
                 "Give a function that is smooth in and around its solid.");
  }
  return {};
}

/// tau log sum exp(f_k / tau), which is the largest f_k for small tau, with its derivatives.
ImplicitValue smooth_largest(const ImplicitValues& values, double tau) {
  const double most = values.f[values.largest()].value;
  double sum = 0;
  ImplicitValue F;
  Matrix3 spread = Matrix3::Zero();
  for (int k = 0; k < values.count; ++k) {
    const ImplicitValue& f = values.f[k];
    const double weight = std::exp((f.value - most) / tau);
    sum += weight;
    F.gradient += weight * f.gradient;
    F.hessian += weight * f.hessian;
    spread += weight * f.gradient * f.gradient.transpose();
  }
  F.value = most + tau * std::log(sum);
  F.gradient /= sum;
  F.hessian = F.hessian / sum + (spread / sum - F.gradient * F.gradient.transpose()) / tau;
  return F;
}

/// Damped Newton downhill on the (smoothed) largest function, some way on after it is below zero.
Check Maker::find_interior(Vector3 x) {
  if (auto error = check_finite(x)) return error;
  ImplicitValues values;
  evaluate_all(solid_, x, &values);
  double tau = 1e-300;
  for (int k = 0; k < values.count; ++k) tau = std::max(tau, std::abs(values.f[k].value));
  const double least_tau = 1e-8 * tau;
  double damping = 1e-6;
  int inside = 0;
  for (int step = 0; step < 400 && inside < 40; ++step) {
    const ImplicitValue F = smooth_largest(values, tau);
    const double unit = F.hessian.norm() + 1e-12 * F.gradient.norm();
    if (!(F.gradient.norm() > 0) || damping > 1e15) break;
    const Matrix3 H = F.hessian + damping * unit * Matrix3::Identity();
    const Eigen::LLT<Matrix3> factor(H);
    const Vector3 y = x - factor.solve(F.gradient);
    ImplicitValues there;
    evaluate_all(solid_, y, &there);
    const bool lower = factor.info() == Eigen::Success && smooth_largest(there, tau).value < F.value;
    damping = lower ? std::max(1e-12, 0.1 * damping) : 10 * damping;
    if (!lower) continue;
    x = y;
    values = there;
    tau = std::max(least_tau, 0.7 * tau);
    inside += values.f[values.largest()].value < 0;
    if (x.norm() > 1e9) break;
  }
  if (!(values.f[values.largest()].value < 0)) return no_interior(x);
  solid_.interior = x;
  return {};
}

Check Maker::no_interior(const Vector3& x) const {
  ImplicitValues values;
  evaluate_all(solid_, x, &values);
  const int k = values.largest();
  const Vector3 eigen = eigenvalues(values.f[k].hessian);
  if (eigen[0] < -1e-9 * eigen.cwiseAbs().maxCoeff()) {
    return wrong(k, fmt::format("is not convex: its Hessian has the eigenvalue {:.3g} at {}", eigen[0], place(x)),
                 "Give convex functions; a body that is not convex is made of several shapes.");
  }
  return wrong(
      k,
      fmt::format("leaves the solid no interior: the least value found is {:.3g}, at {}", values.f[k].value, place(x)),
      "The solid is where every function is <= 0: check signs and the constant terms.");
}

/// A convex f with f(c) < 0 = f(x) has grad f(x) . (x - c) >= -f(c).
Check Maker::check_slope(int k, const ImplicitValue& f, const Vector3& x, double depth) const {
  const Vector3 arm = x - solid_.interior;
  if (f.gradient.norm() * arm.norm() < 1e-5 * depth) {
    return wrong(k, fmt::format("has no gradient on its surface, at {}", place(x)),
                 "Give a function that passes through zero with a slope: f itself instead of a power of it.");
  }
  if (f.gradient.dot(arm) < (1 - 1e-6) * depth) {
    return wrong(
        k,
        fmt::format("is not convex: between {} and its surface at {} it bends down", place(solid_.interior), place(x)),
        "Give convex functions; a body that is not convex is made of several shapes.");
  }
  return {};
}

Check Maker::cast_rays() {
  const Vector3 c = solid_.interior;
  std::vector<double> gradients(count(), 0);
  Check bent;
  for (int i = 0; i < start_count; ++i) {
    const Vector3 d = start_direction(i).normalized();
    const double t = ray_length(solid_, c, d, 1e-9, 1e9);
    if (std::isinf(t)) {
      return unbounded(d);
    }
    const Vector3 x = c + t * d;
    if (auto error = check_finite(x)) return error;
    ImplicitValues values;
    evaluate_all(solid_, x, &values);
    const int k = values.largest();
    const double depth = -evaluate(solid_.functions[k], c).value;
    const Check slope = check_slope(k, values.f[k], x, depth);
    if (slope && slope->what.find("gradient") != std::string::npos) return slope;
    if (slope && !bent) bent = slope;
    for (int j = 0; j < count(); ++j) gradients[j] = std::max(gradients[j], values.f[j].gradient.norm());
    surface_.push_back(x);
    length_ = std::max(length_, t);
  }
  if (bent) return bent;
  for (int k = 0; k < count(); ++k) solid_.scale[k] = gradients[k] > 0 ? 1 / gradients[k] : 1;
  return {};
}

Check Maker::check_convex() {
  const Vector3 c = solid_.interior;
  for (int k = 0; k < count(); ++k) {
    double least = 0;
    double largest = 0;
    Vector3 where = c;
    for (const Vector3& on_surface : surface_) {
      for (const double part : {0.0, 0.3, 0.6, 0.9, 1.0, 1.05}) {
        const Vector3 x = c + part * (on_surface - c);
        const ImplicitValue f = evaluate(solid_.functions[k], x);
        if (!finite(f)) return check_finite(x);
        const Vector3 eigen = eigenvalues(f.hessian);
        largest = std::max(largest, eigen.cwiseAbs().maxCoeff());
        if (eigen[0] < least) least = eigen[0], where = x;
      }
    }
    if (least >= -1e-9 * largest) continue;
    return wrong(k, fmt::format("is not convex: its Hessian has the eigenvalue {:.3g} at {}", least, place(where)),
                 "Give convex functions; a body that is not convex is made of several shapes.");
  }
  return {};
}

Check Maker::find_box() {
  constexpr double longest = 1e3;  // of the longest ray: a needle of 1 : 5000 passes
  for (int axis = 0; axis < 3; ++axis) {
    for (const double side : {-1.0, 1.0}) {
      const Vector3 d = side * Vector3::Unit(axis);
      const auto farthest = implicit_farthest(solid_, d, length_, longest * length_);
      if (!farthest) {
        return unbounded(d);
      }
      (side > 0 ? solid_.upper : solid_.lower)[axis] = farthest->x[axis];
    }
  }
  solid_.reach = solid_.lower.cwiseAbs().cwiseMax(solid_.upper.cwiseAbs()).norm();
  return {};
}

/// Callbacks: gradient and Hessian against differences of values and gradients.
Check Maker::check_derivatives() const {
  const double h = 1e-5 * length_;
  for (int k = 0; k < count(); ++k) {
    if (std::holds_alternative<Polynomial>(solid_.functions[k])) continue;
    const auto at = [&](const Vector3& x) { return evaluate(solid_.functions[k], x); };
    for (size_t i = 0; i < surface_.size(); i += 37) {
      const Vector3 x = 0.5 * (solid_.interior + surface_[i]);
      const ImplicitValue f = at(x);
      const ImplicitValue on_surface = at(surface_[i]);
      const double slope = f.gradient.norm() + on_surface.gradient.norm();
      const double curvature = f.hessian.norm() + on_surface.hessian.norm() + slope / length_;
      for (int axis = 0; axis < 3; ++axis) {
        const Vector3 e = h * Vector3::Unit(axis);
        const double rate = (at(x + e).value - at(x - e).value) / (2 * h);
        const Vector3 bend = (at(x + e).gradient - at(x - e).gradient) / (2 * h);
        const char* remedy = "Correct the derivatives that the callback returns, or its value.";
        if (std::abs(rate - f.gradient[axis]) > 1e-4 * slope)
          return wrong(k, fmt::format("has a gradient that its values contradict, at {}", place(x)), remedy);
        if ((bend - f.hessian.col(axis)).norm() > 1e-3 * curvature)
          return wrong(k, fmt::format("has a Hessian that its gradients contradict, at {}", place(x)), remedy);
      }
    }
  }
  return {};
}

void Maker::find_starts() {
  const double length = (solid_.upper - solid_.lower).norm();
  solid_.starts.reserve(start_count);
  for (int i = 0; i < start_count; ++i) {
    const ImplicitStart* before = i > 0 ? &solid_.starts.back() : nullptr;
    const auto found = implicit_farthest(solid_, start_direction(i).normalized(), length, 1e3 * length, before);
    solid_.starts.push_back(found.value_or(ImplicitStart{surface_[i]}));
  }
}

}  // namespace

Result<ImplicitSolid> make_implicit_solid(std::vector<ImplicitFunction> functions,
                                          const std::optional<Vector3>& interior) {
  return Maker(std::move(functions)).make(interior.value_or(Vector3::Zero()));
}

}  // namespace stiction::geometry
