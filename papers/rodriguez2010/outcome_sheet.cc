#include "papers/rodriguez2010/outcome_sheet.h"

#include <fmt/format.h>

#include "stiction/io/output_file.h"
#include "stiction/report/table.h"

namespace stiction::papers::rodriguez2010 {

namespace {

// One line of the sheet: numbers or words, before the impact (or nothing) and one per outcome.
struct Line {
  QuantityName name;
  std::vector<std::string> cells = {};   // for people
  std::vector<std::string> values = {};  // for programs

  void add(double value) {
    cells.push_back(fmt::format("{:.6f}", value + 0.0));
    values.push_back(fmt::format("{:.17g}", value));
  }
  void add(const std::string& word) {
    cells.push_back(word);
    values.push_back(word);
  }
};

struct Column {
  ImpactRule rule;
  const ImpactOutcome* outcome;
  bool picked;
};

std::vector<Column> columns_of(const OutcomeSheet& sheet) {
  std::vector<Column> columns;
  for (const RuleOutcomes* rule : {&sheet.published, &sheet.coulomb}) {
    for (size_t k = 0; k < rule->result.outcomes.size(); ++k) {
      columns.push_back({rule->rule, &rule->result.outcomes[k], static_cast<int>(k) == rule->result.picked});
    }
  }
  return columns;
}

class LineMaker {
 public:
  explicit LineMaker(const OutcomeSheet& sheet) : sheet_(sheet), columns_(columns_of(sheet)) {}

  std::vector<Line> make() {
    add_velocities();
    for (size_t c = 0; c < sheet_.problem.contacts.size(); ++c) add_contact(c);
    add_energies();
    const auto flag = [](bool value) { return std::string(value ? "yes" : "no"); };
    of_outcomes({"gains energy", ""}, [&](const ImpactOutcome& o) { return flag(o.gains_energy); });
    of_outcomes({"leaves a cone", ""}, [&](const ImpactOutcome& o) { return flag(o.leaves_cone); });
    of_outcomes({"penetrates", ""}, [&](const ImpactOutcome& o) { return flag(o.penetrates); });
    of_outcomes({"obeys (4.13)", ""}, [&](const ImpactOutcome& o) { return flag(o.obeys_coulomb); });
    of_outcomes({"keeps (4.11)", ""}, [&](const ImpactOutcome& o) { return flag(o.keeps_restitution); });
    return std::move(lines_);
  }

 private:
  // A number of the motion before the impact and of each outcome.
  template <class F>
  void numbers(QuantityName name, double before, F&& of) {
    lines_.push_back({std::move(name)});
    lines_.back().add(before);
    for (const Column& column : columns_) lines_.back().add(of(*column.outcome));
  }

  // What only an outcome has.
  template <class F>
  void of_outcomes(QuantityName name, F&& of) {
    lines_.push_back({std::move(name)});
    lines_.back().add("");
    for (const Column& column : columns_) lines_.back().add(of(*column.outcome));
  }

  void add_velocities() {
    for (int i = 0; i < sheet_.problem.velocity.size(); ++i) {
      numbers(sheet_.names.velocities[i], sheet_.problem.velocity[i],
              [&](const ImpactOutcome& o) { return o.velocity[i]; });
    }
  }

  static std::string part(const ImpactContact& contact, int i) {
    if (i == 0) return "n";
    return contact.tangents == 1 ? "t" : fmt::format("t{}", i);
  }

  void add_contact(size_t c) {
    const ImpactContact& contact = sheet_.problem.contacts[c];
    const std::string& name = sheet_.names.contacts[c];
    const VectorX before = sheet_.problem.J * sheet_.problem.velocity;
    for (int i = 0; i <= contact.tangents; ++i) {
      const int row = contact.first_row + i;
      numbers({fmt::format("{} v_{}", name, part(contact, i)), "m/s"}, before[row],
              [&](const ImpactOutcome& o) { return o.contact_velocity[row]; });
    }
    for (int i = 0; i <= contact.tangents; ++i) {
      const int row = contact.first_row + i;
      of_outcomes({fmt::format("{} p_{}", name, part(contact, i)), "N s"},
                  [&](const ImpactOutcome& o) { return o.impulse[row]; });
    }
    of_outcomes({name, ""}, [&](const ImpactOutcome& o) { return std::string(state_name(o.state[c])); });
  }

