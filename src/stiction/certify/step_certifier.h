// The parts of certify_step, for its own files only: what is measured, and what is checked.
//
// Symbols, as in docs/certificate.md: p impulse, u = J v + surface, W_ii = J_i M^-1 J_i^T, s the velocity scale of the
// bodies that a constraint acts on.
#pragma once

#include <algorithm>
#include <cmath>

#include "stiction/base/infinity.h"
#include "stiction/base/workers.h"
#include "stiction/certify/step_certificate.h"

namespace stiction::certify {

/// m/s: below this there is no motion to compare with, and violations count as they are.
inline constexpr double smallest_scale = 1e-12;

/// Contacts that carry less than this fraction of their bodies' largest normal impulse are compared with that fraction.
inline constexpr double small_share = 1e-3;

/// Keeps the larger value; what is not finite is infinite. (std::max alone would let a NaN slip through.) Written
/// without a branch: which one is larger cannot be foreseen.
inline void raise(double& value, double candidate) {
  value = std::max(value, std::isfinite(candidate) ? candidate : infinity);
}

/// Where the sums of a block's rows go.
struct RowSums {
  double *weight = nullptr, *end = nullptr, *free = nullptr, *pull = nullptr;
};

/// What is measured of a block's side: its rows, what they do to the momentum of its tree, or both.
enum class MeasuredPart { all, rows, momentum };

/// Contacts in one chunk. What is summed up is summed up chunk by chunk, whoever does it.
inline constexpr size_t contacts_at_once = 256;

/// One step being judged: the workspace is sized and measured first, then every law is checked.
struct Certifier {
  const StepProblem& problem;
  const StepAnswer& answer;
  CertifyWorkspace& work;
  double fastest = smallest_scale;  // largest s of the step
  double energy = 0;
  bool shares = false;  // workers take parts of what is measured
  StepCertificate result = {};

  // What the checks compare with: step_measure.cc, step_scales.cc.
  void size_workspace();
  bool factor_masses();
  void measure_rows();
  void share_rows();
  void share_trees();
  template <class SpeedOf>
  void share_speeds(const SpeedOf& speed_of);
  template <MeasuredPart part>
  void measure_six(const RowBlock& block, int side, const RowSums& to);
  void find_scales();
  void find_scalar_scale(const ScalarRow& scalar);
  void find_contact_scales();
  double contact_speed(const ContactRows& contact) const;
  double push_speed(int block, int rows) const;
  void find_layer_scale(const LayerRows& layer);
  void add_pushes();
  void raise_scale(int block, double speed);
  double speed_without_impulses(int row, double surface) const;

  // The same of trees of joints: step_trees.cc.
  bool factor_tree(const VelocityTree& tree);
  void measure_tree(const RowBlock& block, int side);

  // Equations of motion, joints, limits, normal contact, layers: step_certificate.cc.
  template <class Size>
  void find_momenta(const VelocityTree& tree, Size size, double* change, double* start) const;
  void check_momentum(size_t first_tree, size_t end_tree);
  void share_checks();
  void check_bilaterals();
  void check_scalars();
  void check_contacts(size_t first, size_t last);
  double contact_violation(const ContactRows& contact, int row);
  void check_layers();
  double normal_violation(int row, double surface, double bias, bool may_recover) const;
  void add_energy(int row, double surface);

  // Friction: step_friction.cc.
  void check_contact_friction(const ContactRows& contact, int row, int rows);
  void check_cone(const ContactRows& contact, int row);
  double spin_scale(const ContactRows& contact, int row, double s, double a) const;
  void check_rolling(const RollingRows& rolling, const ContactRows& contact);

  // s of a block of rows, and the largest p_n, of its own trees. What nothing moves, say at the instant of an impact
  // elsewhere, has no scale of its own.
  double scale(int block) const { return of_trees(work.scale, block, std::max(smallest_scale, small_share * fastest)); }
  double largest_normal(int block) const { return of_trees(work.normal, block, 0); }
  double of_trees(const std::vector<double>& values, int block, double least) const {
    for (const int tree : problem.blocks[block].tree) least = tree < 0 ? least : std::max(least, values[tree]);
    return least;
  }
  double end(int row, double surface) const { return work.end[row] + surface; }
  const ContactGive& give(const ContactRows& contact) const { return work.gives[&contact - problem.contacts.data()]; }
  // Tangential velocity that friction opposes, along t (0), o (1) and about the normal (2).
  double slip(const ContactRows& contact, int row, int i) const {
    return end(row + 1 + i, contact.surface[1 + i]) + (i < 2 ? give(contact).slip[i] : 0);
  }
  double bilateral_surface(int i) const {
    return problem.bilateral_surface.empty() ? 0.0 : problem.bilateral_surface[i];
  }
};

}  // namespace stiction::certify
