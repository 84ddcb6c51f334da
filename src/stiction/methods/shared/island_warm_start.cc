#include "stiction/methods/shared/island_warm_start.h"

namespace stiction::methods {
namespace {

constexpr size_t contacts_at_once = 512;  // in one chunk of what workers share

}  // namespace

bool recall_impulses(const StepProblem& problem, const contact::Island& island, const contact::IslandRows& rows,
                     const IslandFrictionProblem& velocity, const ImpulseMemory& memory, std::vector<double>& p,
                     std::vector<double>& r) {
  p.assign(rows.rows(), 0.0);
  bool known = false;
  int k = 0;
  const auto put = [&](const double* values) {
    for (int i = 0; i < rows.row_count(k); ++i) p[rows.first_row(k) + i] = values[i];
    known = true;
  };
  for (const int b : island.bilaterals) {
    for (int i = 0; i < rows.row_count(k); ++i) {
      p[rows.first_row(k) + i] = memory.recall_bilateral(problem.bilaterals[b].first_bias + i);
    }
    ++k;
  }
  for (const int c : island.contacts) {
    const ContactRows& contact = problem.contacts[c];
    const ImpulseMemory::Impulses* last = memory.recall_contact(c, contact.key);
    if (last != nullptr) put(last->data());
    ++k;
    if (contact.rolling < 0) continue;
    if (last != nullptr) put(last->data() + 4);
    ++k;
  }
  for (const int i : island.scalars) {
    if (const auto* last = memory.recall(problem.scalars[i].key)) put(last->data());
    ++k;
  }
  velocity.gather(rows, p, r);
  return known;
}

void keep_impulses(const StepProblem& problem, const contact::Island& island, const StepAnswer& answer,
                   ImpulseMemory& memory) {
  const auto copy = [&](int block, double* to) {
    const RowBlock& rows = problem.blocks[block];
    for (int r = 0; r < rows.row_count; ++r) to[r] = answer.impulse[rows.first_row + r];
  };
  for (const int b : island.bilaterals) {
    copy(problem.bilaterals[b].block, &memory.bilateral(problem.bilaterals[b].first_bias));
  }
  for_ranges(memory.workers(), island.contacts.size(), contacts_at_once, [&](size_t begin, size_t end) {
    for (const int c : island.contacts.subspan(begin, end - begin)) {
      const ContactRows& contact = problem.contacts[c];
      copy(contact.block, memory.contact(c).data());
      if (contact.rolling >= 0) copy(problem.rollings[contact.rolling].block, memory.contact(c).data() + 4);
    }
  });
  for (const int i : island.scalars) copy(problem.scalars[i].block, memory.scalar(i).data());
}

void write_impulses(const StepProblem& problem, std::span<const int> blocks, const contact::IslandRows& rows,
                    std::span<const double> p, StepAnswer& answer) {
  for (size_t k = 0; k < blocks.size(); ++k) {
    const RowBlock& block = problem.blocks[blocks[k]];
    const int first = rows.first_row(static_cast<int>(k));
    for (int r = 0; r < block.row_count; ++r) answer.impulse[block.first_row + r] = p[first + r];
  }
}

}  // namespace stiction::methods
