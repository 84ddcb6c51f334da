// Contacts with friction pyramids as a linear complementarity problem in impulses.
//
// With u = W p + q, one per row,
//
//     normals:  0 <= p_n,  u_n + offset + soft p_n >= 0, orthogonal;  p_t = slide p_n on the two rows after it
//     pairs:    |p| <= coefficient p_n + bound;  u + soft p = 0 inside, against the slip at the bounds
//
// a pair as z+, z- with p = z+ - z- and its sigma (trinkle2003 (33)-(38) with two directions):
//
//     0 <= z+-,  +-(u + soft p) + sigma >= 0;   0 <= sigma,  coefficient p_n + bound - z+ - z- >= 0
//
// Two pairs on t and o make a pyramid over a square. Variables: normals, z+ z- of the pairs, sigmas.
#pragma once

#include <array>
#include <span>
#include <vector>

namespace stiction::methods {

/// Caller-owned; allocates only for problems larger than ever before.
struct PyramidLcp {
  struct Normal {
    int row = 0;
    double offset = 0;                     ///< m/s
    std::array<double, 2> slide = {0, 0};  ///< of rows row + 1, row + 2
    double soft = 0;                       ///< m/s per N s
    int item = 0;                          ///< the caller's name for what it belongs to
  };
  struct Pair {
    int row = 0;
    int normal = -1;         ///< index of its normal, or -1
    double coefficient = 0;  ///< of p_n
    double bound = 0;        ///< N s
    double soft = 0;
    int item = 0;
    int place = 0;  ///< among the pairs of that item
  };

  std::vector<Normal> normals;
  std::vector<Pair> pairs;
  std::vector<double> F, f;  ///< w = F z + f, column-major

  int size() const { return static_cast<int>(normals.size() + 3 * pairs.size()); }
  int plus(int pair) const { return static_cast<int>(normals.size()) + 2 * pair; }
  int minus(int pair) const { return plus(pair) + 1; }
  int sigma(int pair) const { return static_cast<int>(normals.size() + 2 * pairs.size()) + pair; }

  void clear();
  /// Fills F and f; W is column-major rows x rows.
  void fill(std::span<const double> W, std::span<const double> q);
  /// Adds the impulses of z to p, one per row.
  void add_impulses(std::span<const double> z, std::span<double> p) const;

 private:
  void fill_column(std::span<const double> u, int column);
  std::vector<double> u_;  // velocities that one variable causes
};

}  // namespace stiction::methods
