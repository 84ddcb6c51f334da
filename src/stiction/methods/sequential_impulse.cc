// E. Guendelman, R. Bridson, R. Fedkiw: Nonconvex rigid bodies with stacking (2003).
//
//   paper                                        here
//   collision: u_rel of the start, e             v_start, restitution of the material           section 5
//   velocity update                              v_free - v_start                               section 3
//   contact: e from -0.9 up to 0                 e = -1 + s / n in sweep s of n                 section 7
//   j, K, sticking, sliding with N - mu T        contact_impulse.h                              section 5
//   contact graph                                levels of groups of trees, breadth first       section 8.1
//   shock propagation                            level by level, lower ones immovable           section 8.2
//
// Deviations. A body of the paper is here a mechanism: a tree, or trees that closing joints join; its levels are
// counted in contacts from what does not move, not found by lifting bodies one at a time. Contacts are those whose
// linear gap closes within the step, at one configuration: the paper finds them anew in every sweep. In shock
// propagation the paper's lower bodies do not feel the impulse at all and momentum is lost. Here the impulse is found
// as there, with the lower ones immovable, but then goes down: from the top level to the ground each level feels what
// the one above was given, and its own contacts below take it up in the same way. Joint limits are contacts without
// friction or restitution; dry friction in joints and rolling resistance act in every sweep of the contact phase, not
// in the shock.
#include "stiction/methods/sequential_impulse.h"

#include <algorithm>

#include "stiction/methods/description.h"
#include "stiction/stepping/plain_step.h"
#include "stiction/stepping/project_joints.h"

