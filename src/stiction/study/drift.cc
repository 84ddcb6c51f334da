#include "stiction/study/drift.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "stiction/base/assert.h"

namespace stiction {

namespace {

constexpr double usual_drop_distance = 0.01;  // m

bool is_body(const Model& model, const std::string& name) {
  return model.find_body(name) >= 0;
}

Error unknown_body(const Model& model, const std::string& name) {
  std::vector<std::string> names;
  for (const Body& body : model.bodies) names.push_back(body.name);
  const std::string near = closest_name(name, names);
  return {.what = "there is no such body",
          .remedy = near.empty() ? fmt::format("The scene has: {}.", fmt::join(names, ", "))
                                 : fmt::format("Did you mean '{}'?", near),
          .name = name};
}

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts;
  size_t begin = 0;
  for (size_t end = text.find(at); end != std::string::npos; begin = end + 1, end = text.find(at, begin)) {
    parts.push_back(text.substr(begin, end - begin));
  }
  parts.push_back(text.substr(begin));
  return parts;
}

// Diameter of a body's shapes; infinite for a plane, zero without shapes.
double extent(const Model& model, int body) {
  double radius = 0;
  for (const BodyShape& shape : model.shapes) {
    if (shape.body != body) continue;
    const double offset = (shape.X_BS.p - model.bodies[body].com_B).norm();
    radius = std::max(radius, offset + geometry::bounding_radius(shape.shape));
  }
  return 2 * radius;
}

}  // namespace

std::string DriftPair::name() const {
  return fmt::format("{},{}", fmt::join(reference, "+"), body);
}

Result<DriftPair> parse_drift_pair(const Model& model, const std::string& text) {
  const size_t comma = text.rfind(',');
  if (comma == std::string::npos || comma == 0 || comma + 1 == text.size()) {
    return failure({.what = "a drift is measured between two bodies",
                    .remedy = "Give A,B: the drift of B in the frame of A (A+C,B: of the mean of A and C).",
                    .name = text});
  }
  DriftPair pair{.reference = {text.substr(0, comma)}, .body = text.substr(comma + 1)};
  if (pair.reference.front() != "world" && !is_body(model, pair.reference.front())) {
    pair.reference = split(pair.reference.front(), '+');
  }
  for (const std::string& name : pair.reference) {
    if (!is_body(model, name) && (name != "world" || pair.reference.size() > 1)) {
      return failure(unknown_body(model, name));
    }
  }
  if (!is_body(model, pair.body)) return failure(unknown_body(model, pair.body));
  return pair;
}

DriftMeter::DriftMeter(const Model& model, const Kinematics& start, const DriftPair& pair)
    : body_(model.find_body(pair.body)) {
  STICTION_ASSERT(body_ >= 0 && !pair.reference.empty(), "the pair was not looked up in this model");
  for (const std::string& name : pair.reference) {
    const int index = model.find_body(name);
    STICTION_ASSERT(index >= 0 || name == "world", "the pair was not looked up in this model");
    reference_.push_back(index);
  }
  if (pair.normal && pair.normal->norm() > 0) normal_ = pair.normal->normalized();
  start_ = place(start);
}

Vector3 DriftMeter::place(const Kinematics& kinematics) const {
  const int first = reference_.front();
  if (first == world_index) return kinematics.com_W[body_];
  Vector3 centre = Vector3::Zero();
  for (const int index : reference_) centre += kinematics.com_W[index];
  centre /= static_cast<double>(reference_.size());
  return kinematics.X_WB[first].R.transpose() * (kinematics.com_W[body_] - centre);
}

Vector3 DriftMeter::displacement(const Kinematics& kinematics) const {
  const Vector3 moved = place(kinematics) - start_;
  return moved - normal_ * normal_.dot(moved);
}

double default_drop_distance(const Model& model, const DriftPair& pair) {
  double least = usual_drop_distance;
  std::vector<std::string> names = pair.reference;
  names.push_back(pair.body);
  for (const std::string& name : names) {
    const int index = model.find_body(name);
    const double size = index < 0 ? 0 : extent(model, index);
    if (size > 0) least = std::min(least, size);
  }
  return least;
}

}  // namespace stiction
