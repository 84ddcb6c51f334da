// From shapes to contacts: which points of which bodies touch or may touch within the coming step, with frames and
// materials.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "stiction/base/stage_times.h"
#include "stiction/dynamics/kinematics.h"
#include "stiction/geometry/kept_pairs.h"
#include "stiction/geometry/simple_pairs.h"

namespace stiction {
class Workers;
}

namespace stiction::contact {

/// One contact point, in world axes. The frame is (normal, tangent, normal x tangent) = (n, t, o) of trinkle2003, and A
/// is the shape that gives the tangent.
struct Contact {
  std::uint64_t key = 0;  ///< shapes and features: the same from step to step while the same features touch
  int shape_A = -1, shape_B = -1;
  int body_A = -1, body_B = -1;
  Vector3 point = Vector3::Zero();  ///< half-way between the two surfaces: both bodies get the force there, so that no
                                    ///< moment is made
  Vector3 normal = Vector3::UnitZ();  ///< unit, from A to B
  Vector3 tangent = Vector3::UnitX();
  double gap = 0;
  const Material* material = nullptr;                                ///< what holds where the two materials meet
  std::array<const CompliantLayer*, 2> layers = {nullptr, nullptr};  ///< of A and B; null: rigid
  Vector3 surface_velocity = Vector3::Zero();                        ///< of B's belt over A's, tangential
  Vector3 drift = Vector3::Zero();  ///< tangential: how far B moved over A since it stuck (anchors.h)
  bool stuck = false;               ///< in the last step that was taken (anchors.h)
  bool B_carries = false;           ///< B, not A, carries the drift: A is round and B is not

  Vector3 binormal() const { return normal.cross(tangent); }
};

/// What a contact takes from a shape, side by side with that of others.
struct ShapeSurface {
  Vector3 friction_direction_S = Vector3::UnitX();
  int body = -1, material = 0;
  bool has_belt = false;   ///< its surface moves over the body
  bool has_layer = false;  ///< its material has one
  bool round = false;      ///< see geometry::Kind
};

/// Where the contacts of some pairs are until they are put in order.
struct FoundContacts {
  int worker = 0;
  size_t first = 0, count = 0;
  size_t place = 0;  ///< in the list of all contacts
};

/// How far each body may move in the step, and everything that detection reuses from step to step.
struct DetectionWorkspace {
  std::vector<double> reach;   ///< bodies: distance that any of its points may travel in the step [m]
  std::vector<double> radius;  ///< bodies: of a ball about the centre of mass that holds its shapes
  std::vector<double> slop;    ///< shapes: how far beyond its body's reach detection looks [m]
  std::vector<double> margin;  ///< shapes: both together
  std::vector<geometry::Aabb> boxes;
  std::vector<ShapeSurface> surface;          ///< shapes
  std::vector<geometry::SimpleShape> simple;  ///< shapes: their numbers, where they are all that is needed
  std::vector<Pose> X_WS;
  /// Shapes: who is A and gives the friction direction (lower wins), independent of the bodies' order.
  std::vector<int> frame_rank;
  geometry::KeptPairs kept_pairs;
  std::vector<std::vector<Contact>> found;  ///< by each worker
  std::vector<FoundContacts> found_in;      ///< by each chunk of pairs
  StageTimes* times = nullptr;              ///< where detection adds its times; null: nowhere
  Workers* workers = nullptr;               ///< share detection; null: the caller alone
};

/// Memory and per-shape constants for a model.
DetectionWorkspace make_detection(const Model& model);

/// Sets `reach` from the velocities in `kinematics` (those expected at the end of the step).
void set_reach(const Model& model, const Kinematics& kinematics, double h, DetectionWorkspace& workspace);

/// Grows `reach` to the velocities in `kinematics`; true if some body moves farther than detection assumed.
bool grow_reach(const Model& model, const Kinematics& kinematics, double h, DetectionWorkspace& workspace);

/// Rate of the gap of a contact with the velocities in `kinematics` [m/s], negative when it closes.
double closing_speed(const Model& model, const Kinematics& kinematics, const Contact& contact);

/// Poses of all shapes, into `workspace.X_WS`.
void place_shapes(const Model& model, const Kinematics& kinematics, DetectionWorkspace& workspace);

/// Where the point of a contact with compliant layers lies, as a share of the way from A's surface to B's: on the
/// surface that is rigid, or half-way.
double layered_point_share(const Contact& contact);

/// The same contact at another point of its shapes' manifold, at the poses in `workspace.X_WS`; `share` places it.
Contact remake_contact(const Model& model, const DetectionWorkspace& workspace, const Contact& contact,
                       const geometry::Manifold& manifold, const geometry::ManifoldPoint& point, double share);

/// Pairs of shapes (i < j, sorted) that may collide and whose boxes of the last detection overlap.
std::span<const std::pair<int, int>> colliding_pairs(const Model& model, DetectionWorkspace& workspace);

/// Contacts whose gap two bodies may close within their reach, sorted by the pair's shapes.
void detect_contacts(const Model& model, const Kinematics& kinematics, DetectionWorkspace& workspace,
                     std::vector<Contact>& contacts);

}  // namespace stiction::contact
