#include "stiction/contact/contact_set.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>
#include <tuple>

#include "stiction/base/workers.h"
#include "stiction/math/rotation.h"

namespace stiction::contact {

namespace {

// Detection looks this fraction of a body's size beyond its reach, so that resting contacts stay in the set.
constexpr double slop_fraction = 1e-4;

// Pairs in one chunk of those that workers share, and fewer than which it does not pay to share.
constexpr size_t pairs_at_once = 128, least_shared = 1024;
constexpr size_t bodies_at_once = 512;  // of the other loops

std::vector<double> shape_slops(const Model& model) {
  std::vector<double> slops;
  for (const BodyShape& shape : model.shapes) {
    const bool unbounded = std::isinf(geometry::bounding_radius(shape.shape));
    slops.push_back(slop_fraction * (unbounded ? 0 : geometry::shape_size(shape.shape)));
  }
  return slops;
}

std::vector<double> body_radii(const Model& model) {
  std::vector<double> radii(model.bodies.size(), 0.0);
  for (const BodyShape& shape : model.shapes) {
    const double offset = (shape.X_BS.p - model.bodies[shape.body].com_B).norm();
    radii[shape.body] = std::max(radii[shape.body], offset + geometry::bounding_radius(shape.shape));
  }
  return radii;
}

// Who gives a pair its friction direction: a shape that states one, else one that does not move, else the heavier body,
// else the name that comes first. The rule must not depend on the order of the scene.
std::vector<int> rank_frames(const Model& model) {
  std::vector<int> order(model.shapes.size());
  std::iota(order.begin(), order.end(), 0);
  const auto key = [&](int s) {
    const BodyShape& shape = model.shapes[s];
    const Body& body = model.bodies[shape.body];
    return std::make_tuple(!shape.has_friction_direction, body.kind == BodyKind::simulated, -body.mass, body.name);
  };
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return key(a) < key(b); });
  std::vector<int> rank(order.size());
  for (size_t i = 0; i < order.size(); ++i) rank[order[i]] = static_cast<int>(i);
  return rank;
}

// The friction direction of `shape` in the tangent plane; where it is nearly normal, the shape's next axis.
Vector3 tangent_from(const ShapeSurface& shape, const Matrix3& R_WS, const Vector3& normal) {
  const Vector3 wanted = R_WS * shape.friction_direction_S;
  Vector3 tangent = wanted - normal * normal.dot(wanted);
  if (tangent.squaredNorm() < 1e-4) {
    const Vector3 other = R_WS * any_orthogonal(shape.friction_direction_S);
    tangent = other - normal * normal.dot(other);
  }
  return tangent.normalized();
}

double travel(const Model& model, const Kinematics& kinematics, double h, double radius, int body) {
  if (model.bodies[body].kind == BodyKind::fixed || radius == 0) return 0;
  const Twist& velocity = kinematics.velocity[body];
  const double turn = velocity.angular.norm();
  return h * (velocity.linear.norm() + (turn > 0 ? turn * radius : 0));
}

std::vector<ShapeSurface> shape_surfaces(const Model& model) {
  std::vector<ShapeSurface> surfaces;
  for (const BodyShape& shape : model.shapes) {
    const auto is_positive_zero = [](double x) { return x == 0 && !std::signbit(x); };
    const Vector3& belt = shape.surface_velocity_S;
    const bool has_belt = !std::all_of(belt.data(), belt.data() + 3, is_positive_zero);
    surfaces.push_back({shape.friction_direction_S, shape.body, shape.material, has_belt,
                        model.materials[shape.material].layer.given(), geometry::kind_of(shape.shape).round});
  }
  return surfaces;
}

// The pair's own layer stands for both; otherwise each shape has that of its material.
std::array<const CompliantLayer*, 2> contact_layers(const Model& model, const ShapeSurface& A, const ShapeSurface& B,
                                                    const Material& pair) {
  if (pair.layer.given()) return {nullptr, &pair.layer};
  const auto layer = [&](const ShapeSurface& shape) {
    return shape.has_layer ? &model.materials[shape.material].layer : nullptr;
  };
  return {layer(A), layer(B)};
}

std::uint64_t pair_key(int a, int b) {
  return (static_cast<std::uint64_t>(a) << 48) | (static_cast<std::uint64_t>(b) << 32);
}

// Tangential velocity of B's belt over A's. Without belts it is zero with the signs that the products leave.
Vector3 belt_velocity(const Model& model, const DetectionWorkspace& workspace, const Contact& contact) {
  const auto belt_of = [&](int s) -> Vector3 {
    const Vector3 belt_S = workspace.surface[s].has_belt ? model.shapes[s].surface_velocity_S : Vector3(0, 0, 0);
    return workspace.X_WS[s].R * belt_S;
  };
  const Vector3 belt = belt_of(contact.shape_B) - belt_of(contact.shape_A);
  return belt - contact.normal * contact.normal.dot(belt);
}

