// Trees of joints for tests: masses and rows with the zeros that branches bring, numbers at random.
#pragma once

#include <random>
#include <vector>

#include "stiction/math/types.h"

namespace stiction::testing {

/// A root of six velocities and limbs of joints of one velocity, parents before children unless `reversed`.
class BranchedTree {
 public:
  BranchedTree(int limbs, int joints, unsigned seed, bool reversed = false) : random_(seed), reversed_(reversed) {
    for (int i = 0; i < 6; ++i) parent_.push_back(i - 1);
    for (int limb = 0; limb < limbs; ++limb) {
      for (int joint = 0; joint < joints; ++joint) parent_.push_back(joint == 0 ? 5 : size() - 1);
    }
  }

  int size() const { return static_cast<int>(parent_.size()); }

  /// Does velocity `i` move the link behind velocity `of`?
  bool moves(int i, int of) const {
    for (int k = place(of); k >= 0; k = parent_[k]) {
      if (k == place(i)) return true;
    }
    return false;
  }

  /// A row on the link behind velocity `of`: numbers for what moves it, zeros elsewhere.
  VectorX row(int of) {
    VectorX J = VectorX::Zero(size());
    for (int i = 0; i < size(); ++i) {
      if (moves(i, of)) J[i] = uniform_(random_);
    }
    return J;
  }

  /// Positive definite, with zeros between branches: the sum of what every link has to do with it.
  MatrixX mass() {
    MatrixX M = MatrixX::Identity(size(), size());
    for (int link = 0; link < size(); ++link) {
      const VectorX J = row(link);
      M += J * J.transpose();
    }
    return M;
  }

 private:
  int place(int i) const { return reversed_ ? size() - 1 - i : i; }

  std::mt19937 random_;
  std::uniform_real_distribution<double> uniform_{-1, 1};
  std::vector<int> parent_;
  bool reversed_;
};

}  // namespace stiction::testing
