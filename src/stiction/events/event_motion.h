// Smooth motion between events as a system of differential equations: y = (q, v, gaps of tracked contacts).
#pragma once

#include <span>

#include "stiction/events/event_loop.h"

namespace stiction {

/// What accelerates at a state with the memory's modes.
struct Accelerations {
  VectorX vdot;
  double gap = 0;     ///< least of what is open and not tracked, at most the reach
  double margin = 1;  ///< least of all islands
};

/// Evaluates the motion; see event_loop.h. Uses the memory's instants and rows.
class EventMotion {
 public:
  EventMotion(const Model& model, std::span<const double> force, EventWork& work)
      : model_(model), force_(force), m_(work) {}

  /// Accelerations at a state. `forces`: with gap and margin. False: not finite.
  bool accelerate(const State& state, bool forces, Accelerations& result);

  /// Islands of the last accelerate(), with forces.
  std::vector<ModeProblem>& problems() { return problems_; }
  std::vector<ModeSolution>& solutions() { return solutions_; }

  /// Rates of the gaps of the memory's tracked contacts at the last accelerate(); those not within reach: zero.
  const VectorX& tracked_rates() const { return tracked_rates_; }

  int size() const { return model_.q_size + model_.v_size + static_cast<int>(m_.tracked.size()); }
  VectorX pack(const State& state) const;
  /// Time is left alone.
  void unpack(const double* y, State& state) const;
  /// y' at a state, from its velocity and an acceleration.
  void rates(const State& state, const VectorX& vdot, double* ydot) const;

  int root_count() const;
  /// The functions whose fall through zero is an event, `age` after the start of the piece.
  void roots(const double* gaps, double age, const Accelerations& at, double* g) const;

  /// m: contacts farther apart are not looked for.
  double reach = 1e-3;

 private:
  void look(const State& state, bool forces, Accelerations& result);
  bool needs_rows() const;

  const Model& model_;
  std::span<const double> force_;  // that the caller adds
  EventWork& m_;
  std::vector<ModeProblem> problems_;
  std::vector<ModeSolution> solutions_;
  VectorX tracked_rates_;
};

/// The island's problem with the modes that `modes` has for its rows; what has none is left out.
ModeProblem make_mode_problem(const InstantRows& rows, const contact::Island& island, ModeSet& modes);

/// Keys of closed contacts, and of tracked ones that must be in sight within `reach`.
std::vector<std::uint64_t> known_keys(const EventWork& memory, double reach);

/// Takes limits without a mode out of the rows.
void keep_scalars(ModeSet& modes, InstantRows& rows);

}  // namespace stiction
