#include "stiction/stepping/existence/existence.h"

#include <deque>

#include <Eigen/Cholesky>
#include <Eigen/QR>

#include "stiction/solvers/cone/pointedness.h"

namespace stiction {

namespace {

// Relative size of a total impulse that counts as zero: positions, and with them normals, are not known better.
constexpr double tolerance = 1e-6;

// Rows of an island over the velocities of its trees, in the metric of kinetic energy.
struct EnergyRows {
  const StepProblem& problem;
  std::vector<int> column_of;  // by tree; -1: not in the island
  std::vector<Eigen::LLT<MatrixX>> factor;
  int columns = 0;

  EnergyRows(const StepProblem& step, const contact::Island& island)
      : problem(step), column_of(step.trees.size(), -1), factor(step.trees.size()) {
    for (const int tree : island.trees) {
      column_of[tree] = columns;
      columns += step.trees[tree].size;
      factor[tree].compute(step.mass_block(tree));
    }
  }

  // J L^-T of a block, M = L L^T.
  MatrixX rows(int block) const {
    MatrixX X = MatrixX::Zero(problem.blocks[block].row_count, columns);
    for (int side = 0; side < 2; ++side) {
      const int tree = problem.blocks[block].tree[side];
      if (tree < 0) continue;
      const MatrixX J = problem.jacobian_block(block, side);
      X.middleCols(column_of[tree], J.cols()) += factor[tree].matrixL().solve(J.transpose()).transpose();
    }
    return X;
  }
};

void append(MatrixX& J, const MatrixX& rows) {
  J.conservativeResize(J.rows() + rows.rows(), rows.cols());
  J.bottomRows(rows.rows()) = rows;
}

// Takes the motions that the closing joints forbid out of the rows of J.
void project_out(const MatrixX& closing, MatrixX& J) {
  if (closing.rows() == 0) return;
  const auto decomposition = closing.transpose().colPivHouseholderQr();
  const MatrixX Q = decomposition.householderQ();
  const auto span = Q.leftCols(decomposition.rank());
  J -= (J * span) * span.transpose();
}

// The rows of contacts and limits one below the other, and whose cone each is.
struct ConeRows {
  MatrixX J;
  std::vector<ConeContact> contacts;
  std::deque<FrictionCone> sets;  // that no material states as they are; contacts point to them

  void add(const MatrixX& rows, const FrictionCone* cone) {
    contacts.push_back({static_cast<int>(J.rows()), cone});
    append(J, rows);
  }

  void add_contact(const ContactRows& contact, const MatrixX& rows) {
    if (rows.rows() == 1) return add(rows, nullptr);
    if (contact.cone != nullptr && contact.cone_scale == 1) return add(rows, contact.cone);
    FrictionCone& own = sets.emplace_back();
    add(rows, &own);
    if (contact.cone != nullptr) return scale_cone(*contact.cone, contact.cone_scale, own);
    own.dimension = static_cast<int>(rows.rows()) - 1;
    own.axes = {contact.friction[0], contact.friction[1], contact.torsion};
  }
};

}  // namespace

std::string_view existence_clause(Existence existence) {
  switch (existence) {
    case Existence::unchecked:
      return "";
    case Existence::pointed:
      return "the friction cone is pointed";
    case Existence::not_pointed:
      return "the friction cone is not pointed, so that an answer is not guaranteed";
    case Existence::undecided:
      return "whether the friction cone is pointed could not be decided";
    case Existence::no_forces:
      return "no contact forces exist, as Painleve found: proved";
  }
  return "";
}

Existence check_existence(const StepProblem& problem, const contact::Island& island) {
  const EnergyRows energy(problem, island);
  ConeRows cones{.J = MatrixX(0, energy.columns), .contacts = {}, .sets = {}};
  MatrixX closing(0, energy.columns);
  bool rolls = false;
  for (const int c : island.contacts) {
    cones.add_contact(problem.contacts[c], energy.rows(problem.contacts[c].block));
    rolls |= problem.contacts[c].rolling >= 0;
  }
  for (const int k : island.scalars) {
    if (problem.scalars[k].kind == ScalarRow::Kind::limit) cones.add(energy.rows(problem.scalars[k].block), nullptr);
  }
  for (const int b : island.bilaterals) append(closing, energy.rows(problem.bilaterals[b].block));
  project_out(closing, cones.J);
  if (!cones.J.allFinite()) return Existence::undecided;
  switch (solvers::check_pointedness(cones.J, cones.contacts, tolerance).verdict) {
    case solvers::Pointedness::pointed:
      return rolls ? Existence::undecided : Existence::pointed;
    case solvers::Pointedness::not_pointed:
      return Existence::not_pointed;
    case solvers::Pointedness::undecided:
      break;
  }
  return Existence::undecided;
}

}  // namespace stiction
