// The rows of what touches at a state, with their velocities and accelerations at this instant, for analyze.h.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "stiction/contact/assemble.h"

namespace stiction {

/// Contacts and joints at one instant. Of the problem (velocity level) only rows and masses count; its step is one
/// second, so that bounds of dry friction are forces.
struct InstantRows {
  std::vector<contact::Contact> contacts;  ///< gap within the tolerance
  StepProblem problem;
  std::vector<contact::ScalarSource> scalar_source;  ///< names the scalar rows
  VectorX velocity;                                  ///< one per row: J v + what prescribed motion adds
  VectorX product;                                   ///< one per row: rate of `velocity` at vdot = 0
  VectorX vdot;                                      ///< free acceleration
  std::vector<int> unmatched;  ///< contacts that detection lost along the motion: `product` is that of surfaces without
                               ///< curvature
};

/// Everything at one instant, reused from call to call.
struct Instant {
  Kinematics kinematics;
  FreeMotion free_motion;
  contact::DetectionWorkspace detection;
  std::vector<contact::Contact> contacts;  ///< within reach
  contact::AssemblyWorkspace assembly;
  StepProblem problem;
};

/// Memory for a model.
Instant make_instant(const Model& model);

/// Kinematics at `state` and all contacts with a gap up to `reach`.
void place_instant(const Model& model, const State& state, double reach, Instant& at);

/// Features by which a contact is known may change while it lasts (a capsule rolls from its side to its end). A key of
/// `wanted` that no contact has goes to the closest contact of the same two shapes whose own key is not wanted.
void adopt_keys(std::span<const std::uint64_t> wanted, std::vector<contact::Contact>& contacts);

/// The rows of at.contacts, of closing joints, of all limits and of dry friction in joints; nothing about
/// accelerations. `at` must be placed at `state`, contacts that shall have no rows taken out.
void assemble_instant(const Model& model, const State& state, Instant& at, InstantRows& rows);

/// Accelerations for assembled rows: free ones, with an extra generalised force (v_size numbers, or empty), and
/// products of velocities. `scratch` is used along the motion.
void accelerate_instant(const Model& model, const State& state, std::span<const double> joint_load, Instant& at,
                        Instant& scratch, InstantRows& rows);

/// At `state`, of contacts and limits within the tolerance. Allocates.
InstantRows find_instant_rows(const Model& model, const State& state, std::span<const double> joint_load,
                              double gap_tolerance);

}  // namespace stiction