  void add_energies() {
    const double kinetic = 0.5 * sheet_.problem.velocity.dot(sheet_.problem.mass * sheet_.problem.velocity);
    numbers({"kinetic energy", "J"}, kinetic, [&](const ImpactOutcome& o) { return kinetic + o.energy_change; });
    numbers({"potential energy", "J"}, sheet_.potential_energy,
            [&](const ImpactOutcome&) { return sheet_.potential_energy; });
    numbers({"total energy", "J"}, kinetic + sheet_.potential_energy,
            [&](const ImpactOutcome& o) { return kinetic + sheet_.potential_energy + o.energy_change; });
  }

  const OutcomeSheet& sheet_;
  std::vector<Column> columns_;
  std::vector<Line> lines_;
};

}  // namespace

OutcomeSheet make_sheet(const ImpactProblem& problem, SheetNames names) {
  OutcomeSheet sheet{.problem = problem, .names = std::move(names), .published = {}, .coulomb = {}};
  for (RuleOutcomes* rule : {&sheet.published, &sheet.coulomb}) {
    rule->rule = rule == &sheet.published ? ImpactRule::published : ImpactRule::coulomb;
    rule->result = solve_simultaneous_impact(problem, {.rule = rule->rule});
  }
  return sheet;
}

const char* state_name(ImpactState state) {
  return state == ImpactState::open ? "open" : state == ImpactState::stick ? "sticks" : "slips";
}

std::string origin_name(const OutcomeSheet& sheet, const ImpactOutcome& outcome) {
  switch (outcome.origin) {
    case ImpactOrigin::complementarity:
      return "complementarity";
    case ImpactOrigin::reduced:
      return "less rebound";
    case ImpactOrigin::least_energy:
      return "least energy";
    case ImpactOrigin::constrained:
      break;
  }
  std::string names;
  for (size_t c = 0; c < sheet.problem.contacts.size(); ++c) {
    const ImpactContact& contact = sheet.problem.contacts[c];
    for (const int row : outcome.constrained_rows) {
      if (row <= contact.first_row || row > contact.first_row + contact.tangents) continue;
      names += (names.empty() ? "" : ", ") + sheet.names.contacts[c];
      break;
    }
  }
  return names.empty() ? "none constrained" : names + " constrained";
}

std::string OutcomeSheet::text() const {
  report::Table table;
  table.columns = {
      {.name = "quantity", .unit = "", .left = true}, {.name = "", .unit = "unit", .left = true}, {.name = "before"}};
  for (const Column& column : columns_of(*this)) {
    table.columns.push_back({.name = std::string(impact_rule_name(column.rule)) + (column.picked ? " *" : ""),
                             .unit = origin_name(*this, *column.outcome)});
  }
  for (Line& line : LineMaker(*this).make()) {
    table.rows.push_back({line.name.name, line.name.unit});
    table.rows.back().insert(table.rows.back().end(), line.cells.begin(), line.cells.end());
  }
  return report::text_table(table, 160) + "* is picked\n\n";
}

Result<void> OutcomeSheet::write_csv(const std::filesystem::path& path) const {
  const std::vector<Line> lines = LineMaker(*this).make();
  std::string csv = "rule,origin,picked";
  for (const Line& line : lines) {
    csv += fmt::format(",{}{}", line.name.name, line.name.unit.empty() ? "" : " [" + line.name.unit + "]");
  }
  csv += "\nbefore,,";
  for (const Line& line : lines) csv += "," + line.values[0];
  size_t k = 0;
  for (const Column& column : columns_of(*this)) {
    csv += fmt::format("\n{},\"{}\",{}", impact_rule_name(column.rule), origin_name(*this, *column.outcome),
                       column.picked ? 1 : 0);
    ++k;
    for (const Line& line : lines) csv += "," + line.values[k];
  }
  return write_text_file(path.string(), csv + "\n");
}

}  // namespace stiction::papers::rodriguez2010
