// What a method may ask of the step around its rows: order, integrator, impacts, cuts, projection, events.
#pragma once

#include <cstdint>
#include <string_view>

namespace stiction::methods {

struct EventDrivenOptions;

/// How a rebound is made of an impact; see stepping/impact.h.
enum class ImpactModel {
  none,     ///< not apart from the step: its rows ask for restitution * approach speed themselves
  poisson,  ///< compression, then a share of its impulses given back
  newton,   ///< restitution * approach speed, in one phase
  safe,     ///< compression only, continued: v+ = (1 + e) vc - e v-
};

/// "none", "poisson", "newton" or "safe".
constexpr std::string_view impact_model_name(ImpactModel model) {
  constexpr std::string_view names[] = {"none", "poisson", "newton", "safe"};
  return names[static_cast<int>(model)];
}

/// Which inequality rodriguez2010 (4.18) is read with; see simultaneous_impact.h.
enum class ImpactRule : std::uint8_t {
  published,  ///< "published": as printed, |p_t| >= mu p_n where a contact slips; violations are flagged
  coulomb,    ///< "coulomb": |p_t| <= mu p_n; outcomes with violations are not returned
};

/// How velocities and positions follow from the loads once a method that takes contacts first has given its impulses.
enum class Integrator {
  explicit_euler,       ///< positions move with the velocities that the contacts left, loads act afterwards
  semi_implicit_euler,  ///< loads act first, positions move with the velocities they lead to
  runge_kutta,          ///< the classical one of fourth order, on the motion between the contacts
};

/// "explicit-euler", "semi-implicit-euler" or "runge-kutta".
constexpr std::string_view integrator_name(Integrator integrator) {
  constexpr std::string_view names[] = {"explicit-euler", "semi-implicit-euler", "runge-kutta"};
  return names[static_cast<int>(integrator)];
}

/// What a method wants of the step around its rows.
struct StepScheme {
  bool contacts_first = false;  ///< contacts are handled on the velocities of the start, before any load
  Integrator integrator = Integrator::semi_implicit_euler;  ///< with contacts_first; all others are semi-implicit
  ImpactModel impact = ImpactModel::none;
  bool continuous = false;      ///< steps are cut where bodies hit each other
  int projection_interval = 0;  ///< closing joints are put right every so many steps; 0: never
  bool end_geometry = false;    ///< contacts are those of the end of the step: the certificate looks there
  bool judged_by_end = true;    ///< with end_geometry: a step that the certificate refutes there is not solved
  int halvings = 0;             ///< a step that is not solved is cut in two this often, before the last resort
  const EventDrivenOptions* events = nullptr;  ///< the motion goes from event to event (events/event_loop.h)
};

}  // namespace stiction::methods
