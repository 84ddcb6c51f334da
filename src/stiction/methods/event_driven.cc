// Event-driven motion with simultaneous impacts (rodriguez2010). The motion itself is events/event_loop.h, the impact
// law events/impacts/simultaneous_impact.h; here is what the method is to a simulation. exact-cone's law resolves, at
// an instant, the few things that neither modes nor the impact law do, and takes whole steps whose events have no end.
#include <array>

#include "stiction/events/event_stepper.h"
#include "stiction/methods/description.h"
#include "stiction/methods/exact_cone.h"
#include "stiction/methods/shared/friction_sets.h"

namespace stiction::methods {

namespace {

using Options = EventDrivenOptions;

constexpr std::array all_rules = {ImpactRule::coulomb, ImpactRule::published};

// Directions of slip are looked for on ellipses.
Result<void> check(const Model& model, const MethodOptions&) {
  const Material* general = find_general_set(model);
  if (general == nullptr) return {};
  return failure({.what = "a friction set other than an ellipse has no place in method event-driven",
                  .remedy = "Leave out friction_polygon and friction_exponent, or take method exact-cone.",
                  .name = general->name,
                  .line = general->line});
}

std::unique_ptr<Stepper> make(const MethodSetup& setup) {
  auto exact = std::make_unique<ExactCone>(ExactConeOptions{.acceptance = 1e-8}, solvers::auto_friction, setup.threads);
  auto step = std::make_unique<PlainStep>(setup.model, std::move(exact), PlainStepOptions{.threads = setup.threads});
  return std::make_unique<EventStepper>(setup.model, setup.options.of<Options>(), std::move(step));
}

}  // namespace

extern const MethodDescription event_driven = {
    .name = "event-driven",
    .source = "rodriguez2010",
    .sentence = "exact event times, and simultaneous impacts with every feasible outcome",
    .knows = {.general_cones = true},  // it refuses them, and says so
    .island = {.many_contacts = 30,
               .cost = "every impact is an event, and the outcomes of simultaneous ones are searched",
               .instead = "exact-cone"},
    .options =
        {choice<&Options::rule, impact_rule_name, all_rules>(
             "rule",
             "of simultaneous impacts: impulses in the friction cones, or rodriguez2010 (4.18) as printed, its "
             "violations flagged and counted"),
         option<&Options::tolerance>("tolerance", "", {1e-13, 1e-3}, "relative error of the motion between events"),
         option<&Options::simultaneous_gap>(
             "simultaneous_gap", "m", above_zero,
             "bodies within this distance of each other when something hits count as hitting too"),
         option<&Options::accumulation_time>("accumulation_time", "s", above_zero,
                                             "30 or more impacts that follow each other ever faster have ended when "
                                             "all that are left fit into this time"),
         option<&Options::max_impacts>("max_impacts", "", {1, 1000000},
                                       "a pair that hits more often in one step does so without restitution"),
         option<&Options::max_evaluations>("max_evaluations", "", {1000, 100000000},
                                           "of accelerations in one step, of up to ten contacts (the work of more "
                                           "grows with the cube of their number); a step that takes more is handed to "
                                           "exact-cone"),
         option<&Options::max_choices>("max_choices", "", {1, 100000},
                                       "of constrained velocities that an impact is resolved with; more are counted, "
                                       "not tried")},
    .check = check,
    .reports_events = true,
    .make = make};

}  // namespace stiction::methods
