// The rows of what touches at a state, with their velocities and accelerations at this instant: what analyze.h looks at.
#pragma once

#include <vector>

#include "stiction/contact/assemble.h"

namespace stiction {

/// Contacts and joints at one instant. Of the problem (velocity level) only rows and masses count; its step is one
/// second, so that bounds of dry friction are forces.
struct InstantRows {
  std::vector<contact::Contact> contacts;  ///< gap within the tolerance
  StepProblem problem;
  std::vector<contact::ScalarSource> scalar_source;  ///< names the scalar rows
  VectorX velocity;                                  ///< one a row: J v + what prescribed motion adds
  VectorX product;                                   ///< one a row: rate of `velocity` at vdot = 0
  VectorX vdot;                                      ///< free acceleration
  std::vector<int> unmatched;  ///< contacts that detection lost along the motion: `product` is that of surfaces without
                               ///< curvature
};

/// At `state`, with an extra generalised force (v_size numbers, or empty). Allocates.
InstantRows find_instant_rows(const Model& model, const State& state, std::span<const double> joint_load,
                              double gap_tolerance);

}  // namespace stiction
