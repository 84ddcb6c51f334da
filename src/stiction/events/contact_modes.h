// Contacts between events: which are closed, which stick, which slip; forces and accelerations that follow.
//
// With W = B^T B and a0 of an island (instant_island.h), f the forces and a = a0 + W f the accelerations of its rows:
//
//     closed:    a_n = 0, f_n >= 0                      open:   f = 0, a_n >= 0
//     sticks:    a_t = 0, |f_t / axes| <= f_n           slips:  f_t = -axes^2 u_t / |axes u_t| f_n
//
// Spin about the normal belongs to t; rolling rows and dry friction of joints stick and slip by themselves. With all
// modes given this is a linear system, A x = b, not symmetric where something slips. Where contacts are redundant its
// forces are not unique: accelerations are, and the modes hold as long as some of its forces satisfy the inequalities.
// `margin` is how far the best of them are inside, relative to the loads (solvers/cone/margin.h): it crosses zero when
// a contact opens or begins to slip.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "stiction/contact/modes.h"
#include "stiction/events/instant_island.h"

namespace stiction {

using contact::ContactMode;
using contact::ModeSet;

/// One island with its modes, one per item.
struct ModeProblem {
  InstantIsland island;
  std::vector<ContactMode> modes;
  std::vector<Vector3> axes;     ///< of t, o, spin per unit of f_n; of a joint's dry friction: its bound first
  std::vector<double> rolling;   ///< rolling limit per unit of f_n
  std::vector<Vector3> slip;     ///< velocities of t, o, spin; of a joint first
  std::vector<Vector2> turning;  ///< of the rolling rows

  /// Appends a mode, without friction and at rest.
  void add(const ContactMode& mode);
};

/// Of each row: the square root of its mobility, one where nothing moves.
VectorX row_scales(const InstantIsland& island);

/// What forces are measured by: accelerations without contacts in the metric of kinetic energy, of rows and of bodies.
/// Rows alone would not do: a body that is about to leave a falling plate has none.
double mode_load(const InstantIsland& island, const VectorX& a0);

/// Forces and accelerations of the rows of an island.
struct ModeSolution {
  VectorX force, acceleration;
  bool consistent = true;  ///< the modes' equations have an answer
  int redundancy = 0;      ///< dimension of the set of forces
  double margin = 1;       ///< of all inequalities on forces; > 0: inside, 1 at most
  int tightest = -1;       ///< item whose inequality is the least: of the forces given
  bool tightest_is_normal = true, tightest_rolls = false;
};

/// See the top of the file; with `inequalities` false margin is left out.
ModeSolution solve_modes(const ModeProblem& problem, bool inequalities = true);

/// The part of the force that friction adds per unit of f_n (of one, for a joint) where it slips with velocity u, or
/// along `direction` where that has stopped; u against `direction` counts as passed through zero.
Vector3 slip_ratio(const Vector3& axes, const Vector3& u, const Vector3& direction);

/// m/s: below this a slip that began is steered, and one that ends goes straight on: in space its direction would turn
/// ever faster on the last micrometre per second, and mean nothing.
inline constexpr double starting_slip = 1e-6, ending_slip = 1e-6;

/// While a slip that begins is slower than starting_slip its direction follows its acceleration within
/// |u| / (friction * mobility), microseconds and less. An explicit integrator would have to follow that; here the
/// direction is where it ends: along the acceleration. Turns the directions of modes that start, whose slip the problem
/// has as zero.
void steer_starting_slips(const InstantRows& rows, ModeProblem& problem);

/// What find_modes found.
struct ModeSearch {
  bool found = false;
  int pivots = 0;
  bool enumerated = false;  ///< pivoting did not end; all slip states were tried
  bool none = false;        ///< and there is proof that none holds
  bool many = false;        ///< of those tried several hold
  ModeSolution solution;
};

/// Finds modes of the contacts at rest (problem.modes[i].slips false, or slip zero) that satisfy the law, from those
/// given by changing one at a time; `tolerance` is that of the inequalities, relative.
ModeSearch find_modes(const InstantRows& rows, double tolerance, ModeProblem& problem);

}  // namespace stiction
