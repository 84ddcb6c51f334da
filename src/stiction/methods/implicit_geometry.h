// Rigid contact with the geometry of the end of the step; see implicit_geometry.cc.
#pragma once

namespace stiction::methods {

/// [method.implicit-geometry]
struct ImplicitGeometryOptions {
  double tolerance = 1e-10;  ///< > 0: residual at which a step counts as solved, relative to the step's motion
  double acceptance = 1e-8;  ///< >= tolerance: a step that gets no closer than this fails; one between the two is
                             ///< taken and counted as the fallback "tolerance-missed"
  int max_iterations = 40;   ///< >= 1: Newton steps, and again as many for each fallback
  int halvings = 3;          ///< >= 0: a step that cannot be solved is cut into up to 2^halvings parts
};

}  // namespace stiction::methods