// Sets what all points of two shapes' manifold with one normal have in common. `a` gives the frame.
void set_pair(const Model& model, const DetectionWorkspace& workspace, int a, int b, const Vector3& normal,
              Contact& contact) {
  const ShapeSurface& A = workspace.surface[a];
  const ShapeSurface& B = workspace.surface[b];
  contact.shape_A = a;
  contact.shape_B = b;
  contact.body_A = A.body;
  contact.body_B = B.body;
  contact.normal = normal;
  contact.tangent = tangent_from(A, workspace.X_WS[a].R, normal);
  contact.material = &model.pair_material(A.material, B.material);
  contact.layers = contact_layers(model, A, B, *contact.material);
  contact.surface_velocity = belt_velocity(model, workspace, contact);
  contact.B_carries = A.round && !B.round;
}

// Makes what set_pair() left the contact at one of the points.
void place_contact(const geometry::ManifoldPoint& point, Contact& contact) {
  contact.key = pair_key(contact.shape_A, contact.shape_B) | point.feature;
  contact.point = 0.5 * (point.point_A + point.point_B);
  contact.gap = point.gap;
}

void add_contacts(const Model& model, const DetectionWorkspace& workspace, int a, int b,
                  const geometry::Manifold& manifold, std::vector<Contact>& contacts) {
  if (manifold.count == 0) return;
  set_pair(model, workspace, a, b, manifold.normal, contacts.emplace_back());
  const size_t first = contacts.size() - 1;
  contacts.resize(first + manifold.count, contacts[first]);
  for (int k = 0; k < manifold.count; ++k) {
    const geometry::ManifoldPoint& point = manifold.points[k];
    const Vector3& normal = manifold.normal_at(point);
    if (&normal != &manifold.normal) set_pair(model, workspace, a, b, normal, contacts[first + k]);
    place_contact(point, contacts[first + k]);
  }
}

}  // namespace

DetectionWorkspace make_detection(const Model& model) {
  DetectionWorkspace workspace;
  workspace.reach.assign(model.bodies.size(), 0);
  workspace.radius = body_radii(model);
  workspace.slop = shape_slops(model);
  workspace.surface = shape_surfaces(model);
  workspace.margin.resize(model.shapes.size());
  workspace.boxes.resize(model.shapes.size());
  workspace.X_WS.resize(model.shapes.size());
  for (const BodyShape& shape : model.shapes) workspace.simple.push_back(geometry::simple_shape(shape.shape));
  workspace.frame_rank = rank_frames(model);
  return workspace;
}

double closing_speed(const Model& model, const Kinematics& kinematics, const Contact& contact) {
  const auto velocity = [&](int body) -> Vector3 {
    if (body < 0 || model.bodies[body].kind == BodyKind::fixed) return Vector3::Zero();
    return kinematics.velocity[body].at(contact.point - kinematics.com_W[body]);
  };
  return contact.normal.dot(velocity(contact.body_B) - velocity(contact.body_A));
}

void set_reach(const Model& model, const Kinematics& kinematics, double h, DetectionWorkspace& workspace) {
  for_ranges(workspace.workers, model.bodies.size(), bodies_at_once, [&](size_t begin, size_t end) {
    for (size_t body = begin; body < end; ++body) {
      workspace.reach[body] = travel(model, kinematics, h, workspace.radius[body], static_cast<int>(body));
    }
  });
}

bool grow_reach(const Model& model, const Kinematics& kinematics, double h, DetectionWorkspace& workspace) {
  std::atomic<bool> grown = false;
  for_ranges(workspace.workers, model.bodies.size(), bodies_at_once, [&](size_t begin, size_t end) {
    for (size_t body = begin; body < end; ++body) {
      const double needed = travel(model, kinematics, h, workspace.radius[body], static_cast<int>(body));
      if (needed <= workspace.reach[body] * (1 + 1e-12)) continue;
      workspace.reach[body] = needed;
      grown.store(true, std::memory_order_relaxed);
    }
  });
  return grown;
}

void place_shapes(const Model& model, const Kinematics& kinematics, DetectionWorkspace& workspace) {
  for_ranges(workspace.workers, model.shapes.size(), bodies_at_once, [&](size_t begin, size_t end) {
    for (size_t s = begin; s < end; ++s) {
      workspace.X_WS[s] = kinematics.X_WB[model.shapes[s].body] * model.shapes[s].X_BS;
    }
  });
}

double layered_point_share(const Contact& contact) {
  const bool A = contact.layers[0] != nullptr, B = contact.layers[1] != nullptr;
  return A == B ? 0.5 : A ? 1.0 : 0.0;
}

Contact remake_contact(const Model& model, const DetectionWorkspace& workspace, const Contact& contact,
                       const geometry::Manifold& manifold, const geometry::ManifoldPoint& point, double share) {
  Contact result;
  set_pair(model, workspace, contact.shape_A, contact.shape_B, manifold.normal_at(point), result);
  place_contact(point, result);
  result.key = contact.key;
  result.point = point.point_A + share * (point.point_B - point.point_A);
  return result;
}

