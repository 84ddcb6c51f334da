#include "stiction/certify/layer_law.h"

#include "stiction/base/assert.h"

namespace stiction::certify {

void find_gives(const StepProblem& problem, const StepAnswer& answer, std::vector<ContactGive>& gives) {
  STICTION_ASSERT(problem.layers.empty() || problem.normal_law == NormalLaw::end_gap, "layers are laws of the end");
  STICTION_ASSERT(answer.deflection.size() >= problem.layers.size(), "one deflection for each layer");
  STICTION_ASSERT(answer.core_impulse.size() >= problem.layers.size(), "one core impulse for each layer");
  gives.assign(problem.contacts.size(), {});
  for (size_t i = 0; i < problem.layers.size(); ++i) {
    const LayerRows& layer = problem.layers[i];
    ContactGive& give = gives[layer.contact];
    give.layered = true;
    give.start += layer.start[0];
    give.end += answer.deflection[i][0];
    if (problem.deflection_slips && !layer.layer->tangentially_rigid())
      give.slip += (answer.deflection[i] - layer.start).tail<2>() / problem.step;
  }
}

Vector3 layer_defect(const StepProblem& problem, const StepAnswer& answer, int i) {
  const LayerRows& layer = problem.layers[i];
  const RowBlock& block = problem.blocks[problem.contacts[layer.contact].block];
  Vector3 p(answer.impulse[block.first_row] - answer.core_impulse[i], 0, 0);
  if (block.row_count >= 3) p.tail<2>() = answer.impulse.segment<2>(block.first_row + 1);
  Vector3 defect = p - layer_impulse(*layer.layer, layer.start, answer.deflection[i], problem.step).value;
  if (layer.layer->tangentially_rigid()) defect.tail<2>().setZero();
  return defect;
}

double layer_storage(const StepProblem& problem, const StepAnswer& answer, int i) {
  const LayerRows& layer = problem.layers[i];
  const Vector3& end = answer.deflection[i];
  Vector3 start = layer.start;
  if (!problem.deflection_slips) start.tail<2>() = end.tail<2>();
  return layer_energy(*layer.layer, end) - layer_energy(*layer.layer, start);
}

}  // namespace stiction::certify
