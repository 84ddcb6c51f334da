#include "stiction/contact/islands.h"

#include <numeric>

namespace stiction::contact {

int Islands::find(int tree) {
  while (parent_[tree] != tree) {
    parent_[tree] = parent_[parent_[tree]];
    tree = parent_[tree];
  }
  return tree;
}

// Counting sort of items by island; items whose owner is -1 are left out.
void Islands::group(const std::vector<int>& owner, int kind) {
  Group& group = groups_[kind];
  group.offsets.assign(count_ + 1, 0);
  group.items.clear();
  if (owner.empty()) return;
  for (const int island : owner) {
    if (island >= 0) ++group.offsets[island + 1];
  }
  std::partial_sum(group.offsets.begin(), group.offsets.end(), group.offsets.begin());
  group.items.resize(group.offsets[count_]);
  cursor_.assign(group.offsets.begin(), group.offsets.end());
  for (size_t item = 0; item < owner.size(); ++item) {
    if (owner[item] >= 0) group.items[cursor_[owner[item]]++] = static_cast<int>(item);
  }
}

void Islands::update(const StepProblem& problem) {
  const int trees = static_cast<int>(problem.trees.size());
  parent_.resize(trees);
  std::iota(parent_.begin(), parent_.end(), 0);
  // The smaller index stays the representative, so that the result does not depend on the order of the rows.
  for (const RowBlock& block : problem.blocks) {
    if (block.tree[0] < 0 || block.tree[1] < 0) continue;
    const int a = find(block.tree[0]), b = find(block.tree[1]);
    parent_[std::max(a, b)] = std::min(a, b);
  }
  island_of_tree_.assign(trees, -1);
  for (const RowBlock& block : problem.blocks) {
    if (block.tree[0] >= 0) island_of_tree_[find(block.tree[0])] = 0;  // has rows
  }
  count_ = 0;
  for (int tree = 0; tree < trees; ++tree) {
    if (find(tree) == tree) {
      if (island_of_tree_[tree] == 0) island_of_tree_[tree] = count_++;
    } else {
      island_of_tree_[tree] = island_of_tree_[find(tree)];
    }
  }
  group(island_of_tree_, 0);
  const auto owner_of = [&](int block) {
    const int tree = problem.blocks[block].tree[0];
    return tree < 0 ? -1 : island_of_tree_[tree];
  };
  owner_.clear();
  for (const BilateralRows& rows : problem.bilaterals) owner_.push_back(owner_of(rows.block));
  group(owner_, 1);
  owner_.clear();
  for (const ScalarRow& row : problem.scalars) owner_.push_back(owner_of(row.block));
  group(owner_, 2);
  owner_.clear();
  for (const ContactRows& rows : problem.contacts) owner_.push_back(owner_of(rows.block));
  group(owner_, 3);
}

Island Islands::operator[](int island) const {
  const auto view = [&](int kind) {
    const Group& group = groups_[kind];
    return std::span<const int>(group.items.data() + group.offsets[island],
                                static_cast<size_t>(group.offsets[island + 1] - group.offsets[island]));
  };
  return {view(0), view(1), view(2), view(3)};
}

}  // namespace stiction::contact
