#include "stiction/methods/shared/island_cone_problem.h"

#include <algorithm>

namespace stiction::methods {

namespace {

using Law = FrictionBlock::Law;

void expand_matrix(const FrictionProblem& velocity, std::vector<double>& W) {
  const int n = velocity.row_count();
  W.assign(static_cast<size_t>(n) * n, 0.0);
  for (int i = 0; i < velocity.block_count(); ++i) {
    const FrictionBlock& rows = velocity.blocks[i];
    for (int k = velocity.row_start[i]; k < velocity.row_start[i + 1]; ++k) {
      const FrictionBlock& columns = velocity.blocks[velocity.column[k]];
      const double* value = velocity.value.data() + velocity.value_start[k];
      for (int a = 0; a < rows.row_count; ++a) {
        double* to = W.data() + static_cast<size_t>(rows.first_row + a) * n + columns.first_row;
        std::copy_n(value + a * columns.row_count, columns.row_count, to);
      }
    }
  }
}

}  // namespace

bool form_cone_problem(const StepProblem& step, const contact::Island& island, const FrictionProblem& velocity,
                       IslandConeProblem& result) {
  ConeProblem& problem = result.problem;
  problem.contacts.clear();
  problem.bilateral_rows = 0;
  size_t contacts = 0;
  for (const FrictionBlock& block : velocity.blocks) {
    if (block.law == Law::bounded) return false;
    if (block.law == Law::bilateral) problem.bilateral_rows += block.row_count;
    if (block.law == Law::contact) ++contacts;
  }
  if (result.cones.size() < contacts) result.cones.resize(contacts);
  size_t index = 0;
  for (const FrictionBlock& block : velocity.blocks) {
    if (block.law != Law::contact) continue;
    const ContactRows* rows = index < island.contacts.size() ? &step.contacts[island.contacts[index]] : nullptr;
    ConeContact contact{.first_row = block.first_row};
    if (rows != nullptr && rows->cone != nullptr && rows->cone_scale == 1) {
      contact.cone = rows->cone;
    } else if (rows != nullptr && rows->cone != nullptr) {
      scale_cone(*rows->cone, rows->cone_scale, result.cones[index]);
      contact.cone = &result.cones[index];
    } else if (block.row_count > 1) {
      FrictionCone& cone = result.cones[index];
      cone.kind = FrictionCone::Kind::ellipsoid;
      cone.dimension = block.row_count - 1;
      cone.axes = block.axes;
      contact.cone = &cone;
    }
    problem.contacts.push_back(contact);
    ++index;
  }
  problem.q = velocity.q;
  expand_matrix(velocity, problem.W);
  return true;
}

}  // namespace stiction::methods
