// What the checks of a step compare with: the velocity scales s of its trees.
#include <algorithm>
#include <cmath>

#include "stiction/certify/step_certifier.h"

namespace stiction::certify {

// Raises s of the block's trees.
void Certifier::raise_scale(int block, double speed) {
  raise(fastest, speed);
  for (const int tree : problem.blocks[block].tree) {
    if (tree >= 0) raise(work.scale[tree], speed);
  }
}

// What a row would see without impulses, and what loads do to its sides.
double Certifier::speed_without_impulses(int row, double surface) const {
  return std::max(std::abs(work.free[row] + surface), work.pull[row]);
}

// s of a tree: the fastest motion that its own constraints would see without impulses, what loads alone would do to it
// and its neighbours, the largest velocity at which an overlap is driven apart (bodies that overlap may otherwise be at
// rest to each other, say in free fall), and what impulses do to it. Spin and rolling have scales of their own: a top
// must not hide how it slides.
void Certifier::find_scales() {
  for (const BilateralRows& joint : problem.bilaterals) {
    const RowBlock& block = problem.blocks[joint.block];
    for (int r = 0; r < block.row_count; ++r) {
      raise_scale(joint.block,
                  speed_without_impulses(block.first_row + r, problem.bilateral_bias[joint.first_bias + r]));
    }
  }
  for (const ScalarRow& scalar : problem.scalars) find_scalar_scale(scalar);
  find_contact_scales();
  for (const LayerRows& layer : problem.layers) find_layer_scale(layer);
  add_pushes();
  if (shares) share_trees();
}

// Raises the speeds of contacts to what `speed_of` says, and the fastest of all, which it may ask for; the scales of
// their trees are for share_trees() to find.
template <class SpeedOf>
void Certifier::share_speeds(const SpeedOf& speed_of) {
  const size_t count = problem.contacts.size();
  work.parts.resize(static_cast<size_t>(chunk_count(count, contacts_at_once)));
  for_ranges(work.workers, count, contacts_at_once, [&](size_t begin, size_t end) {
    double most = 0;
    for (size_t c = begin; c < end; ++c) {
      raise(work.speed[c], speed_of(problem.contacts[c]));
      raise(most, work.speed[c]);
    }
    work.parts[begin / contacts_at_once].fastest = most;
  });
  for (const CertifiedPart& part : work.parts) raise(fastest, part.fastest);
}

void Certifier::find_contact_scales() {
  if (shares) {
    work.speed.assign(problem.contacts.size(), 0.0);
    return share_speeds([this](const ContactRows& contact) { return contact_speed(contact); });
  }
  for (const ContactRows& contact : problem.contacts) {
    const RowBlock& block = problem.blocks[contact.block];
    raise_scale(contact.block, contact_speed(contact));
    for (const int tree : block.tree) {
      if (tree >= 0) raise(work.normal[tree], answer.impulse[block.first_row]);
    }
  }
}

void Certifier::find_scalar_scale(const ScalarRow& scalar) {
  const bool is_limit = scalar.kind == ScalarRow::Kind::limit;
  const double surface = is_limit ? scalar.surface : scalar.bias;
  const int row = problem.blocks[scalar.block].first_row;
  raise_scale(scalar.block, speed_without_impulses(row, surface));
  if (is_limit && scalar.gap < 0 && problem.normal_law != NormalLaw::rate)
    raise_scale(scalar.block, std::min(end(row, surface), -scalar.gap / problem.step));
}

double Certifier::contact_speed(const ContactRows& contact) const {
  const RowBlock& block = problem.blocks[contact.block];
  double speed = 0;
  for (int r = 0; r < std::min(block.row_count, 3); ++r) {
    raise(speed, speed_without_impulses(block.first_row + r, contact.surface[r]));
  }
  if (problem.normal_law != NormalLaw::rate) {
    const double u = end(block.first_row, contact.surface[0]);
    const bool at_end = problem.normal_law == NormalLaw::end_gap;
    const double start_gap = at_end ? contact.gap - problem.step * u + give(contact).start : contact.gap;
    if (start_gap < 0) raise(speed, std::min(u, -start_gap / problem.step));
  }
  return speed;
}

// What a deflected layer sets in motion, and no more of it than the spring at its start would: bodies on it may be at
// rest otherwise.
void Certifier::find_layer_scale(const LayerRows& layer) {
  const ContactRows& contact = problem.contacts[layer.contact];
  const RowBlock& block = problem.blocks[contact.block];
  const Vector3 held = layer_impulse(*layer.layer, layer.start, layer.start, problem.step).value;
  for (int r = 0; r < std::min(block.row_count, 3); ++r) {
    const int row = block.first_row + r;
    raise_scale(contact.block, std::min(std::abs(end(row, contact.surface[r])), std::abs(work.weight[row] * held[r])));
  }
}

// A body that only passes a blow on is judged by that blow: W_ii p_i, no more of it than the fastest motion that there
// is, so that bodies that are jammed do not set a scale of their own.
void Certifier::add_pushes() {
  const auto add = [this](int block, int rows) { raise_scale(block, push_speed(block, rows)); };
  for (const BilateralRows& joint : problem.bilaterals) add(joint.block, problem.blocks[joint.block].row_count);
  for (const ScalarRow& scalar : problem.scalars) add(scalar.block, 1);
  const auto rows_of = [this](const ContactRows& contact) {
    return std::min(problem.blocks[contact.block].row_count, 3);
  };
  if (shares) {
    share_speeds([&](const ContactRows& contact) { return push_speed(contact.block, rows_of(contact)); });
  } else {
    for (const ContactRows& contact : problem.contacts) add(contact.block, rows_of(contact));
  }
}

double Certifier::push_speed(int block, int rows) const {
  const int first = problem.blocks[block].first_row;
  double speed = 0;
  for (int row = first; row < first + rows; ++row) {
    raise(speed, std::min(std::abs(work.weight[row] * answer.impulse[row]), fastest));
  }
  return speed;
}

}  // namespace stiction::certify
