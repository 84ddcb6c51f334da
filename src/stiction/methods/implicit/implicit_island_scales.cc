// Kinds, weights and scales of an island's rows: what a residual is relative to.
#include <algorithm>
#include <cmath>

#include "stiction/methods/implicit/implicit_island.h"

namespace stiction::methods {

namespace {

using Kind = MixedNcpRows::Kind;

// Positions are rounded to this share of their distance from the origin; a residual cannot be told below it.
constexpr double position_rounding = 4e-16;
// A gap is made of so many of them.
constexpr double roundings_of_a_gap = 16, largest_rounding = 1e-9;
// The residual that this rounding must stay below.
constexpr double smallest_tolerance = 5e-11;

}  // namespace

void ImplicitIsland::find_scales() {
  find_row_weights();
  find_unit();
  add_plain_rows();
  set_kinds();
  add_layer_rows();
}

// W_ii of all rows, into local_.
void ImplicitIsland::find_row_weights() {
  local_.assign(island_rows_.rows(), 0.0);
  for (const int t : island_.trees) {
    for (const contact::IslandRows::Incidence& incidence : island_rows_.on_tree(t)) {
      for (int r = 0; r < island_rows_.row_count(incidence.block); ++r) {
        const double* x = island_rows_.row(incidence, r);
        double& weight = local_[island_rows_.first_row(incidence.block) + r];
        for (int i = 0; i < island_rows_.tree_size(t); ++i) weight += x[i] * x[i];
      }
    }
  }
}

// The energy of what loads change and of what the rows would have to stop; not below what the rounding of positions
// lets be told.
void ImplicitIsland::find_unit() {
  const StepProblem& problem = *problem_;
  const double h = problem.step;
  double energy = 0;
  double reach = 0, heaviest_root = 0;
  for (const EndContact& end : ends_) reach = std::max(reach, end.point.cwiseAbs().maxCoeff());
  for (const EndContactSetup& setup : setups_) reach = std::max(reach, setup.length);
  const double blur = position_rounding / smallest_tolerance * reach / h;
  for (const int t : island_.trees) {
    const VelocityTree& tree = problem.trees[t];
    const auto M = problem.mass_block(t);
    const auto change =
        problem.v_free.segment(tree.offset, tree.size) - problem.v_start.segment(tree.offset, tree.size);
    double loads = 0, stopped = 0, heaviest = 0;
    for (int i = 0; i < tree.size; ++i) loads += change[i] * M.row(i).dot(change);
    for (const contact::IslandRows::Incidence& incidence : island_rows_.on_tree(t)) {
      const int first = island_rows_.first_row(incidence.block);
      if (local_[first] > 0) heaviest = std::max(heaviest, 1 / local_[first]);
      for (int r = first; r < first + island_rows_.row_count(incidence.block); ++r) {
        const double u = island_rows_.free_velocity()[r];
        if (local_[r] > 0) stopped = std::max(stopped, u * u / local_[r]);
      }
    }
    energy = std::max({energy, loads, stopped, heaviest * blur * blur});
    heaviest_root = std::max(heaviest_root, std::sqrt(heaviest));
  }
  unit_ = energy > 0 ? std::sqrt(energy) : 1.0;
  rounding_ = std::min(largest_rounding, roundings_of_a_gap * position_rounding * reach / h * heaviest_root / unit_);
}

// All rows as equations.
void ImplicitIsland::add_plain_rows() {
  const StepProblem& problem = *problem_;
  for (const int t : island_.trees) {
    const auto M = problem.mass_block(t);
    for (int i = 0; i < problem.trees[t].size; ++i) {
      rows_.add(Kind::equation, M(i, i), 1 / (std::sqrt(M(i, i)) * unit_));
    }
  }
  for (double& weight : local_) {
    if (!(weight > 0)) weight = 1;
    rows_.add(Kind::equation, weight, 1 / (std::sqrt(weight) * unit_));
  }
}

// Rows first .. as a ball; `axis` are the ratios of the ellipsoid's axes (null: a ball already).
void ImplicitIsland::set_ball(int first, int count, int radius_row, double factor, double constant,
                              const double* axis) {
  double weight = 0;
  for (int k = 0; k < count; ++k) {
    const double a = axis ? axis[k] : 1.0;
    weight += (a > 0 ? a * a * rows_.weight[first + k] : rows_.weight[first + k]) / count;
  }
  for (int k = 0; k < count; ++k) {
    rows_.kind[first + k] = Kind::ball;
    rows_.weight[first + k] = weight;
    rows_.scale[first + k] = 1 / (std::sqrt(weight) * unit_);
  }
  rows_.balls.push_back({first, count, radius_row, factor, constant});
}

// What layers give way sideways, per unit of impulse, in the weights of the friction rows.
void ImplicitIsland::add_compliance(const ContactPlace& place) {
  const StepProblem& problem = *problem_;
  const double h = problem.step;
  for (const int l : problem.contacts[place.contact].layers) {
    if (l < 0 || problem.layers[l].layer->tangentially_rigid()) continue;
    const Matrix3 B = h * problem.layers[l].layer->stiffness + problem.layers[l].layer->damping;
    for (int k = 1; k < 3; ++k) rows_.weight[place.row + k] += 1 / (h * B(k, k));
  }
}

void ImplicitIsland::set_kinds() {
  const StepProblem& problem = *problem_;
  for (const LinearPlace& place : linear_) {
    if (place.scalar < 0) continue;
    const ScalarRow& scalar = problem.scalars[place.scalar];
    if (scalar.kind == ScalarRow::Kind::limit) {
      rows_.kind[place.row] = Kind::complementary;
    } else {
      set_ball(place.row, 1, -1, 0, scalar.bound, nullptr);
    }
  }
  for (const ContactPlace& place : contacts_) {
    const ContactRows& contact = problem.contacts[place.contact];
    rows_.kind[place.row] = Kind::complementary;
    if (place.row_count > 1) {
      const double e = std::max(contact.friction[0], contact.friction[1]);
      if (layer_model_.series) add_compliance(place);
      set_ball(place.row + 1, place.row_count - 1, place.row, e, 0, place.axis);
    }
    if (place.rolling >= 0) {
      set_ball(place.rolling, 2, place.row, problem.rollings[contact.rolling].limit, 0, nullptr);
    }
  }
}

void ImplicitIsland::add_layer_rows() {
  const StepProblem& problem = *problem_;
  const double h = problem.step;
  for (const LayerPlace& layer : layers_) {
    const ContactPlace& place = contacts_[layer.place];
    const CompliantLayer& law = *problem.layers[layer.layer].layer;
    const Matrix3 B = h * law.stiffness + law.damping;
    const double w = rows_.weight[place.row];
    const double scale = 1 / (std::sqrt(w) * unit_);
    for (int k = 0; k < 3; ++k) rows_.add(Kind::equation, w * B(k, k) + 1 / h, scale);
    rows_.add(std::isfinite(law.thickness) ? Kind::complementary : Kind::equation, w, scale);
    if (layer_model_.algebraic) rows_.add(Kind::equation, 1 / h, scale);
  }
}

}  // namespace stiction::methods
