#include "stiction/events/event_report.h"

namespace stiction {

namespace {

// One island's forces and rows.
class InstantWriter {
 public:
  InstantWriter(const InstantRows& rows, const ModeProblem& modes, const ModeSolution& solution, StepRecord& record)
      : rows_(rows), modes_(modes), solution_(solution), problem_(record.problem), answer_(record.answer) {}

  void write() {
    const InstantIsland& island = modes_.island;
    for (size_t k = 0; k < island.items.size(); ++k) {
      if (island.items[k].scalar >= 0) {
        write_scalar(k);
      } else {
        write_contact(k);
      }
    }
    const VectorX total = island.y + island.B * solution_.force;
    const VectorX joints = island.joint_forces(total - island.y_free - island.unconstrained * solution_.force);
    for (Eigen::Index k = 0; k < joints.size(); ++k) answer_.impulse[island.joint_rows[k]] = joints[k];
  }

 private:
  // Writes the force of a row; what must be added to J vdot to give its acceleration, or its velocity where it slips.
  double write_row(int row, int column, const double* velocity) {
    answer_.impulse[row] = solution_.force[column];
    const double product = rows_.product[row];
    return velocity == nullptr ? product : *velocity - (solution_.acceleration[column] - product);
  }

  void write_scalar(size_t k) {
    const InstantItem& item = modes_.island.items[k];
    ScalarRow& scalar = problem_.scalars[item.scalar];
    const int row = problem_.blocks[scalar.block].first_row;
    scalar.surface = scalar.bias = write_row(row, item.first, modes_.modes[k].slips ? &rows_.velocity[row] : nullptr);
  }

  void write_contact(size_t k) {
    const InstantItem& item = modes_.island.items[k];
    ContactRows& contact = problem_.contacts[item.contact];
    const int first = problem_.blocks[contact.block].first_row;
    contact.normal_bias = 0;
    contact.restitution = 0;
    contact.friction = {modes_.axes[k][0], modes_.axes[k][1]};
    contact.torsion = modes_.axes[k][2];
    const bool slips = modes_.modes[k].slips && modes_.slip[k].norm() > 0;
    for (int r = 0; r < item.rows; ++r) {
      contact.surface[r] = write_row(first + r, item.first + r, slips && r > 0 ? &modes_.slip[k][r - 1] : nullptr);
    }
    if (item.rolling < 0) return;
    RollingRows& rolling = problem_.rollings[contact.rolling];
    const int second = problem_.blocks[rolling.block].first_row;
    const bool rolls = modes_.modes[k].rolls && modes_.turning[k].norm() > 0;
    for (int r = 0; r < 2; ++r) {
      rolling.surface[r] = write_row(second + r, item.rolling + r, rolls ? &modes_.turning[k][r] : nullptr);
    }
  }

  const InstantRows& rows_;
  const ModeProblem& modes_;
  const ModeSolution& solution_;
  StepProblem& problem_;
  StepAnswer& answer_;
};

}  // namespace

void write_instant(const Model& model, const State& state, const Accelerations& at, EventMotion& motion,
                   EventWork& work, StepRecord& record) {
  InstantRows& rows = work.rows;
  const bool accelerated = !motion.problems().empty();
  if (!accelerated) {
    assemble_instant(model, state, work.now, rows);
    keep_scalars(work.modes, rows);
  }
  record.contacts_of = ContactsOf::instant;
  record.contacts = rows.contacts;
  record.problem = rows.problem;
  record.row_velocity = rows.velocity;
  record.islands.update(record.problem);
  StepProblem& problem = record.problem;
  problem.v_start = VectorX::Zero(model.v_size);
  problem.v_free = accelerated ? rows.vdot : at.vdot;
  problem.external_impulse = VectorX::Zero(model.v_size);
  for (size_t t = 0; t < problem.trees.size(); ++t) {
    const VelocityTree& tree = problem.trees[t];
    problem.external_impulse.segment(tree.offset, tree.size) =
        problem.mass_block(static_cast<int>(t)) * problem.v_free.segment(tree.offset, tree.size);
  }
  record.answer = {};
  record.answer.v_end = at.vdot;
  record.answer.impulse = VectorX::Zero(problem.row_count);
  for (size_t i = 0; i < motion.problems().size(); ++i) {
    InstantWriter(rows, motion.problems()[i], motion.solutions()[i], record).write();
  }
  for (const BilateralRows& joint : problem.bilaterals) {
    const RowBlock& block = problem.blocks[joint.block];
    for (int r = 0; r < block.row_count; ++r) {
      problem.bilateral_bias[joint.first_bias + r] = rows.product[block.first_row + r];
      problem.bilateral_surface[joint.first_bias + r] = rows.product[block.first_row + r];
    }
  }
}

}  // namespace stiction
