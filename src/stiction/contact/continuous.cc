#include "stiction/contact/continuous.h"

#include <algorithm>
#include <cmath>

#include "stiction/geometry/time_of_impact.h"

namespace stiction::contact {

namespace {

constexpr double touch_fraction = 1e-7;

bool same_pair(const Contact& a, const Contact& b) {
  return a.shape_A == b.shape_A && a.shape_B == b.shape_B;
}

std::pair<int, int> shape_pair(const Contact& c) {
  return std::minmax(c.shape_A, c.shape_B);
}

geometry::MovingShape moving(const Model& model, const Kinematics& kinematics, const DetectionWorkspace& workspace,
                             int s) {
  const BodyShape& shape = model.shapes[s];
  geometry::MovingShape result{.shape = shape.shape, .X_WS = workspace.X_WS[s]};
  if (shape.body < 0 || model.bodies[shape.body].kind == BodyKind::fixed) return result;
  result.center = kinematics.com_W[shape.body];
  result.velocity = kinematics.velocity[shape.body];
  return result;
}

// Twice as far as a step of h at the velocities of `kinematics` parts points that its rows hold together.
double lift(const Model& model, const Kinematics& kinematics, double h, const Contact& contact) {
  double sum = 0;
  for (const int body : {contact.body_A, contact.body_B}) {
    if (body < 0 || model.bodies[body].kind == BodyKind::fixed) continue;
    sum += kinematics.velocity[body].angular.squaredNorm() * (contact.point - kinematics.com_W[body]).norm();
  }
  return h * h * sum;
}

// Whether a pair that does not touch cuts the step where it hits.
bool cuts(const Model& model, int shape_A, int shape_B, bool inelastic) {
  const Material& material = model.pair_material(model.shapes[shape_A].material, model.shapes[shape_B].material);
  return inelastic || material.restitution > 0 || material.tangential_restitution > 0;
}

}  // namespace

double touch_distance(const Model& model, int shape_A, int shape_B) {
  double size = infinity;
  for (const int s : {shape_A, shape_B}) {
    const geometry::Shape& shape = model.shapes[s].shape;
    if (!std::isinf(geometry::bounding_radius(shape))) size = std::min(size, geometry::shape_size(shape));
  }
  return touch_fraction * (std::isinf(size) ? 1.0 : size);
}

void keep_touching(const Model& model, const Kinematics& kinematics, double h, double step, bool inelastic,
                   std::vector<Contact>& contacts) {
  size_t kept = 0;
  for (size_t first = 0, last = 0; first < contacts.size(); first = last) {
    while (last < contacts.size() && same_pair(contacts[first], contacts[last])) ++last;
    const double touch = touch_distance(model, contacts[first].shape_A, contacts[first].shape_B);
    const auto touches = [&](const Contact& c) { return c.gap <= touch; };
    const bool apart = std::none_of(contacts.begin() + first, contacts.begin() + last, touches);
    if (apart && cuts(model, contacts[first].shape_A, contacts[first].shape_B, inelastic)) continue;
    for (size_t c = first; c < last; ++c) {
      const bool closes = contacts[c].gap + h * closing_speed(model, kinematics, contacts[c]) <= 0;
      if (touches(contacts[c]) || closes || contacts[c].gap <= touch + lift(model, kinematics, step, contacts[c]))
        contacts[kept++] = contacts[c];
    }
  }
  contacts.resize(kept);
}

double first_impact(const Model& model, const Kinematics& kinematics, double h, bool inelastic,
                    std::span<const Contact> contacts, DetectionWorkspace& workspace) {
  double first = h;
  size_t next = 0;
  for (const auto& [i, j] : colliding_pairs(model, workspace)) {
    if (!cuts(model, i, j, inelastic)) continue;
    const auto [a, b] = workspace.frame_rank[i] < workspace.frame_rank[j] ? std::pair(i, j) : std::pair(j, i);
    // Contacts and pairs are in the same order: one walk over both.
    while (next < contacts.size() && shape_pair(contacts[next]) < std::pair(i, j)) ++next;
    if (next < contacts.size() && shape_pair(contacts[next]) == std::pair(i, j)) continue;
    geometry::TimeOfImpactOptions options;
    options.target = 0.5 * touch_distance(model, a, b);
    const geometry::TimeOfImpact impact = geometry::time_of_impact(
        moving(model, kinematics, workspace, a), moving(model, kinematics, workspace, b), first, options);
    if (impact.status != geometry::TimeOfImpact::Status::none) first = std::min(first, impact.time);
  }
  return first;
}

}  // namespace stiction::contact
