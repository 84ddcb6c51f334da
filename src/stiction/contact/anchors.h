// Where sticking contacts are anchored: how far the bodies have moved over each other since they stuck.
//
// A step asks for no slip with the Jacobian of its start. The bodies then move on arcs, so that a block on a turntable
// creeps outwards by h^2/2 times its centripetal acceleration per step, though its velocity is right. The drift is the
// sum of what was really moved, step by step: with the motion of B over A during a step (A at rest: travel d of B's
// centre of mass, turn phi about it),
//
//     slip = d + phi x (arm at the start + arm at the end) / 2 + h * belt,
//
// tangential part, carried along with A. It is exact where B rests on A and where a sphere rolls on a plane (no slip,
// though no material point stays in contact); elsewhere the mean of the arms leaves O(h^3) a step. Where A is round and
// B is not the roles change: a ball that spins between two jaws turns about the point of contact, which lies still on
// the jaw; carried along with the ball the drift would turn with it, and be mended in the wrong direction.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "stiction/contact/contact_set.h"
#include "stiction/contact/key_order.h"
#include "stiction/problem/step_problem.h"

namespace stiction::contact {

/// What anchors need while they are measured and kept. Caller-owned memory that keeps its capacity.
struct AnchorScratch {
  std::vector<Matrix3> turns;  ///< of all bodies, since the last step
  std::vector<Vector4> end;    ///< velocities of all contacts at the end of the step
  std::vector<KeyedIndex> sticking;
  KeyOrder order;
  std::vector<char> sticks;                    ///< of each contact
  std::vector<std::array<double, 2>> largest;  ///< of each chunk of contacts: what it sees and drifts by at most
  Workers* workers = nullptr;                  ///< share the loops; null: the caller alone
};

/// Drift of the contacts that stuck in the last accepted step, by contact key. Allocates only for more contacts than
/// ever before.
class Anchors {
 public:
  /// Sets Contact::stuck and Contact::drift; zero where the contact is new or slipped. `kinematics` belongs to the
  /// start of the coming step.
  void measure(const Kinematics& kinematics, std::span<Contact> contacts, AnchorScratch& scratch) const;

  /// Remembers which contacts stuck (sticks()) in the step that was taken and where all bodies stood at its start.
  /// Contacts of the end of a step (NormalLaw::end_gap) have no drift to be closed.
  void keep(const Kinematics& kinematics, std::span<const Contact> contacts, const StepProblem& problem,
            const StepAnswer& answer, double slip_tolerance, AnchorScratch& scratch);

  /// Forgets everything: the state comes from elsewhere.
  void clear() { anchors_.clear(); }

  /// Walks over everything that is remembered (memory_archive.h).
  template <class Archive>
  void visit(Archive& archive) {
    archive.list("anchors", anchors_, [](auto& a, Anchor& anchor) {
      a.word(anchor.key);
      for (Vector3* v : {&anchor.point, &anchor.drift, &anchor.belt}) {
        for (double& x : *v) a.number(x);
      }
      a.flag(anchor.drifts);
    });
    archive.list("orientations", R_WB_, [](auto& a, Matrix3& R) {
      for (double& x : R.reshaped()) a.number(x);
    });
    archive.list("centres_of_mass", com_W_, [](auto& a, Vector3& c) {
      for (double& x : c) a.number(x);
    });
  }

 private:
  struct Anchor {
    std::uint64_t key;
    Vector3 point;  // world, at the start of the last step, as all of these
    Vector3 drift;
    Vector3 belt;  // h * surface velocity
    bool drifts;
  };

  // How `other` has moved over `carrier` since the last step.
  struct Motion {
    int carrier = -2, other = -2;  // none yet
    Matrix3 turn_carrier;
    Vector3 travel = Vector3::Zero(), turn = Vector3::Zero();  // d and phi
  };
  Motion motion_of(int carrier, int other, const Kinematics& now, const std::vector<Matrix3>& turns) const;

  void measure_some(const Kinematics& kinematics, const std::vector<Matrix3>& turns, std::span<Contact> contacts) const;

  // How far that took it at the point where they touch.
  Vector3 moved_over(const Motion& motion, const Vector3& point, const Vector3& last_point,
                     const Kinematics& now) const;

  std::vector<Anchor> anchors_;  // sorted by key
  std::vector<Matrix3> R_WB_;    // of all bodies
  std::vector<Vector3> com_W_;
};

/// Slip below this fraction of the velocities that the step had to stop is what solvers leave, not motion. What it
/// moves is measured and closed like any other drift.
inline constexpr double stick_fraction = 1e-7;

/// Does the contact touch at the end of the step and not move along the surface? Slip up to `slip_tolerance` times
/// `scale` (m/s) counts as none where the friction impulse is inside its cone.
bool sticks(const StepProblem& problem, const ContactRows& contact, const StepAnswer& answer, double scale,
            double slip_tolerance = stick_fraction);

/// Largest relative velocity of the contact rows in the free motion: the scale that stick is judged by [m/s, rad/s].
double contact_velocity_scale(const StepProblem& problem);

}  // namespace stiction::contact
