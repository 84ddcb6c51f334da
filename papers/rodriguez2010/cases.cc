// Chapter 5: the ball in the corner. The paper states starts, angles and how each case ends, in words; here are the
// numbers, under its rule as printed and under Coulomb's law.
#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "papers/rodriguez2010/corner_figures.h"
#include "papers/rodriguez2010/outcome_sheet.h"
#include "papers/rodriguez2010/rodriguez2010.h"
#include "papers/rodriguez2010/slip_states.h"
#include "stiction/events/impacts/impact_outcome.h"

namespace stiction::papers::rodriguez2010 {

namespace {

constexpr double rounding = 1e-9;    // speeds of 10 m/s, systems of four rows
constexpr double of_optimum = 1e-7;  // what comes from an optimum

// What the paper says of an outcome: figures 5.number on.
struct Statement {
  CornerContact examined;  // the other one's velocity is constrained
  int sign;                // of the spin
  ImpactState state;       // of the examined contact
  int number;
  const char* label;  // in titles and quantities
};

const char* name_of(CornerContact contact) {
  return contact == ground ? "ground" : "wall";
}

class CaseStudy {
 public:
  CaseStudy(const CornerCase& start, const Context& context)
      : start_(start), context_(context), check_{"rodriguez2010", start.example}, impact_(meet_corner(start)) {
    sheet_ = make_sheet(impact_.problem,
                        {{{"centre v_x", "m/s"}, {"centre v_y", "m/s"}, {"spin", "rad/s"}}, {"ground", "wall"}});
    sheet_.potential_energy = potential_energy(impact_.place());
  }

  Result<void> run(std::span<const Statement> statements) {
    context_.print_table(
        fmt::format("impact at {:.9f} s with the ground and a wall at {:.9f} m\n\n", impact_.time, impact_.wall_at) +
        sheet_.text());
    check_flight();
    check_angle();
    for (const Statement& statement : statements) {
      if (auto done = check_published(statement); !done) return done;
    }
    check_law();
    check_coulomb();
    return sheet_.write_csv(context_.out / fmt::format("{}.csv", start_.example));
  }

 private:
  void report(std::string quantity, std::string unit, double value, decltype(Finding::published) published, bool ok,
              std::string note) {
    context_.report(check_(std::move(quantity), std::move(unit), value, std::move(published), ok, std::move(note)));
  }
  void report_fault(std::string quantity, std::string unit, double value, decltype(Finding::published) published,
                    std::string note) {
    Finding finding = check_(std::move(quantity), std::move(unit), value, std::move(published), false, std::move(note));
    finding.papers_own_fault = true;
    context_.report(finding);
  }

  void check_flight() {
    const double fall = std::sqrt(2 * (start_.Q2 - R) / g);
    report("time of impact", "s", impact_.time, {}, std::abs(impact_.time - fall) < rounding,
           fmt::format("sqrt(2 (Q_2 - R) / g), R = {} m", R));
    report("place of the wall", "m", impact_.wall_at, {},
           std::abs(impact_.wall_at - R - start_.Q1_dot * fall) < rounding,
           "not stated: where the ball meets it as it lands");
    const double gain = kinetic_energy(impact_.problem.velocity) + potential_energy(impact_.place()) -
                        kinetic_energy(impact_.before.rate) - potential_energy(impact_.before.start);
    report("change of total energy in flight", "J", gain, {}, std::abs(gain) < rounding * 100, "1e-9 of 100 J");
  }

  void check_angle() {
    const VectorX& v = impact_.problem.velocity;
    const double degrees = std::atan2(-v[1], v[0]) * 180 / std::numbers::pi;
    const double fall = std::pow(start_.Q1_dot * std::tan(start_.degrees * std::numbers::pi / 180), 2) / (2 * g);
    if (std::abs(degrees - start_.degrees) < 4) {
      report("angle of impact", "deg", degrees, start_.degrees, true, "stated as approximate: within 4 degrees");
    } else {
      report_fault(
          "angle of impact", "deg", degrees, start_.degrees,
          fmt::format("the stated start falls {:.2f} m; {} degrees would need {:.2f} m, a ball of radius {:.2f} m",
                      start_.Q2 - R, start_.degrees, fall, start_.Q2 - fall));
    }
  }

