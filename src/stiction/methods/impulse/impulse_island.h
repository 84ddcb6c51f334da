// An island as methods see it that handle contacts one at a time: points that get impulses, and their velocities, kept
// up to date. Joints that close loops are eliminated, so that every impulse is answered by the whole mechanism.
//
//     trees joined by closing joints form a group; y are the group's velocities in coordinates of unit mass
//     X_c           = L^-1 J_c^T of a row, by group                                       island_rows.h
//     Y             = W_bb^+ W_bc                          what closing joints answer to a unit impulse on row c
//     X'_c          = X_c - X_b Y_c                        the row's effect with that answer
//     u_c           = (J v + surface)_c - Y_c^T (J v + bias)_b + X'_c . y
//     an impulse p  : y += X'_c p on one group or both;  K = X'_c X'_c^T by group
//     at the end    p_b = -W_bb^+ (J v_free + bias)_b - Y p_c
//
// Redundant closing rows get nothing. Bounded rows (dry friction in joints, rolling resistance) keep the sum of their
// impulses within its bound.
#pragma once

#include <array>
#include <vector>

#include "stiction/contact/island_rows.h"
#include "stiction/methods/impulse/contact_impulse.h"
#include "stiction/stepping/island_solver.h"

namespace stiction::methods {

/// Caller-owned; allocates only for islands larger than ever before.
class ImpulseIsland {
 public:
  static constexpr int both_sides = 3;  ///< of a contact: bit 0 is its first group, bit 1 its second

  /// A contact or a joint limit.
  struct Point {
    int contact = -1;        ///< into StepProblem::contacts; -1: a joint limit
    PointLaw law;            ///< its rows and friction
    double restitution = 0;  ///< of its material
    std::array<int, 2> group = {-1, -1};
    int block = 0;                          ///< local
    std::array<int, 4> row = {0, 0, 0, 0};  ///< of the block, one per row of the law
    std::array<Matrix4, 2> K;               ///< of each group
    bool movable = true;                    ///< false: no impulse along the normal moves anything
    Vector4 withheld = Vector4::Zero();     ///< impulses that one side has not felt yet
  };

  /// Transforms the island's rows; velocities are those of v_free. False when a mass matrix is not positive definite.
  bool form(const StepProblem& problem, const contact::Island& island);

  /// Velocities become those of v and of all impulses so far.
  void set_base(const StepProblem& problem, const VectorX& v);

  int group_count() const { return static_cast<int>(group_size_.size()); }
  int point_count() const { return static_cast<int>(points_.size()); }
  const Point& point(int i) const { return points_[i]; }

  /// Relative velocity of a point in the rows of its law; what is beyond its count is zero.
  Vector4 velocity(int i) const;
  /// u_n alone.
  double normal_velocity(int i) const;
  /// K with only the groups of `sides` movable.
  Matrix4 response(int i, int sides = both_sides) const;
  /// Gives a point an impulse that the groups of `sides` feel at once; the other one feels it when it is released.
  void apply(int i, const Vector4& p, int sides = both_sides);
  /// Lets the other side feel what was withheld.
  void release(int i, int felt_sides);
  /// Brings the rate of every bounded row to zero as far as its bound allows; returns the largest change of a rate.
  double sweep_bounded();
  bool has_bounded() const { return !bounded_.empty(); }
  /// Largest approach speed of a point that can move; zero: none approaches.
  double largest_approach() const;

  /// Writes the island's velocities and impulses.
  void finish(const StepProblem& problem, const contact::Island& island, StepAnswer& answer);

 private:
  struct Part {
    int group = -1;
    long offset = 0;  // into x_: row after row of the group's size
  };
  struct Bounded {
    int block = 0, count = 1;
    double bound = 0, limit = 0;  // bound + limit * p_n of the point
    int point = -1;
    Matrix4 K = Matrix4::Zero();
  };

  void form_groups(const StepProblem& problem, const contact::Island& island);
  int find_group(int tree);
  void copy_rows();
  void form_bilateral_matrix();
  void solve_bilateral(const double* b, double* x);
  void eliminate_bilaterals();
  void eliminate_from(int block, const Part& part, int r);
  void list_points(const StepProblem& problem, const contact::Island& island);
  void add_contact(const ContactRows& contact, int index, int& block);
  void add_limit(int block);
  void finish_point(Point& point);
  void measure_bounded(Bounded& bounded);
  void row_velocities(const StepProblem& problem, const VectorX& v, std::vector<double>& u) const;

  int rows_of(int block) const { return rows_.row_count(block); }
  const double* x(const Part& part, int r) const {
    return x_.data() + part.offset + static_cast<long>(r) * group_size_[part.group];
  }
  Eigen::Map<const VectorX> row_of(const Part& part, int r) const { return {x(part, r), group_size_[part.group]}; }
  Eigen::Map<VectorX> y_of(int group) { return {y_.data() + group_offset_[group], group_size_[group]}; }
  Eigen::Map<const VectorX> y_of(int group) const { return {y_.data() + group_offset_[group], group_size_[group]}; }
  double velocity_of_row(int block, int r) const;
  void add_impulse(int block, int r, double p, int sides);

  contact::IslandRows rows_;
  std::vector<int> blocks_;
  int bilateral_blocks_ = 0, bilateral_rows_ = 0;
  std::vector<int> parent_, tree_group_, tree_offset_;  // by global tree; valid for the island's
  std::vector<int> group_size_, group_offset_;
  std::vector<std::array<Part, 2>> parts_;  // one per block
  std::vector<double> loose_response_;      // of each block's first row, without closing joints
  std::vector<double> x_, y_;
  std::vector<double> bilateral_factor_, bilateral_scale_, bilateral_scratch_, bilateral_right_, bilateral_left_;
  std::vector<int> bilateral_pivots_;
  int bilateral_rank_ = 0;
  std::vector<double> answer_of_joints_;  // Y, column after column of bilateral_rows_ numbers
  std::vector<double> bias_;              // surface of each row, bias of bilateral rows
  std::vector<double> base_, impulse_;
  std::vector<Point> points_;
  std::vector<Bounded> bounded_;
};

}  // namespace stiction::methods
