#include "stiction/stepping/step_failure.h"

#include <fmt/format.h>

#include "stiction/stepping/existence/existence_summary.h"

namespace stiction {

namespace {

std::string body_name(const Model& model, int body) {
  return body < 0 ? "world" : model.bodies[body].name;
}

// " [first] [second] ... and N more": a pile has hundreds, and nobody reads them all.
template <class Items, class Describe>
std::string list_some(const Items& items, Describe describe) {
  constexpr size_t most = 12;
  std::string text;
  size_t count = 0;
  for (const auto& item : items) {
    if (++count <= most) text += fmt::format(" [{}]", describe(item));
  }
  return count > most ? text + fmt::format(" and {} more", count - most) : text;
}

std::string describe_joints(const Model& model, const StepScratch& scratch, const StepProblem& problem,
                            const contact::Island& island) {
  std::string text = "; joints involved:";
  for (const int b : island.bilaterals) {
    text += fmt::format(" [{}, closing]", model.loop_joints[scratch.assembly.bilateral_joint[b]].name);
  }
  for (const int k : island.scalars) {
    const contact::ScalarSource& source = scratch.assembly.scalar_source[k];
    const Joint& joint = source.loop_joint ? model.loop_joints[source.joint] : model.tree_joints[source.joint];
    const bool limit = problem.scalars[k].kind == ScalarRow::Kind::limit;
    text += fmt::format(" [{}, {}]", joint.name, limit ? "limit" : "friction");
  }
  return text;
}

std::string describe_island(const Model& model, const StepScratch& scratch, const StepRecord& record,
                            const contact::Island& island) {
  std::string text = "; bodies involved:";
  text += list_some(island_bodies(model, island), [](const std::string& name) { return name; });
  if (!island.contacts.empty()) text += "; contacts involved:";
  text += list_some(island.contacts, [&](int c) {
    const contact::Contact& contact = record.contacts[c];
    return fmt::format("{} - {}, gap {:.3g} m", body_name(model, contact.body_A), body_name(model, contact.body_B),
                       contact.gap);
  });
  if (island.bilaterals.empty() && island.scalars.empty()) return text;
  return text + describe_joints(model, scratch, record.problem, island);
}

// Names the joint, or the free body, whose orientation the method's representation cannot express.
std::string describe_singular(const Model& model, const State& state, int joint_index) {
  const Joint& joint = model.tree_joints[joint_index];
  std::string of = fmt::format("body [{}]", body_name(model, joint.child));
  if (!joint.implicit) of += fmt::format(" in joint [{}]", joint.name);
  return fmt::format(
      "step at t = {:.9g} s not taken: the Euler angles of {} are singular, pitch is 90 degrees up or down; "
      "remedy: take representation quaternion, matrix, rodrigues or exponential instead of euler",
      state.time, of);
}

}  // namespace

std::string describe_not_finite(const Model& model, const State& state, const VectorX& v, const VectorX& q) {
  std::string text =
      fmt::format("step at t = {:.9g} s gave velocities that are not finite; bodies involved:", state.time);
  for (const Joint& joint : model.tree_joints) {
    const bool finite =
        v.segment(joint.v_offset, joint.v_size).allFinite() && q.segment(joint.q_offset, joint.q_size).allFinite();
    if (!finite) text += fmt::format(" [{}]", body_name(model, joint.child));
  }
  return text;
}

std::string describe_failure(const Model& model, const State& state, std::optional<int> singular_joint,
                             const StepScratch& scratch, const StepRecord& record) {
  for (int i = 0; i < record.islands.count(); ++i) {
    const solvers::SolveReport& report = record.reports[i].solve;
    if (report.termination == solvers::Termination::solved) continue;
    const std::string residual = report.residual >= 0 ? fmt::format(", residual {:.2g}", report.residual) : "";
    const std::string_view existence = existence_clause(record.reports[i].existence);
    return fmt::format("step at t = {:.9g} s not solved ({} after {} iterations{}{}{})", state.time,
                       solvers::termination_name(report.termination), report.iterations, residual,
                       existence.empty() ? "" : "; ", existence) +
           describe_island(model, scratch, record, record.islands[i]);
  }
  if (singular_joint && record.v_position.allFinite()) return describe_singular(model, state, *singular_joint);
  return describe_not_finite(model, state, record.v_position, scratch.q_next);
}

std::string describe_overlap(const State& state, double overlap) {
  return fmt::format("step at t = {:.9g} s not taken: bodies overlap by {:.3g} m at its start", state.time, overlap);
}

std::string describe_passage(const State& state) {
  return fmt::format("step at t = {:.9g} s not taken: bodies pass through each other; remedy: take a shorter step",
                     state.time);
}

std::string describe_refuted(const State& state, double residual, double overlap) {
  return fmt::format(
      "step at t = {:.9g} s not taken: at its end the contacts are not those that were solved for (residual {:.2g}, "
      "overlap {:.2g} m); remedy: take a shorter step",
      state.time, residual, overlap);
}

}  // namespace stiction
