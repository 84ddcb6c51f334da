#include "stiction/stepping/end_geometry.h"

#include <algorithm>
#include <cmath>

namespace stiction {

namespace {

void place_bodies(const Model& model, const State& start, double h, const StepScratch& scratch, const VectorX& v_end,
                  Kinematics& end) {
  update_prescribed(model, start.time + h, h, end);
  for (size_t b = 0; b < model.bodies.size(); ++b) {
    if (model.bodies[b].kind == BodyKind::prescribed) end.velocity[b] = scratch.kinematics.velocity[b];
  }
  update_poses(model, model.tree_joints, scratch.q_next, end);
  update_velocities(model, v_end, end);
}

// Of the manifold's points the one with the contact's feature, or else the nearest to where it was.
int matching_point(const geometry::Manifold& manifold, const contact::Contact& contact) {
  int best = -1;
  double nearest = infinity;
  for (int k = 0; k < manifold.count; ++k) {
    const geometry::ManifoldPoint& point = manifold.points[k];
    if (point.feature == static_cast<std::uint32_t>(contact.key)) return k;
    const double distance = (0.5 * (point.point_A + point.point_B) - contact.point).squaredNorm();
    if (distance < nearest) nearest = distance, best = k;
  }
  return best;
}

// No gap can be wider than this at the end of the step; a manifold keeps few points, and those are to be near ones.
double end_margin(const Model& model, const contact::DetectionWorkspace& detection, const contact::Contact& contact) {
  const auto slop = [&](int shape) {
    const geometry::Shape& s = model.shapes[shape].shape;
    return std::isfinite(geometry::bounding_radius(s)) ? 1e-4 * geometry::shape_size(s) : 0.0;
  };
  return std::max(0.0, contact.gap) + detection.reach[contact.body_A] + detection.reach[contact.body_B] +
         slop(contact.shape_A) + slop(contact.shape_B);
}

}  // namespace

double restate_at_end(const Model& model, const State& start, double h, StepScratch& scratch, Kinematics& end,
                      StepRecord& record) {
  contact::DetectionWorkspace& detection = scratch.detection;
  place_bodies(model, start, h, scratch, record.answer.v_end, end);
  contact::place_shapes(model, end, detection);
  double deepest = 0;
  for (size_t c = 0; c < record.contacts.size(); ++c) {
    contact::Contact& contact = record.contacts[c];
    const auto find = [&](double margin) {
      return geometry::manifold(model.shapes[contact.shape_A].shape, detection.X_WS[contact.shape_A],
                                model.shapes[contact.shape_B].shape, detection.X_WS[contact.shape_B], margin);
    };
    geometry::Manifold manifold = find(end_margin(model, detection, contact));
    if (manifold.count == 0) manifold = find(infinity);
    const int point = matching_point(manifold, contact);
    if (point < 0) continue;
    const ContactRows& rows = record.problem.contacts[c];
    const bool layered = rows.layers[0] >= 0 || rows.layers[1] >= 0;
    for (int k = 0; k < manifold.count && !layered; ++k) deepest = std::max(deepest, -manifold.points[k].gap);
    contact = contact::remake_contact(model, detection, contact, manifold, manifold.points[point],
                                      layered ? contact::layered_point_share(contact) : 0.5);
    contact::restate_contact(model, end, contact, static_cast<int>(c), record.problem);
  }
  record.problem.normal_law = NormalLaw::end_gap;
  record.contacts_of = ContactsOf::end;
  return deepest;
}

bool passes_through(const Model& model, const State& start, double h, const StepScratch& scratch,
                    const StepRecord& record, Kinematics& end, VectorX& q) {
  constexpr double fast = 0.25, sample = 0.1, deep = 0.02;  // of the smaller shape's size
  constexpr int most_samples = 48;
  int samples = 0;
  const auto size_of = [&](const contact::Contact& c) {
    double size = infinity;
    for (const int shape : {c.shape_A, c.shape_B}) {
      const geometry::Shape& s = model.shapes[shape].shape;
      if (std::isfinite(geometry::bounding_radius(s))) size = std::min(size, geometry::shape_size(s));
    }
    return size;
  };
  const auto travel_of = [&](const contact::Contact& c) {
    return scratch.detection.reach[c.body_A] + scratch.detection.reach[c.body_B];
  };
  for (const contact::Contact& c : record.contacts) {
    if (travel_of(c) < fast * size_of(c)) continue;
    samples = std::max(samples, static_cast<int>(std::ceil(travel_of(c) / (sample * size_of(c)))));
  }
  samples = std::min(samples, most_samples);
  for (int k = 1; k <= samples; ++k) {
    const double part = h * k / samples;
    q = start.q;
    integrate_positions(model, record.v_position, part, q);
    update_prescribed(model, start.time + part, h, end);
    update_poses(model, model.tree_joints, q, end);
    for (const contact::Contact& c : record.contacts) {
      if (travel_of(c) < fast * size_of(c) || c.layers[0] != nullptr || c.layers[1] != nullptr) continue;
      const BodyShape& A = model.shapes[c.shape_A];
      const BodyShape& B = model.shapes[c.shape_B];
      const geometry::Distance apart =
          geometry::distance(A.shape, end.X_WB[A.body] * A.X_BS, B.shape, end.X_WB[B.body] * B.X_BS);
      if (apart.gap < -deep * size_of(c)) return true;
    }
  }
  return false;
}

}  // namespace stiction