  // The published outcome that examines a contact.
  const ImpactOutcome* published(CornerContact examined) const {
    for (const ImpactOutcome& outcome : sheet_.published.result.outcomes) {
      if (outcome.examined == std::vector<int>{examined}) return &outcome;
    }
    return nullptr;
  }

  Result<void> check_published(const Statement& statement) {
    const ImpactOutcome* outcome = published(statement.examined);
    if (outcome == nullptr) {
      return failure({.what = "no outcome examines the stated contact", .remedy = "Report this as a defect."});
    }
    check_motion(statement, *outcome);
    check_friction(statement, *outcome);
    return draw_outcome(impact_, *outcome,
                        {.title = fmt::format("Case {}{}", start_.example.back(), statement.label),
                         .number = statement.number,
                         .examined = statement.examined},
                        context_.out);
  }

  // "spin after impact, ground constrained"
  static std::string labelled(const char* quantity, const Statement& statement) {
    return std::string(quantity) + statement.label;
  }

  void check_motion(const Statement& statement, const ImpactOutcome& outcome) {
    const char* contact = name_of(statement.examined);
    const double spin = outcome.velocity[2], slip = outcome.contact_velocity[2 * statement.examined + 1];
    report(labelled("spin after impact", statement), "rad/s", spin,
           statement.sign < 0 ? std::string("negative") : std::string("positive"), spin * statement.sign > 0,
           fmt::format("rule = \"published\", {} examined", contact));
    const bool sticks = statement.state == ImpactState::stick;
    report(labelled(sticks ? "slip where it sticks" : "slip where it slips", statement), "m/s", slip,
           fmt::format("the {} contact point {}", contact, sticks ? "sticks" : "slips"),
           outcome.state[statement.examined] == statement.state && (std::abs(slip) < of_optimum) == sticks,
           sticks ? "tangential velocity after the impact" : "p_n = 0 there, to which the optimum is clamped");
    const Vector3 rebound = velocity_for_slip(impact_.problem, statement.examined, slip);
    report(labelled("centre velocity against -e times that before", statement), "m/s",
           (outcome.velocity - rebound).head<2>().norm(), {}, (outcome.velocity - rebound).norm() < of_optimum,
           fmt::format("({:.6f}, {:.6f}) m/s, and the spin is that of the slip", rebound.x(), rebound.y()));
    report(labelled("change of energy", statement), "J", outcome.energy_change, "no energy gains",
           outcome.energy_change < 0 && !outcome.gains_energy,
           fmt::format("of {:.4f} J kinetic", kinetic_energy(impact_.problem.velocity)));
  }

  void check_friction(const Statement& statement, const ImpactOutcome& outcome) {
    const int row = 2 * statement.examined;
    const double p_n = outcome.impulse[row], p_t = std::abs(outcome.impulse[row + 1]);
    const double at_rest =
        shortest_impulse(impact_.problem, velocity_for_slip(impact_.problem, statement.examined, 0))[row];
    const bool sticks = statement.state == ImpactState::stick;
    report(labelled("normal impulse if it stuck", statement), "N s", at_rest,
           sticks ? std::string("v_t = 0 lies in the feasible region")
                  : std::string("v_t = 0 lies in the infeasible region"),
           (at_rest >= 0) == sticks, fmt::format("at the {}, (4.19)", name_of(statement.examined)));
    report_fault(labelled("|p_t| beyond mu_s p_n", statement), "N s", p_t - mu_s * p_n, 0.0,
                 fmt::format("at the {}: p_n = {:.4f}, |p_t| = {:.4f}; (4.18) as printed is the reverse of (4.13)",
                             name_of(statement.examined), p_n, p_t));
  }

