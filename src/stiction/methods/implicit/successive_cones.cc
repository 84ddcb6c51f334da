#include "stiction/methods/implicit/successive_cones.h"

#include "stiction/methods/shared/island_warm_start.h"

namespace stiction::methods {

namespace {

// A contact of the step as it is at the end of the iterate.
contact::Contact contact_at(const contact::Contact& start, const EndContact& end) {
  contact::Contact contact = start;
  contact.point = end.point;
  contact.normal = end.normal;
  contact.tangent = end.tangent;
  contact.gap = end.gap;
  const Vector3 belt = end.belt_B - end.belt_A;
  contact.surface_velocity = belt - end.normal * end.normal.dot(belt);
  return contact;
}

}  // namespace

SuccessiveCones::SuccessiveCones() {
  solver_.reserve_all_rungs();
}

bool SuccessiveCones::advance(const StepProblem& problem, const StepContext& context, const contact::Island& island,
                              const ImplicitIsland& implicit, const EndState& end, double tolerance,
                              StepAnswer& answer) {
  frozen_ = problem;
  for (size_t i = 0; i < island.contacts.size(); ++i) {
    const int c = island.contacts[i];
    const EndContact& at = implicit.end_contact(static_cast<int>(i));
    contact::restate_contact(context.model, end.kinematics, contact_at(context.contacts[c], at), c, frozen_);
    if (implicit.rebounds(static_cast<int>(i))) continue;  // asks for its speed already
    frozen_.contacts[c].normal_bias = at.gap / problem.step - at.normal.dot(at.velocity);
  }
  list_island_blocks(frozen_, island, blocks_);
  if (!rows_.form(frozen_, island, blocks_)) return false;
  form_velocity_problem(frozen_, island, blocks_, rows_, velocity_);
  if (!warm_) r_.assign(velocity_.problem.q.size(), 0.0);
  const solvers::FrictionReport report = solvers::solve_friction(
      solvers::auto_friction, velocity_.problem,
      {.tolerance = tolerance, .acceptance = 1e3 * tolerance, .warm_start = warm_}, solver_, r_);
  const bool usable = report.solve.termination == solvers::Termination::solved ||
                      (report.solve.residual >= 0 && report.solve.residual <= 1e3 * tolerance);
  if (!usable) return false;
  warm_ = true;
  make_admissible(velocity_.problem, r_);
  velocity_.scatter(rows_, r_, p_);
  rows_.apply(frozen_, island, p_, frozen_.v_free, answer.v_end);
  write_impulses(frozen_, blocks_, rows_, p_, answer);
  return true;
}

}  // namespace stiction::methods
