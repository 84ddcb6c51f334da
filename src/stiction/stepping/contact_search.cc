#include "stiction/stepping/contact_search.h"

namespace stiction {

namespace {

// m: gaps that the rounding of positions may open.
constexpr double gap_rounding = 1e-12;

}  // namespace

void find_contacts(const Model& model, const contact::ContactMemory& memory, StepScratch& scratch,
                   std::vector<contact::Contact>& contacts) {
  contact::detect_contacts(model, scratch.kinematics, scratch.detection, contacts);
  memory.anchors.measure(scratch.kinematics, contacts, scratch.anchors);
}

void keep_active(const Model& model, double h, const StepScratch& scratch, std::vector<contact::Contact>& contacts) {
  std::erase_if(contacts, [&](const contact::Contact& c) {
    return c.gap + h * contact::closing_speed(model, scratch.kinematics, c) > gap_rounding;
  });
}

bool missed_something(const Model& model, const State& state, const VectorX& v_end, double h,
                      const contact::ContactMemory& memory, StepScratch& scratch,
                      std::vector<contact::Contact>& contacts) {
  update_velocities(model, v_end, scratch.kinematics);
  const size_t before = contacts.size();
  bool missed = contact::force_missed_limits(model, state, scratch.kinematics, v_end, h, scratch.assembly);
  if (contact::grow_reach(model, scratch.kinematics, h, scratch.detection)) {
    find_contacts(model, memory, scratch, contacts);
    missed |= contacts.size() != before;
  }
  return missed;
}

}  // namespace stiction
