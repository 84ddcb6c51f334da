// What stewart-trinkle tries before Lemke, which is not in the paper: that all that touches sticks, and the basis of
// the last step.
#include <algorithm>
#include <cmath>

#include "stiction/methods/stewart_trinkle.h"

namespace stiction::methods {

namespace {

// A guess is right when rows at rest move no faster than this fraction of the velocities that the step has to stop:
// above the rounding of gap / h in redundant contacts, far below the certificate's tolerance.
constexpr double stick_tolerance = 1e-11;

// Contacts whose gap closes at less than this fraction of those velocities touch, as far as a guess goes.
constexpr double touch_fraction = 1e-6;

// Changes of the guess before Lemke takes over.
constexpr int stick_rounds = 8;

}  // namespace

// Holds what touches; lets go of what would pull, holds what would overlap, a few times. False where something slipped
// or no such guess solves the problem.
bool StewartTrinkle::guess_stick(const StepProblem& problem, const contact::Island& island, Scratch& s) const {
  const int n = s.delassus.rows();
  if (!recall_stick(problem, island, s)) return false;
  const double tolerance = stick_tolerance * velocity_scale(s);
  for (int round = 0; round < stick_rounds; ++round) {
    s.stick.held.clear();
    for (int row = s.bilateral_rows; row < n; ++row) {
      if (s.hold[row]) s.stick.held.push_back(row);
    }
    if (s.stick.held.empty()) return false;
    if (!s.stick.solve(s.delassus.matrix().data(), s.q.data(), n, s.bilateral_rows, tolerance)) return false;
    if (revise_stick(problem, island, s, s.stick.tolerance)) continue;
    if (!stick_guess_holds(problem, island, s, s.stick.tolerance)) return false;
    s.p = s.stick.impulse;
    return true;
  }
  return false;
}

double StewartTrinkle::velocity_scale(const Scratch& s) const {
  double scale = 0;
  for (int i = s.bilateral_rows; i < s.delassus.rows(); ++i) scale = std::max(scale, std::abs(s.q[i]));
  return scale;
}

// Holds contacts and limits that touch and joints with friction; false where something slipped at the last step.
bool StewartTrinkle::recall_stick(const StepProblem& problem, const contact::Island& island, Scratch& s) const {
  const int first_contact = static_cast<int>(island.bilaterals.size());
  const double near = touch_fraction * velocity_scale(s);
  s.hold.assign(s.delassus.rows(), 0);
  for (size_t c = 0; c < island.contacts.size(); ++c) {
    const ContactRows& contact = problem.contacts[island.contacts[c]];
    const auto* last = memory_.recall(contact.key, 2 + contact_directions(problem, contact)).impulse;
    if (last != nullptr && last->slips) return false;
    if (contact.normal_bias > near) continue;
    const int row = s.delassus.first_row(first_contact + static_cast<int>(c));
    for (int r = 0; r < problem.blocks[contact.block].row_count; ++r) s.hold[row + r] = 1;
  }
  const int first_scalar = first_contact + static_cast<int>(island.contacts.size());
  for (size_t k = 0; k < island.scalars.size(); ++k) {
    const ScalarRow& scalar = problem.scalars[island.scalars[k]];
    const auto* last = memory_.recall(scalar.key, scalar.is_limit() ? 1 : 3).impulse;
    if (last != nullptr && last->slips) return false;
    if (scalar.is_limit() && scalar.bias > near) continue;
    s.hold[s.delassus.first_row(first_scalar + static_cast<int>(k))] = 1;
  }
  return true;
}

// Lets go of contacts and limits that would pull and holds those that would overlap; true if there were any.
bool StewartTrinkle::revise_stick(const StepProblem& problem, const contact::Island& island, Scratch& s,
                                  double tolerance) const {
  bool revised = false;
  const auto revise = [&](int row, int rows) {
    const bool pulls = s.hold[row] && s.stick.impulse[row] < 0;
    const bool overlaps = !s.hold[row] && s.stick.velocity[row] < -tolerance;
    if (!pulls && !overlaps) return;
    revised = true;
    for (int r = 0; r < rows; ++r) s.hold[row + r] = overlaps ? 1 : 0;
  };
  const int first_contact = static_cast<int>(island.bilaterals.size());
  const int first_scalar = first_contact + static_cast<int>(island.contacts.size());
  for (size_t c = 0; c < island.contacts.size(); ++c) {
    revise(s.delassus.first_row(first_contact + static_cast<int>(c)),
           problem.blocks[problem.contacts[island.contacts[c]].block].row_count);
  }
  for (size_t k = 0; k < island.scalars.size(); ++k) {
    if (problem.scalars[island.scalars[k]].is_limit())
      revise(s.delassus.first_row(first_scalar + static_cast<int>(k)), 1);
  }
  return revised;
}

// The complementarity conditions (32), (36), (38) of the guess.
bool StewartTrinkle::stick_guess_holds(const StepProblem& problem, const contact::Island& island, const Scratch& s,
                                       double tolerance) const {
  const int first_contact = static_cast<int>(island.bilaterals.size());
  for (size_t c = 0; c < island.contacts.size(); ++c) {
    const ContactRows& contact = problem.contacts[island.contacts[c]];
    const int row = s.delassus.first_row(first_contact + static_cast<int>(c));
    const double* p = s.stick.impulse.data() + row;
    if (!(p[0] >= 0) || s.stick.velocity[row] < -tolerance) return false;
    if (p[0] == 0 || contact_directions(problem, contact) == 0) continue;
    if (!(contact.friction[0] > 0 && contact.friction[1] > 0)) return false;  // a slit for a circle: leave it to Lemke
    double gauge = polygon_gauge(p[1] / contact.friction[0], p[2] / contact.friction[1], options_.friction_directions,
                                 options_.friction_angle);
    if (contact.torsion > 0) gauge += std::abs(p[3]) / contact.torsion;
    if (!(gauge <= p[0])) return false;
  }
  const int first_scalar = first_contact + static_cast<int>(island.contacts.size());
  for (size_t k = 0; k < island.scalars.size(); ++k) {
    const ScalarRow& scalar = problem.scalars[island.scalars[k]];
    const int row = s.delassus.first_row(first_scalar + static_cast<int>(k));
    const double p = s.stick.impulse[row], u = s.stick.velocity[row];
    const bool holds =
        scalar.is_limit() ? p >= 0 && u >= -tolerance : std::abs(p) <= scalar.bound && std::abs(u) <= tolerance;
    if (!holds) return false;
  }
  return true;
}

// What the next step's guesses start from.
void StewartTrinkle::keep_impulses(const StepProblem& problem, const contact::Island& island, const Scratch& s,
                                   bool stuck) {
  const double tolerance = stick_tolerance * velocity_scale(s);
  const int first_contact = static_cast<int>(island.bilaterals.size());
  for (size_t c = 0; c < island.contacts.size(); ++c) {
    BasisMemory::Impulse& kept = memory_.impulse(contact_slot_[island.contacts[c]]);
    const int row = s.delassus.first_row(first_contact + static_cast<int>(c));
    const int rows = problem.blocks[problem.contacts[island.contacts[c]].block].row_count;
    for (int r = 0; r < rows; ++r) kept.rows[r] = s.p[row + r];
    const int sigma = stuck ? -1 : s.lcp.contact_sigma[c];
    kept.slips = sigma >= 0 && s.z[sigma] > tolerance;
  }
  size_t friction = 0;
  const int first_scalar = first_contact + static_cast<int>(island.contacts.size());
  for (size_t k = 0; k < island.scalars.size(); ++k) {
    BasisMemory::Impulse& kept = memory_.impulse(scalar_slot_[island.scalars[k]]);
    kept.rows[0] = s.p[s.delassus.first_row(first_scalar + static_cast<int>(k))];
    if (stuck || problem.scalars[island.scalars[k]].is_limit()) continue;
    kept.slips = s.z[s.lcp.friction_sigma[friction++]] > tolerance;
  }
}

// Guesses the basis from the last accepted step; true if every row was there.
bool StewartTrinkle::recall_basis(const StepProblem& problem, const contact::Island& island, Scratch& s) const {
  const StewartTrinkleLcp& lcp = s.lcp;
  std::vector<std::uint8_t>& basis = s.lemke.basis;
  basis.assign(lcp.n, 0);
  for (int c = 0; c < lcp.contacts; ++c) {
    const int directions = lcp.contact_directions[c];
    const std::uint8_t* bits = memory_.recall(problem.contacts[island.contacts[c]].key, 2 + directions).bits;
    if (bits == nullptr) return false;
    basis[c] = bits[0];
    for (int j = 0; j < directions; ++j) basis[lcp.contact_beta[c] + j] = bits[1 + j];
    if (directions > 0) basis[lcp.contact_sigma[c]] = bits[1 + directions];
  }
  int limit = lcp.contacts;
  size_t friction = 0;
  for (const int k : island.scalars) {
    const ScalarRow& row = problem.scalars[k];
    const std::uint8_t* bits = memory_.recall(row.key, row.is_limit() ? 1 : 3).bits;
    if (bits == nullptr) return false;
    if (row.is_limit()) {
      basis[limit++] = bits[0];
    } else {
      basis[lcp.friction_beta[friction]] = bits[0];
      basis[lcp.friction_beta[friction] + 1] = bits[1];
      basis[lcp.friction_sigma[friction++]] = bits[2];
    }
  }
  return true;
}

void StewartTrinkle::keep_basis(const StepProblem& problem, const contact::Island& island, const Scratch& s) {
  const StewartTrinkleLcp& lcp = s.lcp;
  const std::vector<std::uint8_t>& basis = s.lemke.basis;
  for (int c = 0; c < lcp.contacts; ++c) {
    std::uint8_t* bits = memory_.bits(contact_slot_[island.contacts[c]]);
    const int directions = lcp.contact_directions[c];
    bits[0] = basis[c];
    for (int j = 0; j < directions; ++j) bits[1 + j] = basis[lcp.contact_beta[c] + j];
    if (directions > 0) bits[1 + directions] = basis[lcp.contact_sigma[c]];
  }
  int limit = lcp.contacts;
  size_t friction = 0;
  for (const int k : island.scalars) {
    std::uint8_t* bits = memory_.bits(scalar_slot_[k]);
    if (problem.scalars[k].is_limit()) {
      bits[0] = basis[limit++];
    } else {
      bits[0] = basis[lcp.friction_beta[friction]];
      bits[1] = basis[lcp.friction_beta[friction] + 1];
      bits[2] = basis[lcp.friction_sigma[friction++]];
    }
  }
}

}  // namespace stiction::methods