namespace {

void find_box(const Model& model, size_t s, DetectionWorkspace& workspace) {
  geometry::Aabb box;
  if (!geometry::simple_bounding_box(workspace.simple[s], workspace.X_WS[s], box))
    box = geometry::bounding_box(model.shapes[s].shape, workspace.X_WS[s]);
  workspace.margin[s] = workspace.reach[workspace.surface[s].body] + workspace.slop[s];
  const Vector3 margin = Vector3::Constant(workspace.margin[s]);
  workspace.boxes[s] = {box.lower - margin, box.upper + margin};
}

// Pairs of shapes whose boxes, grown by what they may travel, overlap.
std::span<const std::pair<int, int>> find_pairs(const Model& model, const Kinematics& kinematics,
                                                DetectionWorkspace& workspace) {
  const StageTimer timer(workspace.times, Stage::broad_phase);
  place_shapes(model, kinematics, workspace);
  for_ranges(workspace.workers, model.shapes.size(), bodies_at_once, [&](size_t begin, size_t end) {
    for (size_t s = begin; s < end; ++s) find_box(model, s, workspace);
  });
  return colliding_pairs(model, workspace);
}

}  // namespace

std::span<const std::pair<int, int>> colliding_pairs(const Model& model, DetectionWorkspace& workspace) {
  return workspace.kept_pairs.pairs(workspace.boxes, [&](int i, int j) { return model.may_collide(i, j); });
}

namespace {

void find_manifold(const Model& model, const DetectionWorkspace& workspace, int a, int b,
                   geometry::Manifold& manifold) {
  const Pose &X_WA = workspace.X_WS[a], &X_WB = workspace.X_WS[b];
  const double margin = workspace.margin[a] + workspace.margin[b];
  if (geometry::simple_manifold(workspace.simple[a], X_WA, workspace.simple[b], X_WB, margin, manifold)) return;
  manifold = geometry::manifold(model.shapes[a].shape, X_WA, model.shapes[b].shape, X_WB, margin);
}

// Contacts of pairs, behind those that are there.
void find_contacts(const Model& model, const DetectionWorkspace& workspace, std::span<const std::pair<int, int>> pairs,
                   std::vector<Contact>& contacts) {
  geometry::Manifold manifold;
  for (const auto& [i, j] : pairs) {
    // The shape that gives the frame is A, or else a friction polygon without mirror symmetry would depend on the
    // bodies' order.
    const auto [a, b] = workspace.frame_rank[i] < workspace.frame_rank[j] ? std::pair(i, j) : std::pair(j, i);
    find_manifold(model, workspace, a, b, manifold);
    add_contacts(model, workspace, a, b, manifold, contacts);
  }
}

// Each worker into a list of its own, with room for all that there have been so far, whoever finds them; then from
// there into one list, in the order of the pairs.
void share_contacts(const Model& model, DetectionWorkspace& workspace, std::span<const std::pair<int, int>> pairs,
                    std::vector<Contact>& contacts) {
  Workers& workers = *workspace.workers;
  const int chunks = chunk_count(pairs.size(), pairs_at_once);
  workspace.found.resize(static_cast<size_t>(workers.count()));
  for (std::vector<Contact>& found : workspace.found) {
    found.clear();
    found.reserve(contacts.capacity());
  }
  workspace.found_in.resize(static_cast<size_t>(chunks));
  workers.for_chunks(chunks, [&](int chunk, int worker) {
    std::vector<Contact>& found = workspace.found[worker];
    const size_t begin = pairs_at_once * static_cast<size_t>(chunk), first = found.size();
    find_contacts(model, workspace, pairs.subspan(begin, std::min(pairs_at_once, pairs.size() - begin)), found);
    workspace.found_in[chunk] = {.worker = worker, .first = first, .count = found.size() - first};
  });
  size_t count = 0;
  for (FoundContacts& part : workspace.found_in) {
    part.place = count;
    count += part.count;
  }
  contacts.resize(count);
  workers.for_chunks(chunks, [&](int chunk) {
    const FoundContacts& part = workspace.found_in[chunk];
    std::copy_n(workspace.found[part.worker].data() + part.first, part.count, contacts.data() + part.place);
  });
}

}  // namespace

void detect_contacts(const Model& model, const Kinematics& kinematics, DetectionWorkspace& workspace,
                     std::vector<Contact>& contacts) {
  const auto pairs = find_pairs(model, kinematics, workspace);
  const StageTimer timer(workspace.times, Stage::narrow_phase);
  const bool shared = workspace.workers != nullptr && workspace.workers->count() > 1 && pairs.size() >= least_shared;
  if (shared) return share_contacts(model, workspace, pairs, contacts);
  contacts.clear();
  find_contacts(model, workspace, pairs, contacts);
}

}  // namespace stiction::contact
