// The instantaneous contact problem, by enumeration of slip states (trinkle2003, section 2.2: CP1 with its contacts'
// forces f and accelerations a)
//
//     a = W f + a0,    0 <= f_n,  a_n >= 0,  f_n a_n = 0
//     a contact that slides:   f_t = ratio f_n, opposite to the slip it has: W no longer acts symmetrically
//     a contact at rest:       |f_t / friction| <= f_n, and where a_t != 0 f_t is of maximum dissipation against a_t
//     dry friction in a joint: |f| <= bound, and where a != 0 f = -bound sign(a)
//
// Every state of every contact is tried: separates (f = 0, a_n > 0), slides as it does, sticks (a_t = 0), starts to
// slide (a_t != 0). States exclude each other by their accelerations, so that two answers never are one.
//
// With fixed slip directions a pattern is a linear system with convex conditions: an answer is a regular one, or a
// whole set, of which the deepest point (margin.h) is given with its dimension. Patterns of that kind are exhausted. A
// contact in space that starts to slide has an unknown direction: one of them is scanned over all directions and
// bisected; several are searched by Newton's method from many directions, which is not a proof (`searched`).
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "stiction/math/types.h"

namespace stiction::solvers {

/// A contact, a joint limit (no tangents), or a joint with dry friction (bound >= 0: its one row).
struct InstantContact {
  int first = 0;                            ///< row of the normal, tangential rows after it
  int tangents = 0;                         ///< 0, 1 or 2
  std::array<double, 2> friction = {0, 0};  ///< half axes of the friction ellipse along those rows, > 0
  bool slides = false;                      ///< it has a slip velocity already
  std::array<double, 2> ratio = {0, 0};     ///< f_t / f_n where it slides
  double bound = -1;                        ///< dry friction of a joint [N or N m]; negative: this is a contact
};

/// See the top of the file.
struct InstantProblem {
  MatrixX W;   ///< symmetric, positive semi-definite
  VectorX a0;  ///< accelerations without contact forces
  std::vector<InstantContact> contacts;
};

/// What a contact does.
enum class SlipState : std::uint8_t { separates, sticks, slides, starts_to_slide };

/// "separates", "sticks", "slides" or "starts to slide".
std::string_view slip_state_name(SlipState state);

/// One answer, or one set of answers of the same slip states.
struct InstantSolution {
  std::vector<SlipState> states;
  VectorX force, acceleration;       ///< one per row
  int force_freedom = 0;             ///< dimension of the set of forces; 0: this one alone
  bool acceleration_varies = false;  ///< over that set
  bool borderline = false;           ///< a condition holds with equality over the whole set: its dimension may be less
};

/// What to try.
struct InstantOptions {
  int max_contacts = 6;     ///< with more, only the pattern in which nothing separates or starts to slide is tried
  double tolerance = 1e-9;  ///< of scaled forces and accelerations, whose size is about one
  int directions = 360;     ///< scanned where one contact in space starts to slide
  int starts = 12;          ///< of Newton's method where several do
  int max_solutions = 64;
};

/// All answers found.
struct InstantReport {
  bool enumerated = true;  ///< false: too many contacts; `solutions` holds what holds everything together, if anything
  int patterns = 0;        ///< tried
  int searched = 0;        ///< of them those that cannot be exhausted
  bool truncated = false;  ///< there are more than max_solutions
  std::vector<InstantSolution> solutions;
};

/// Allocates.
InstantReport enumerate_slip_states(const InstantProblem& problem, const InstantOptions& options = {});

}  // namespace stiction::solvers
