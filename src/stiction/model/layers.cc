// Compliant layers: what makes one a passive spring and damper (K, C symmetric and positive semidefinite, K + C
// definite where the layer gives way), and that it is not deeper than the shape it lies on.
#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>
#include <Eigen/Eigenvalues>

#include "stiction/model/build_steps.h"

namespace stiction {
namespace {

using Law = CompliantLayer::Law;

// Of the largest entry: rounding of matrices that a program computed.
constexpr double rounding = 1e-12;

// Directions besides the shape's axes and faces along which its width is measured.
constexpr int direction_count = 400;

double smallest_eigenvalue(const Matrix3& matrix) {
  return Eigen::SelfAdjointEigenSolver<Matrix3>(matrix, Eigen::EigenvaluesOnly).eigenvalues()(0);
}

// True when the matrix is one that a passive element can have.
bool check_matrix(const Matrix3& matrix, const char* key, const Item& item, Checker& check) {
  if (!matrix.allFinite()) {
    check.fail(item, fmt::format("{} is not finite", key), "Give finite numbers.");
    return false;
  }
  const double size = matrix.cwiseAbs().maxCoeff();
  if ((matrix - matrix.transpose()).cwiseAbs().maxCoeff() > rounding * size) {
    check.fail(item, fmt::format("{} is not symmetric", key),
               "Give the same number to (n, t) and (t, n), to (n, o) and (o, n), to (t, o) and (o, t).");
    return false;
  }
  const double least = smallest_eigenvalue(matrix);
  if (least >= -rounding * size) return true;
  check.fail(item, fmt::format("{} is not positive semidefinite: it has the eigenvalue {:.6g}", key, least),
             "Give diagonal entries of zero or more, and smaller ones off the diagonal: a layer with a negative "
             "eigenvalue makes energy.");
  return false;
}

bool couples_normal(const Matrix3& matrix) {
  return matrix(0, 1) != 0 || matrix(0, 2) != 0 || matrix(1, 0) != 0 || matrix(2, 0) != 0;
}

void check_exponents(const CompliantLayer& layer, const Item& item, Checker& check) {
  check.require(std::isfinite(layer.exponent) && layer.exponent >= 1, item, "contact_exponent is less than 1",
                "Give 1 or more; 1.5 is that of two spheres.");
  check.require(std::isfinite(layer.damping_exponent) && layer.damping_exponent > 0, item,
                "damping_exponent is not positive", "Give a number above zero; that of contact_exponent is usual.");
  check.require(std::isfinite(layer.rate_exponent) && layer.rate_exponent > 0, item, "rate_exponent is not positive",
                "Give a number above zero; 1 is usual.");
}

// What hertz and hunt-crossley cannot do.
void check_power_law(const CompliantLayer& layer, const Item& item, Checker& check) {
  if (layer.law == Law::kelvin_voigt) return;
  check.require(layer.stiffness(0, 0) > 0, item, "contact_law needs a normal stiffness",
                "Give stiffness, in N/m^contact_exponent along the normal, or leave contact_law out.");
  check.require(!couples_normal(layer.stiffness) && !couples_normal(layer.damping), item,
                "only kelvin-voigt couples the normal with the tangents",
                "Give [n, t] or [n, t, o] for stiffness and damping, or contact_law = \"kelvin-voigt\".");
  check.require(layer.law != Law::hertz || layer.damping(0, 0) == 0, item, "hertz has no normal damping",
                "Give damping = [0, t], or contact_law = \"hunt-crossley\".");
}

// No tangential direction may be left with neither stiffness nor damping while another has one: it would be free of
// friction rather than rigid.
void check_tangents(const CompliantLayer& layer, const Item& item, Checker& check) {
  if (layer.tangentially_rigid()) return;
  check.require(layer.given(), item, "tangential stiffness or damping without any along the normal",
                "Give the normal a stiffness too: the first of [n, t, o].");
  const Eigen::Matrix2d sum = (layer.stiffness + layer.damping).bottomRightCorner<2, 2>();
  check.require(sum.determinant() > rounding * sum.squaredNorm(), item,
                "a tangential direction has neither stiffness nor damping while another has",
                "Give both t and o, or neither: then the layer is rigid sideways.");
}

// An upper bound on half of the shape's smallest width: exact for shapes whose narrowest direction is an axis or a face
// normal, else that of the nearest of many evenly spread directions.
double half_width(const geometry::Shape& shape) {
  double least = infinity;
  const auto measure = [&](const Vector3& direction) {
    const double width = geometry::support_height(shape, direction) + geometry::support_height(shape, -direction);
    if (std::isfinite(width)) least = std::min(least, width / 2);
  };
  if (geometry::is_unbounded(shape)) return infinity;
  for (int i = 0; i < 3; ++i) measure(Vector3::Unit(i));
  for (const Vector3& normal : geometry::narrow_directions(shape)) measure(normal);
  for (int i = 0; i < direction_count; ++i) {  // a spiral over half of the sphere
    const double z = (i + 0.5) / direction_count, turn = i * std::numbers::pi * (3 - std::sqrt(5.0));
    const double r = std::sqrt(1 - z * z);
    measure({r * std::cos(turn), r * std::sin(turn), z});
  }
  return least;
}

// The thinnest shape of a material that collides; -1: there is none, or planes only.
int thinnest_shape(const Model& model, int material) {
  int thinnest = -1;
  double least = infinity;
  for (size_t s = 0; s < model.shapes.size(); ++s) {
    const BodyShape& shape = model.shapes[s];
    if (shape.material != material || !shape.collide) continue;
    const double width = half_width(shape.shape);
    if (width < least) thinnest = static_cast<int>(s), least = width;
  }
  return thinnest;
}

// The layer of a pair stands for both sides: it may be as deep as both together.
void check_pair_depth(const BuildContext& build, const MaterialPair& pair, Checker& check) {
  const double thickness = pair.values.layer.thickness;
  if (!pair.values.layer.given() || thickness == infinity) return;
  const Model& model = build.model;
  double depth = 0;
  std::string names;
  for (const std::string& material : pair.materials) {
    const int s = thinnest_shape(model, build.material_index.at(material));
    if (s < 0) return;
    depth += half_width(model.shapes[s].shape);
    names += fmt::format("{}'{}' ({})", names.empty() ? "" : " and ", model.bodies[model.shapes[s].body].name,
                         geometry::shape_name(model.shapes[s].shape));
  }
  if (thickness < depth) return;
  check.fail({pair.materials[0] + "/" + pair.materials[1], pair.line},
             fmt::format("layer_thickness {:.6g} m is not less than {:.6g} m, half the smallest widths of {} together",
                         thickness, depth, names),
             "Make the pair's layer thinner, give a shape another material, or leave layer_thickness out, and there is "
             "no core.");
}

}  // namespace

void check_pair_depths(BuildContext& build) {
  for (const MaterialPair& pair : build.description.pairs) check_pair_depth(build, pair, build.check);
}

void check_layer(const CompliantLayer& layer, const Item& item, Checker& check) {
  if (!check_matrix(layer.stiffness, "stiffness", item, check)) return;
  if (!check_matrix(layer.damping, "damping", item, check)) return;
  check_exponents(layer, item, check);
  check.require(layer.thickness > 0, item, "layer_thickness is not positive",
                "Give more than zero metres, or leave it out, and there is no core.");
  check_tangents(layer, item, check);
  check_power_law(layer, item, check);
  check.require(layer.given() || layer.thickness == infinity, item, "layer_thickness without stiffness",
                "Give stiffness (N/m) too, or leave layer_thickness out.");
}

void check_layer_depth(const geometry::Shape& shape, const Material& material, const Item& item, Checker& check) {
  if (!material.layer.given() || material.layer.thickness == infinity) return;
  const double depth = half_width(shape);
  if (material.layer.thickness < depth) return;
  check.fail(item,
             fmt::format("layer_thickness of material '{}', {:.6g} m, is not less than half the smallest width of the "
                         "{}, {:.6g} m",
                         material.name, material.layer.thickness, geometry::shape_name(shape), depth),
             fmt::format("Make the layer of '{}' thinner, give this shape another material, or leave layer_thickness "
                         "out, and there is no core.",
                         material.name));
}

}  // namespace stiction
