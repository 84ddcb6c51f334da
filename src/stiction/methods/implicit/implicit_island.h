// The mixed complementarity problem of an island whose contacts are those of the end of the step (chakraborty2007
// (4)-(9) for rigid bodies, (10)-(15) with compliant layers), for solvers/ncp/mixed_ncp.h.
//
// Unknowns z = (v of the trees | one impulse per row | delta_n, delta_t, delta_o, core[, level] of every layer):
//
//     M (v - v_free) - J^T p - W(q+) p_contact = 0               joints' rows J at the start, contacts' W at the end
//     joints, limits, joint friction                             as in every method, linear in v
//     0 <= p_n  orthogonal to  gap(q+) + sum delta_n >= 0        (6), (13)
//     friction and spin                                          elliptic law (5), on W_f(q+)^T v
//     rolling                                                    a disc of its own
//     p - core = layer(delta), 0 <= core orthogonal to thickness - delta_n >= 0     (13), (14)
//
// The closest points are unknowns too, but local ones: every evaluation puts each pair back on its equations
// (geometry/closest/closest_points.h), and every Newton step has eliminated them by the implicit function theorem. At
// t < 1 the contacts' rows and gaps are (1 - t) those of the start of the step plus t those of its end.
#pragma once

#include <span>
#include <vector>

#include "stiction/contact/island_rows.h"
#include "stiction/methods/implicit/end_contact.h"
#include "stiction/problem/mixed_ncp.h"
#include "stiction/stepping/island_solver.h"

namespace stiction::methods {

/// What all islands of a step share: where the bodies are at its end. Islands write their own bodies only.
struct EndState {
  Kinematics kinematics;
  VectorX q, v;
};

/// How layers are deflected.
struct LayerModel {
  bool series = false;     ///< friction acts on the slip plus the rate of deflection
  bool algebraic = false;  ///< along level sets of a body's function
};

/// Caller-owned; allocates only for islands larger than ever before.
class ImplicitIsland final : public MixedNcpFunction {
 public:
  /// States the problem. False when a mass matrix is not positive definite.
  bool form(const StepProblem& problem, const StepContext& context, const contact::Island& island,
            const LayerModel& layers, EndState& end);

  const MixedNcpRows& rows() const { return rows_; }

  /// z from velocities v_free + M^-1 J^T p and impulses p, one per row of the problem; layers as at the start.
  void guess(const VectorX& impulse, std::vector<double>& z);
  /// The same with velocities of their own.
  void guess(const VectorX& v, const VectorX& impulse, std::vector<double>& z);

  bool evaluate(const double* z, double t, double* F) override;
  void differentiate(BlockMatrix& J) override;

  /// False when some pair has come to face each other from another side than at the start of the step: its closest
  /// points may be those of the far side of a body.
  bool same_side() const;

  /// A residual that the rounding of positions may leave, however good the answer; at most 1e-9.
  double rounding() const { return rounding_; }

  /// A contact at the last evaluation, by its place in the island.
  const EndContact& end_contact(int c) const { return ends_[c]; }
  /// Whether it asks for a speed of separation instead of a gap.
  bool rebounds(int c) const { return contacts_[c].restitution; }
  /// Whether any contact has a compliant layer.
  bool compliant() const { return !layers_.empty(); }

  /// Writes the island's part of the answer; impulses are moved into their cones, by no more than the residual.
  void write(const std::vector<double>& z, StepAnswer& answer) const;

 private:
  // Relative motion at a contact, (1 - t) of the start and t of the end.
  struct ContactMotion {
    double u[4] = {0, 0, 0, 0}, roll[2] = {0, 0};
    double closing = 0;  // of gap / h
  };
  struct ContactPlace {
    int contact = 0;  // in the problem
    int row = 0;      // of its normal impulse in z
    int row_count = 1;
    int rolling = -1;            // row of its first rolling moment in z
    double axis[3] = {0, 0, 0};  // z to impulse: a_t, a_o, a_spin
    int layer[2] = {-1, -1};     // first unknown of its layers in z
    bool restitution = false;    // asks for a speed of separation
  };
  struct LinearPlace {
    int block = 0;
    int row = 0;    // in z
    int bias = -1;  // into bilateral_bias; -1: a scalar row
    int scalar = -1;
  };
  struct LayerPlace {
    int layer = 0;  // in the problem
    int place = 0;  // in contacts_
    int side = 0;
    int row = 0;  // of delta_n in z
  };

  void number_unknowns();
  void number_contact(int contact, int local_block);
  void number_layers(ContactPlace& place);
  void find_scales();
  void find_row_weights();
  void find_unit();
  void add_plain_rows();
  void set_kinds();
  void set_ball(int first, int count, int radius_row, double factor, double constant, const double* axis);
  void add_compliance(const ContactPlace& place);
  void add_layer_rows();
  void start_contacts();

  void move_bodies(const double* z, double t);
  void evaluate_momentum(const double* z, double* F) const;
  void evaluate_linear(const double* z, double* F) const;
  void evaluate_contact(int c, const double* z, double t, double* F);
  void add_start(const ContactPlace& place, const double* z, double share, ContactMotion& motion, double* F) const;
  void add_end(int c, const double* z, double t, ContactMotion& motion, double* F);
  void write_contact(const ContactPlace& place, const double* z, const ContactMotion& motion, double* F) const;
  void evaluate_layer(const LayerPlace& layer, const double* z, double t, double* F) const;
  void contact_impulses(const ContactPlace& place, const double* z, Vector3& force, Vector3& moment) const;

  void differentiate_linear(BlockMatrix& J) const;
  void differentiate_frozen(const ContactPlace& place, BlockMatrix& J) const;
  void differentiate_contact(int c, BlockMatrix& J);
  void differentiate_layer(const LayerPlace& layer, BlockMatrix& J);
  void differentiate_level(const LayerPlace& layer, BlockMatrix& J);
  void add_side(int c, const ChainColumns& chain, double sign, const EndContactDerivative& d, const Vector3& force,
                BlockMatrix& J);
  void add_levels(int c, const EndContactDerivative& d, const Vector3& force, BlockMatrix& J);
  void add_changes(int c, int column, int n, const Vector3& force, BlockMatrix& J);

  // How a contact changes with one unknown.
  struct ContactChange {
    Vector3 point, normal, tangent, binormal, velocity, surface_velocity, angular_velocity;
    double gap;
  };

  const StepProblem* problem_ = nullptr;
  const StepContext* context_ = nullptr;
  contact::Island island_;
  LayerModel layer_model_;
  EndState* end_ = nullptr;

  std::vector<int> blocks_;
  contact::IslandRows island_rows_;
  MixedNcpRows rows_;
  std::vector<int> tree_row_;  // by global tree: first unknown
  int velocities_ = 0, unknowns_ = 0;
  double rounding_ = 0;
  double unit_ = 1;  // square root of the energy that residuals are relative to
  std::vector<ContactPlace> contacts_;
  std::vector<LinearPlace> linear_;
  std::vector<LayerPlace> layers_;
  std::vector<EndContactSetup> setups_;
  std::vector<EndContact> ends_;
  std::vector<double> z_, local_;
  double t_ = 1;
  ChainColumns chain_A_, chain_B_;
  std::vector<ContactChange> changes_;
};

}  // namespace stiction::methods
