#include "stiction/contact/start_slip.h"

#include "stiction/contact/anchors.h"
#include "stiction/problem/row_velocity.h"

namespace stiction::contact {

namespace {

// What a solver leaves of a slip that it was asked to stop: m/s, and a share of the contact's velocity in the free
// motion (the one by which anchors judge stick).
constexpr double smallest_slip = 1e-9, rest_fraction = 1e-7;

}  // namespace

double start_slip(const Contact& contact, const ContactRows& rows, const StepProblem& problem) {
  const Vector4 start = contact_velocity(problem, rows, problem.v_start);
  const Vector4 free = contact_velocity(problem, rows, problem.v_free);
  const double length = contact.material->torsional_friction;
  const double moves = contact.stuck ? 0.0 : 1.0;
  const Vector3 slip(moves * start[1], moves * start[2], length * start[3]);
  const Vector3 slip_free(free[1], free[2], length * free[3]);
  const double speed = slip.norm(), rest = smallest_slip + rest_fraction * free.lpNorm<Eigen::Infinity>();
  return speed <= rest || slip.dot(slip_free) <= 0 ? 0.0 : speed;
}

}  // namespace stiction::contact