  void check_law() {
    double worst = 0;
    for (const ImpactOutcome& outcome : sheet_.published.result.outcomes) {
      const Vector4 p = shortest_impulse(impact_.problem, outcome.velocity);
      worst = std::max(worst, (outcome.impulse - p).norm() / p.norm());
    }
    report("impulses against pinv(J^T) A (change of velocity)", "1", worst, {}, worst < of_optimum,
           "relative, worst of all published outcomes: (4.9) is the shortest p whichever velocity is constrained");
    const double left = stribeck_friction(impact_.problem.contacts[0], mu_d, 1e-3) - mu_d;
    report("friction at 1 mm/s above mu_min", "1", left, 0.0, left < 1e-3 * (mu_s - mu_d),
           "(4.22), stated as approximate: below a thousandth of mu_s - mu_d");
  }

  void check_coulomb() {
    const ImpactResult& result = sheet_.coulomb.result;
    int violations = 0, lawful = 0;
    double most = -1e300;
    for (const ImpactOutcome& outcome : result.outcomes) {
      violations += outcome.violations();
      lawful += outcome.obeys_coulomb ? 1 : 0;
      most = std::max(most, outcome.energy_change);
    }
    report("coulomb: outcomes", "1", static_cast<double>(result.outcomes.size()), {}, !result.outcomes.empty(),
           fmt::format("{} obey the whole of (4.13)", lawful));
    check_enumeration();
    report("coulomb: violations of energy, cone and ground", "1", violations, {}, violations == 0, "of all outcomes");
    report("coulomb: greatest change of energy", "J", most, {}, most <= 0, "of all outcomes");
    const ImpactOutcome& picked = result.outcomes[result.picked];
    report("coulomb: spin after impact", "rad/s", picked.velocity[2], {}, picked.obeys_coulomb,
           fmt::format("the picked one, {}: ground {}, wall {}", origin_name(sheet_, picked),
                       state_name(picked.state[ground]), state_name(picked.state[wall])));
  }

  // Our lawful outcomes are those found by trying all slip states, and no others.
  void check_enumeration() {
    const std::vector<LawfulOutcome> all = enumerate_slip_states(impact_.problem);
    const auto returned = [&](const LawfulOutcome& one) {
      return std::any_of(
          sheet_.coulomb.result.outcomes.begin(), sheet_.coulomb.result.outcomes.end(), [&](const ImpactOutcome& ours) {
            return ours.obeys_coulomb && (ours.velocity - one.velocity).norm() < 1e-6 * one.velocity.norm();
          });
    };
    long lawful = 0, common = std::count_if(all.begin(), all.end(), returned);
    for (const ImpactOutcome& outcome : sheet_.coulomb.result.outcomes) lawful += outcome.obeys_coulomb ? 1 : 0;
    std::string list = "spin [rad/s] (ground, wall), + and - for slip:";
    for (const LawfulOutcome& one : all) {
      constexpr const char* names[] = {"-", "stick", "+"};
      list += fmt::format(" {:.4f} ({}, {}){}", one.velocity[2], names[one.slip[0] + 1], names[one.slip[1] + 1],
                          returned(one) ? "" : " not returned");
    }
    report("coulomb: outcomes by trying all slip states", "1", static_cast<double>(all.size()), {},
           lawful == common && common == static_cast<long>(all.size()), list);
  }

  CornerCase start_;
  const Context& context_;
  FindingMaker check_;
  CornerImpact impact_;
  OutcomeSheet sheet_;
};

}  // namespace

Result<void> case_1(const Context& context) {
  const Statement steep[] = {{wall, -1, ImpactState::slip, 1, ""}};
  return CaseStudy(corner_cases[0], context).run(steep);
}

Result<void> case_2(const Context& context) {
  const Statement flat[] = {{ground, 1, ImpactState::stick, 4, ""}};
  return CaseStudy(corner_cases[1], context).run(flat);
}

Result<void> case_3(const Context& context) {
  const Statement both[] = {{wall, -1, ImpactState::stick, 7, ", ground constrained"},
                            {ground, 1, ImpactState::stick, 10, ", wall constrained"}};
  return CaseStudy(corner_cases[2], context).run(both);
}

}  // namespace stiction::papers::rodriguez2010
