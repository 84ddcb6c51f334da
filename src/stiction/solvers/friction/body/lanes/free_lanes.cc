// How free_lanes.h takes the contacts of a step, bodies, pairs, batches and chunks, and hands back what was found.
#include "stiction/solvers/friction/body/lanes/free_lanes.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>

#include "stiction/solvers/friction/body/lanes/free_contact.h"

namespace stiction::solvers {
namespace {

constexpr double least_share_used = 0.45;  // of the lanes
constexpr int slots_at_once = 32;          // at least, in a chunk: 2 us of a sweep
constexpr size_t bodies_at_once = 256;     // in a chunk

// Of so many contacts, where lanes are used as well as they have to be.
size_t most_batches(size_t contacts) {
  return static_cast<size_t>(static_cast<double>(contacts) / (least_share_used * LaneBatch::lanes)) + 1;
}

size_t most_chunks(size_t contacts) {
  return most_batches(contacts) / slots_at_once + LanePairs::most_colours;
}

bool is_plain(const StepProblem& step, const ContactRows& contact) {
  return step.blocks[contact.block].row_count == 3 && contact.cone == nullptr && contact.rolling < 0 &&
         contact.layers[0] < 0 && contact.layers[1] < 0 && contact.friction[0] > 0 && contact.friction[1] > 0;
}

// Does travel stand apart in the mass of six velocities, from turn and alike along each axis?
bool travels_apart(const double* M) {
  bool apart = M[0] == M[7] && M[0] == M[14] && M[1] == 0 && M[2] == 0 && M[8] == 0;
  for (int k = 0; k < 3; ++k) apart = apart && M[6 * k + 3] == 0 && M[6 * k + 4] == 0 && M[6 * k + 5] == 0;
  return apart;
}

// L^T w.
void turn_in_x(const std::array<double, 6>& L, const double* w, double* x) {
  x[0] = L[0] * w[0] + L[1] * w[1] + L[3] * w[2];
  x[1] = L[2] * w[1] + L[4] * w[2];
  x[2] = L[5] * w[2];
}

// L^-T x.
void turn_of_x(const std::array<double, 6>& inverse, const double* x, double* w) {
  w[0] = inverse[0] * x[0] + inverse[1] * x[1] + inverse[3] * x[2];
  w[1] = inverse[2] * x[1] + inverse[4] * x[2];
  w[2] = inverse[5] * x[2];
}

}  // namespace

bool FreeLanes::take_body(const StepProblem& step, int tree, Body& body) const {
  const VelocityTree& velocities = step.trees[tree];
  if (velocities.size != 6) return false;
  const double* M = step.mass.data() + velocities.mass_offset;
  if (!travels_apart(M) || !(M[0] > 0)) return false;
  body.offset = velocities.offset;
  body.inverse_mass = 1 / M[0];
  std::array<double, 6>& L = body.factor;
  L[0] = std::sqrt(M[21]), L[1] = M[22] / L[0], L[3] = M[23] / L[0];
  L[2] = std::sqrt(M[28] - L[1] * L[1]), L[4] = (M[29] - L[1] * L[3]) / L[2];
  L[5] = std::sqrt(M[35] - L[3] * L[3] - L[4] * L[4]);
  std::array<double, 6>& X = body.inverse;
  X[0] = 1 / L[0], X[2] = 1 / L[2], X[5] = 1 / L[5];
  X[1] = -X[2] * L[1] * X[0], X[4] = -X[5] * L[4] * X[2];
  X[3] = -X[5] * (L[3] * X[0] + L[4] * X[1]);
  return std::isfinite((X[0] + X[2]) + X[5]);
}

bool FreeLanes::take_bodies(const StepProblem& step, std::span<const int> trees) {
  body_of_tree_.resize(step.trees.size());
  bodies_.resize(trees.size());
  std::atomic<bool> fit = true;
  for_ranges(shared_by_, trees.size(), bodies_at_once, [&](size_t begin, size_t end) {
    for (size_t b = begin; b < end; ++b) {
      body_of_tree_[trees[b]] = static_cast<int>(b);
      if (!take_body(step, trees[b], bodies_[b])) return fit.store(false, std::memory_order_relaxed);
    }
  });
  return fit;
}

// Runs of contacts on the same bodies; those of one side have it first.
bool FreeLanes::find_pairs(const StepProblem& step, std::span<const int> contacts) {
  pairs_.clear(bodies_.size());
  for (size_t c = 0; c < contacts.size();) {
    const size_t first = c;
    const std::array<int, 2>& trees = step.blocks[step.contacts[contacts[c]].block].tree;
    do {
      if (!is_plain(step, step.contacts[contacts[c]])) return false;
      ++c;
    } while (c < contacts.size() && c - first < LanePairs::most_points &&
             step.blocks[step.contacts[contacts[c]].block].tree == trees);
    std::array<int, 2> bodies = {-1, -1};
    for (int side = 0; side < 2; ++side) bodies[side] = trees[side] < 0 ? -1 : body_of_tree_[trees[side]];
    if (bodies[0] < 0 || !pairs_.add(bodies, static_cast<int>(first), static_cast<int>(c - first))) return false;
  }
  return true;
}

bool FreeLanes::take(const StepProblem& step, std::span<const int> trees, std::span<const int> contacts) {
  if (step.normal_law != NormalLaw::gap) return false;
  shared_by_ = contacts.size() < least_shared ? nullptr : workers_;
  if (!take_bodies(step, trees) || !find_pairs(step, contacts)) return false;
  const int taken = pairs_.group(batches_);
  const int slots = batches_.empty() ? 0 : batches_.back().first + batches_.back().points;
  if (taken < least_share_used * lanes * slots) return false;
  make_chunks(contacts.size());
  size_lists(contacts.size());
  if (!fill_batches(step, contacts)) return false;
  load_bodies(step);
  return true;
}

// Of a few microseconds each; batches stand in the order of their colours.
void FreeLanes::make_chunks(size_t contacts) {
  first_batch_.reserve(most_chunks(contacts) + 1);
  first_batch_.clear();
  first_chunk_.clear();
  most_chunks_ = 0;
  int slots = 0;
  for (size_t i = 0, colour = SIZE_MAX; i < batches_.size(); ++i) {
    const size_t own = pairs_[batches_[i].first_pair].colour();
    if (own != colour) first_chunk_.push_back(static_cast<int>(first_batch_.size()));
    if (own != colour || slots >= slots_at_once) {
      first_batch_.push_back(static_cast<int>(i));
      slots = 0;
    }
    colour = own;
    slots += batches_[i].points;
    most_chunks_ = std::max(most_chunks_, static_cast<int>(first_batch_.size()) - first_chunk_.back());
  }
  first_chunk_.push_back(static_cast<int>(first_batch_.size()));
  first_batch_.push_back(static_cast<int>(batches_.size()));
}

void FreeLanes::size_lists(size_t contacts) {
  const auto slots = static_cast<size_t>(batches_.empty() ? 0 : batches_.back().first + batches_.back().points);
  const size_t most = most_batches(contacts);
  const auto size = [&](auto& list, size_t numbers) {
    list.reserve(numbers * most);
    list.resize(numbers * slots);
  };
  for (auto* list : {&contact_, &row_}) size(*list, lanes);
  slot_.resize(contacts);
  size(matrix_, lane::free_slot_size), size(aspect_, lane::aspect_size);
  for (auto* list : {&bias_, &z_, &before_, &best_}) size(*list, lanes * lane::rows);
  for (auto* list : {&open_, &gap_, &slip_, &wanted_, &pushed_}) size(*list, lanes);
  inverse_mass_.reserve(2 * lanes * most);
  inverse_mass_.resize(2 * lanes * batches_.size());
  parts_.reserve(part_size * most_chunks(contacts));
  parts_.resize(part_size * static_cast<size_t>(chunks()));
}

void FreeLanes::load_bodies(const StepProblem& step) {
  const size_t bodies = bodies_.size(), all = bodies + static_cast<size_t>(most_chunks_);
  for (auto* x : {&x_, &x_before_, &x_free_, &x_start_}) x->assign(lane::body_width * all, 0.0);
  static_scale_.assign(all, 0.0);
  scale_.resize(all);
  for_ranges(shared_by_, bodies, bodies_at_once, [&](size_t begin, size_t end) {
    for (size_t b = begin; b < end; ++b) {
      const Body& body = bodies_[b];
      const auto put = [&](const VectorX& v, std::vector<double>& x) {
        double* own = x.data() + lane::body_width * b;
        std::copy_n(v.data() + body.offset, 3, own);
        turn_in_x(body.factor, v.data() + body.offset + 3, own + 3);
      };
      put(step.v_free, x_free_);
      put(step.v_start, x_start_);
    }
  });
}

void FreeLanes::start_from(size_t index, const double* impulse) {
  const int slot = slot_[index] / lanes, lane = slot_[index] % lanes;
  const double* aspect = aspect_.data() + static_cast<size_t>(slot) * lane::aspect_size + lane;
  double* z = z_.data() + static_cast<size_t>(slot) * (lanes * lane::rows) + lane;
  for (int r = 0; r < lane::rows; ++r) {
    z[lanes * r] = impulse[r] * aspect[lanes * (lane::AspectEntry::inverse_factor + r)];
  }
}

void FreeLanes::write(const StepProblem& step, StepAnswer& answer) const {
  for_ranges(shared_by_, row_.size(), lanes * slots_at_once, [&](size_t begin, size_t end) {
    for (size_t place = begin; place < end; ++place) write_impulse(place, answer);
  });
  for_ranges(shared_by_, bodies_.size(), bodies_at_once, [&](size_t begin, size_t end) {
    for (size_t b = begin; b < end; ++b) write_velocity(b, step, answer);
  });
}

void FreeLanes::write_impulse(size_t place, StepAnswer& answer) const {
  if (row_[place] < 0) return;
  const size_t slot = place / lanes, lane = place % lanes;
  const double* aspect = aspect_.data() + slot * lane::aspect_size + lane;
  const double* z = z_.data() + slot * (lanes * lane::rows) + lane;
  for (int r = 0; r < lane::rows; ++r) {
    answer.impulse[row_[place] + r] = z[lanes * r] * aspect[lanes * (lane::AspectEntry::factor + r)];
  }
}

void FreeLanes::write_velocity(size_t b, const StepProblem& step, StepAnswer& answer) const {
  const Body& body = bodies_[b];
  const double *x = x_.data() + lane::body_width * b, *free = x_free_.data() + lane::body_width * b;
  double turn[3], change[3];
  for (int k = 0; k < 3; ++k) {
    answer.v_end[body.offset + k] = x[k];
    change[k] = x[3 + k] - free[3 + k];
  }
  turn_of_x(body.inverse, change, turn);
  for (int k = 0; k < 3; ++k) answer.v_end[body.offset + 3 + k] = step.v_free[body.offset + 3 + k] + turn[k];
}

}  // namespace stiction::solvers
