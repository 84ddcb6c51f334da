#include "stiction/stepping/impacts/cut_at_impacts.h"

#include <algorithm>

#include "stiction/contact/continuous.h"
#include "stiction/stepping/contact_search.h"
#include "stiction/stepping/solve_islands.h"
#include "stiction/stepping/step_failure.h"

namespace stiction {

namespace {

// A step with more impacts than this ends inelastic.
constexpr int least_parts = 32, parts_of_a_body = 16;
// Cuts for pairs without restitution: a rocking box touches again and again, and is as well served by the trigger.
constexpr int most_inelastic_parts = 8;
// Impacts at one configuration that one impact may bring about.
constexpr int impact_rounds = 4;
// Solves of a part whose end depends on its own answer.
constexpr int max_cuts = 4;

bool rebounds(const Model& model) {
  return std::any_of(model.pair_table.begin(), model.pair_table.end(),
                     [](const Material& m) { return m.restitution > 0 || m.tangential_restitution > 0; });
}

}  // namespace

/// Which contacts take part, and whether any rebounds, depends on where in the whole step a part stands.
class CutAtImpacts::Part final : public PlainStep {
 public:
  using PlainStep::PlainStep;

  bool continuous = false;    ///< what does not touch is left to the next cut
  bool cut_inelastic = true;  ///< pairs without restitution cut the step, too
  bool inelastic = false;     ///< contacts of this part have no restitution
  double whole_step = 0;      ///< s: that this is a part of

  void keep_taking_part(double h, std::vector<contact::Contact>& contacts) override {
    if (!continuous) return PlainStep::keep_taking_part(h, contacts);
    contact::keep_touching(model(), scratch().kinematics, h, whole_step, cut_inelastic, contacts);
  }

 protected:
  void amend(StepProblem& problem) override {
    if (!inelastic) return;
    for (ContactRows& contact : problem.contacts) contact.restitution = 0;
  }
};

CutAtImpacts::CutAtImpacts(const Model& model, std::unique_ptr<IslandSolver> solver, const PlainStepOptions& options,
                           const ImpactCuts& cuts)
    : model_(model),
      cuts_(cuts),
      elastic_(cuts.model != ImpactModel::none && rebounds(model)),
      part_(std::make_unique<Part>(model, std::move(solver), options)) {}

CutAtImpacts::~CutAtImpacts() = default;

// Impacts of what hits within h, at the configuration of state_. One may send another point of a touching pair to the
// ground (a rod that lands on one end): that one is an impact of its own, and follows at once.
ImpactReport CutAtImpacts::resolve_impacts(const StepInput& input, StepRecord& record,
                                           certify::StepCertificate& certificate) {
  StepScratch& s = part_->scratch();
  update_kinematics(model_, state_, input.h, s.kinematics);
  ImpactReport all;
  for (int round = 0; round < impact_rounds && all.solved; ++round) {
    update_velocities(model_, state_.v, s.kinematics);
    contact::set_reach(model_, s.kinematics, input.h, s.detection);
    find_contacts(model_, memory_, s, record.contacts);
    part_->keep_taking_part(input.h, record.contacts);
    const ImpactReport report =
        resolve_impact(*part_, cuts_.model, input, state_, memory_, impact_, record, certificate);
    all.solved = report.solved;
    all.ended |= report.ended;
    if (!report.happened) break;
    all.happened = true;
    all.energy += report.energy;
  }
  return all;
}

// Solves from state_ over at most input.h, cut where bodies that are apart come to touch; input.h becomes its length.
StepOutcome CutAtImpacts::solve_part(StepInput& input, StepRecord& record) {
  StepScratch& s = part_->scratch();
  StepOutcome outcome = part_->solve(input, state_, memory_, record);
  for (int cut = 0; part_->continuous && outcome.ok; ++cut) {
    update_velocities(model_, record.v_position, s.kinematics);
    if (contact::grow_reach(model_, s.kinematics, input.h, s.detection)) {
      kept_ = record.contacts;
      contact::detect_contacts(model_, s.kinematics, s.detection, record.contacts);  // for its boxes
      record.contacts = kept_;
    }
    const double length =
        contact::first_impact(model_, s.kinematics, input.h, part_->cut_inelastic, record.contacts, s.detection);
    if (length >= input.h * (1 - 1e-9)) break;
    input.h = length;
    outcome = part_->solve(input, state_, memory_, record);
    if (cut == max_cuts) break;
  }
  return outcome;
}

StepOutcome CutAtImpacts::advance(const StepInput& input, State& state, contact::ContactMemory& memory,
                                  StepRecord& record) {
  certify::StepCertificate worst;
  state_ = state;
  memory_ = memory;
  impact_.bounces.clear();
  bool ended = false;
  // Every pair may bounce a few times; this is only reached when something goes on hitting anew.
  const int max_parts = least_parts + parts_of_a_body * static_cast<int>(model_.bodies.size());
  part_->whole_step = input.h;
  StepInput left = input;
  StepOutcome outcome;
  for (int part = 1; left.h > 0; ++part) {
    part_->continuous = cuts_.continuous && part < max_parts;
    part_->cut_inelastic = part <= most_inelastic_parts;
    ImpactReport impact;
    if (elastic_ && part < max_parts) impact = resolve_impacts(left, record, worst);
    ended |= impact.ended;
    if (!impact.solved) {
      outcome = summarize(record, 1);
      outcome.failure = "impact: " + describe_failure(model_, state, std::nullopt, part_->scratch(), record);
      return outcome;
    }
    part_->inelastic = elastic_ && part == max_parts;
    StepInput piece = left;
    outcome = solve_part(piece, record);
    if (!outcome.ok) return outcome;
    worst.merge(record.certificate);
    if (ended || part_->inelastic) report_fallback(Fallback::impacts_ended, record);
    part_->take(piece.h, state_, memory_, record);
    outcome = summarize(record, part);
    outcome.ok = true;
    outcome.parts = part;
    left.h = piece.h < left.h ? left.h - piece.h : 0;
  }
  record.certificate = worst;
  std::swap(state, state_);
  memory = memory_;  // a copy: each place keeps the memory that it has grown to
  return outcome;
}

}  // namespace stiction