namespace stiction::methods {

namespace {

// One impulse where a point approaches; true when there was one.
bool strike(ImpulseIsland& island, int i, double e, int sides) {
  if (!island.point(i).movable) return false;
  const Vector4 u = island.velocity(i);
  if (u[0] >= 0) return false;
  island.apply(i, closed_form_impulse(island.point(i).law, island.response(i, sides), u, e), sides);
  return true;
}

}  // namespace

SequentialImpulse::SequentialImpulse(const SequentialImpulseOptions& options, int threads)
    : options_(options), scratch_(std::max(1, threads)) {}

contact::AssemblyOptions SequentialImpulse::assembly_options() const {
  return {.newton_restitution = true, .velocity_level = true};
}

void SequentialImpulse::begin(const StepProblem&, const StepContext& context) {
  context_.emplace(context);
}

// Section 5: each collision with its restitution, in several sweeps since one may cause another.
void SequentialImpulse::collide(Scratch& s) const {
  for (int sweep = 0; sweep < options_.collision_iterations; ++sweep) {
    bool struck = false;
    for (int i = 0; i < s.island.point_count(); ++i) {
      if (!strike(s.island, i, s.island.point(i).restitution, ImpulseIsland::both_sides)) continue;
      struck = true;
      ++s.impulses;
    }
    if (!struck) return;
  }
}

// Section 7: approach is taken away bit by bit, so that all contacts share in it.
void SequentialImpulse::hold(Scratch& s) const {
  for (int sweep = 1; sweep <= options_.contact_iterations; ++sweep) {
    const double e = static_cast<double>(sweep) / options_.contact_iterations - 1;
    s.island.sweep_bounded();
    for (int i = 0; i < s.island.point_count(); ++i) {
      s.impulses += strike(s.island, i, e, ImpulseIsland::both_sides) ? 1 : 0;
    }
  }
}

// Does the point lie on something that does not move?
bool SequentialImpulse::is_grounded(const StepProblem& problem, const ImpulseIsland::Point& point) const {
  if (point.contact < 0) return false;
  if (!context_) return problem.blocks[problem.contacts[point.contact].block].tree[1] < 0;
  const contact::Contact& contact = context_->contacts[point.contact];
  const auto fixed = [&](int body) { return body < 0 || context_->model.bodies[body].joint < 0; };
  return fixed(contact.body_A) || fixed(contact.body_B);
}

// Section 8.1: contacts between a group and what does not move are of level 1, and so on.
void SequentialImpulse::find_levels(const StepProblem& problem, Scratch& s) const {
  s.group_level.assign(s.island.group_count(), 0);
  s.point_level.assign(s.island.point_count(), 0);
  s.levels = 0;
  for (int i = 0; i < s.island.point_count(); ++i) {
    if (is_grounded(problem, s.island.point(i))) s.group_level[s.island.point(i).group[0]] = s.levels = 1;
  }
  for (int level = 1; level == s.levels; ++level) {
    for (int i = 0; i < s.island.point_count(); ++i) {
      const std::array<int, 2>& group = s.island.point(i).group;
      if (group[1] < 0) continue;
      for (int side = 0; side < 2; ++side) {
        if (s.group_level[group[side]] != level || s.group_level[group[1 - side]] != 0) continue;
        s.group_level[group[1 - side]] = s.levels = level + 1;
      }
    }
  }
  for (int i = 0; i < s.island.point_count(); ++i) {
    for (const int group : s.island.point(i).group) {
      if (group >= 0) s.point_level[i] = std::max(s.point_level[i], s.group_level[group]);
    }
  }
}

// The sides of a point that its own level moves.
int SequentialImpulse::movable_sides(const Scratch& s, int i) const {
  const std::array<int, 2>& group = s.island.point(i).group;
  if (group[1] < 0) return ImpulseIsland::both_sides;
  int sides = 0;
  for (int side = 0; side < 2; ++side) {
    if (s.group_level[group[side]] == s.point_level[i]) sides |= 1 << side;
  }
  return sides;
}

// Contact processing of one level, on immovable ones below.
void SequentialImpulse::hold_level(int level, Scratch& s) const {
  for (int sweep = 1; sweep <= options_.contact_iterations; ++sweep) {
    const double e = static_cast<double>(sweep) / options_.contact_iterations - 1;
    for (int i = 0; i < s.island.point_count(); ++i) {
      if (s.point_level[i] == level) s.impulses += strike(s.island, i, e, movable_sides(s, i)) ? 1 : 0;
    }
  }
}

// Section 8.2, and the way down.
void SequentialImpulse::propagate(Scratch& s) const {
  for (int level = 1; level <= s.levels; ++level) hold_level(level, s);
  for (int level = s.levels; level > 1; --level) {
    for (int i = 0; i < s.island.point_count(); ++i) {
      if (s.point_level[i] == level) s.island.release(i, movable_sides(s, i));
    }
    hold_level(level - 1, s);
  }
}

IslandReport SequentialImpulse::solve_island(const StepProblem& problem, const contact::Island& island, int worker,
                                             StepAnswer& answer) {
  Scratch& s = scratch_[worker];
  if (!s.island.form(problem, island)) return {};
  const double fastest = s.island.largest_approach();
  s.impulses = 0;
  s.island.set_base(problem, problem.v_start);
  collide(s);
  s.island.set_base(problem, problem.v_free);
  hold(s);
  if (options_.shock_propagation) {
    find_levels(problem, s);
    propagate(s);
  }
  const double left = s.island.largest_approach();
  s.island.finish(problem, island, answer);
  IslandReport report;
  report.solve.termination = solvers::Termination::solved;
  report.solve.iterations = s.impulses;
  report.solve.residual = fastest > 0 ? left / fastest : 0.0;
  return report;
}

extern const MethodDescription sequential_impulse = {
    .name = "sequential-impulse",
    .source = "guendelman2003",
    .sentence = "pairwise impulses with shock propagation",
    .solves_law = false,
    .knows = {.general_cones = true},
    .options = {option<&SequentialImpulseOptions::collision_iterations>("collision_iterations", "", {1, 100000},
                                                                        "sweeps over collisions, with restitution"),
                option<&SequentialImpulseOptions::contact_iterations>(
                    "contact_iterations", "", {1, 100000},
                    "sweeps over contacts, with restitution rising from -1 to 0"),
                option<&SequentialImpulseOptions::shock_propagation>(
                    "shock_propagation", "", any_value,
                    "a last sweep from the ground up, in which what lies below is immovable")},
    .make = [](const MethodSetup& setup) -> std::unique_ptr<Stepper> {
      auto solver = std::make_unique<SequentialImpulse>(setup.options.of<SequentialImpulseOptions>(), setup.threads);
      auto step =
          std::make_unique<PlainStep>(setup.model, std::move(solver), PlainStepOptions{.threads = setup.threads});
      return std::make_unique<ProjectJoints>(setup.model, std::move(step), 1);
    }};

}  // namespace stiction::methods
