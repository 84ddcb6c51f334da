// One contact at the end of the step: closest points, frame, relative velocity and wrench as functions of the
// end-of-step velocities, with derivatives in closed form.
//
// The bodies' end poses follow from v by q+ = q (+) h v. With O the contact point, a body's twist at O is J v, where
// the columns of J are the joint axes S_i as spatial vectors at O. Turning by joint j moves every axis after it in the
// chain, dS_i = S_j x S_i, so that with F = (f, m) a wrench at O and R_j = sum of S_i v_i over i after j
//
//     d(J v) = S_j x R_j          d(S_i . F) = (S_j x S_i) . F      for i after j
//
// and a velocity changes its joint's coordinates by h T, T the left Jacobian of the exponential map for orientations
// and the unit matrix for all else. Free bodies: three travels and a ball joint at the centre of mass.
#pragma once

#include <vector>

#include "stiction/contact/contact_set.h"
#include "stiction/geometry/closest/closest_points.h"

namespace stiction::methods {

/// What does not change while a step is solved.
struct EndContactSetup {
  int shape_A = -1, shape_B = -1;
  geometry::Piece piece_A, piece_B;
  double length = 1;                        ///< m: what tolerances are relative to
  double point_share = 0.5;                 ///< the contact point lies this share of the way from A's point to B's
  Vector3 start_normal = Vector3::UnitZ();  ///< at the start of the step
};

/// A contact at the end of the step.
struct EndContact {
  Pose X_WA, X_WB;  ///< of the shapes
  geometry::ClosestUnknowns closest;
  double level_A = 0, level_B = 0;  ///< m: see geometry/closest/closest_points.h
  Vector3 point = Vector3::Zero();
  Vector3 normal = Vector3::UnitZ(), tangent = Vector3::UnitX(), binormal = Vector3::UnitY();
  double gap = 0;
  Vector3 velocity = Vector3::Zero();                          ///< of B over A at the point, without belts
  Vector3 angular_velocity = Vector3::Zero();                  ///< of B over A
  Vector3 belt_A = Vector3::Zero(), belt_B = Vector3::Zero();  ///< surface velocities in world axes

  /// What friction acts on: with the belts.
  Vector3 surface_velocity() const { return velocity + belt_B - belt_A; }
};

/// Derivatives with displacement and rotation of A's, then B's material point at the contact point.
struct EndContactDerivative {
  using Rows3 = Eigen::Matrix<double, 3, 12>;
  Rows3 point, normal, tangent, binormal;
  Eigen::Matrix<double, 1, 12> gap;
  Eigen::Matrix<double, 3, 2> point_level, normal_level, tangent_level, binormal_level;  ///< with the levels
  Eigen::Matrix<double, 1, 2> gap_level;
  Eigen::Matrix<double, 3, 2> a_level, b_level;  ///< of the closest points in their shapes' frames
  Rows3 a, b;
};

/// Chooses the pieces and a first guess from the contact at the start of the step.
void start_end_contact(const Model& model, const Kinematics& start, const geometry::Manifold& manifold, int point,
                       const contact::Contact& contact, bool layered, EndContactSetup& setup, EndContact& end);

/// Finds the contact at the poses and velocities in `kinematics`, from the guess in `end`. False where the closest
/// points are not found.
bool update_end_contact(const Model& model, const Kinematics& kinematics, const EndContactSetup& setup,
                        EndContact& end);

/// False where it is not finite.
bool differentiate_end_contact(const Model& model, const EndContactSetup& setup, const EndContact& end,
                               EndContactDerivative& derivative);

/// A matrix in memory that only grows.
struct GrowingMatrix {
  std::vector<double> memory;
  int rows = 0, columns = 0;

  /// r x c zeros.
  void reset(int r, int c) {
    rows = r;
    columns = c;
    memory.assign(static_cast<size_t>(r) * c, 0.0);
  }
  Eigen::Map<MatrixX> map() { return {memory.data(), rows, columns}; }
  Eigen::Map<const MatrixX> map() const { return {memory.data(), rows, columns}; }
};

/// Joint axes of a body's chain at a point, and what turning them changes. Columns are those of the body's tree.
struct ChainColumns {
  int tree = -1;                   ///< -1: the body does not move
  GrowingMatrix J;                 ///< 6 x n: twist (linear, angular) at O per unit velocity
  GrowingMatrix move;              ///< 6 x n: displacement and rotation at O per unit velocity, h J T
  GrowingMatrix twist;             ///< 6 x n: change of the twist J v at fixed O per unit velocity, J + d(J v) h T
  GrowingMatrix load;              ///< n x n: d(J^T F) per unit velocity, at fixed F and O
  std::vector<int> column, group;  ///< of the chain, root first; axes of one group do not turn each other

  /// Fills all of the above for `body`, at end-of-step velocity v, with wrench (f, m) at O acting on the body.
  void form(const Model& model, const Kinematics& kinematics, int body, const Vector3& O, const VectorX& v, double h,
            const Vector3& f, const Vector3& m);

 private:
  void turn_axes(const VectorX& v, int v_offset, const Vector3& f, const Vector3& m);
};

}  // namespace stiction::methods
