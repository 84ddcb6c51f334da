// E. Drumwright, D. A. Shell: A robust and tractable contact model for dynamic robotic simulation (2009).
#pragma once

#include "papers/paper.h"

namespace stiction::papers::drumwright2009 {

/// Section 4, figures 2 and 3: the convex method holds the ball for 24 s and 100 s.
Result<void> grasp(const Context& context);
/// Section 4, figure 1: the same grasp under every method; penalty gains from a sweep.
Result<void> rivals(const Context& context);
/// The same grasp with stick held at position level, and harder ones.
Result<void> exact(const Context& context);
/// Section 3: redundant contacts, restitution, and the three bounds on normal impulses.
Result<void> boxes(const Context& context);
/// Each rival's own checks: incline, bounce, spin reversal.
Result<void> checks(const Context& context);
/// The table of section 2.6, measured.
Result<void> table(const Context& context);

}  // namespace stiction::papers::drumwright2009
