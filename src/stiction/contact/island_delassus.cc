#include "stiction/contact/island_delassus.h"

namespace stiction::contact {

bool IslandDelassus::form(const StepProblem& problem, const contact::Island& island, std::span<const int> blocks) {
  if (!island_.form(problem, island, blocks)) return false;
  matrix_.assign(static_cast<size_t>(rows()) * rows(), 0.0);
  for (const int tree : island.trees) multiply(tree);
  return true;
}

// Adds X_a^T X_b of every two blocks on the tree.
void IslandDelassus::multiply(int tree) {
  const int n = island_.tree_size(tree);
  const auto on_tree = island_.on_tree(tree);
  for (size_t i = 0; i < on_tree.size(); ++i) {
    for (size_t j = i; j < on_tree.size(); ++j) {
      const IslandRows::Incidence &a = on_tree[i], &b = on_tree[j];
      for (int c = 0; c < island_.row_count(b.block); ++c) {
        const Eigen::Map<const VectorX> x_b(island_.row(b, c), n);
        for (int r = 0; r < island_.row_count(a.block); ++r) {
          const double value = Eigen::Map<const VectorX>(island_.row(a, r), n).dot(x_b);
          const long row = first_row(a.block) + r, column = first_row(b.block) + c;
          matrix_[column * rows() + row] += value;
          if (i != j) matrix_[row * rows() + column] += value;
        }
      }
    }
  }
}

}  // namespace stiction::contact
