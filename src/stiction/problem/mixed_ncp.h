// A mixed nonlinear complementarity problem (chakraborty2007, definition 2) with friction balls: find z so that for
// every row i, with F = F(z),
//
//     equation:        F_i = 0
//     complementary:   0 <= z_i  orthogonal to  F_i >= 0
//     ball:            the rows of a ball together: |z| <= R and z of maximum dissipation against F, which is
//                      F + sigma z = 0, 0 <= sigma orthogonal to R - |z| >= 0;   R = factor * z[radius_row] + constant
//
// A ball is the elliptic law (5) in coordinates in which the ellipsoid is round; sigma R is the paper's multiplier.
// Every row has a weight w_i > 0, which turns z_i into the units of F_i, and a scale that turns those into the
// dimensionless residual. A parameter t in 0..1 may deform the problem (homotopy): t = 1 is the problem itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace stiction {

/// Rows first .. first + count - 1 (at most three) form a ball.
struct FrictionBall {
  int first = 0;
  int count = 0;
  int radius_row = -1;  ///< row of the normal impulse; -1: the radius is constant
  double factor = 0;
  double constant = 0;
};

/// What holds in which row.
struct MixedNcpRows {
  enum class Kind : std::uint8_t { equation, complementary, ball };
  std::vector<Kind> kind;
  std::vector<double> weight;  ///< w_i > 0; the same for all rows of a ball
  std::vector<double> scale;   ///< > 0: residual = scale * natural map
  std::vector<FrictionBall> balls;

  int size() const { return static_cast<int>(kind.size()); }
  void clear() {
    kind.clear();
    weight.clear();
    scale.clear();
    balls.clear();
  }
  void add(Kind k, double w, double s) {
    kind.push_back(k);
    weight.push_back(w);
    scale.push_back(s);
  }
};

/// A matrix as a sum of small dense blocks (row-major). A block holds all rows of a ball or none.
struct BlockMatrix {
  struct Block {
    int row, rows, column, columns, at;
  };
  std::vector<Block> blocks;
  std::vector<double> value;

  void clear() {
    blocks.clear();
    value.clear();
  }
  /// Memory of a new block, zeroed; valid until the next one is added.
  double* add(int row, int rows, int column, int columns) {
    blocks.push_back({row, rows, column, columns, static_cast<int>(value.size())});
    value.resize(value.size() + static_cast<std::size_t>(rows) * columns, 0.0);
    return value.data() + blocks.back().at;
  }
};

/// F and its derivative.
class MixedNcpFunction {
 public:
  virtual ~MixedNcpFunction() = default;
  /// F at z and t. False where F is not defined or not found.
  virtual bool evaluate(const double* z, double t, double* F) = 0;
  /// dF/dz at the z and t of the last evaluate() that returned true.
  virtual void differentiate(BlockMatrix& J) = 0;
};

}  // namespace stiction
