// A rigid block rocks from edge to edge (G. W. Housner, Bull. Seismol. Soc. Am. 53, 1963). Symbols:
//
//     2b, 2h        width and height;  R = sqrt(b^2 + h^2);  tan alpha = b / h
//     theta'' = -p^2 sin(alpha - theta),   p^2 = 3 g / (4 R)      about an edge, theta > 0 the tilt over it
//     omega+ = r omega-,   r = 1 - 3/2 sin^2 alpha                impulse at the new edge only
//
// At such an impact the old edge touches and neither approaches nor leaves. Were it to take part with v_n+ = 0 by
// (4.11) the block would stop, which needs a pull there; opening, it gives Housner's impact. In a run rounding decides
// whether the old edge "approaches", so that the law is also asked on a problem where it is at rest exactly. All
// outcomes are listed. A squat block (r < 0) stops. The slender one's impacts follow each other ever faster without
// any restitution, accumulate at 2.786 s, and leave it at rest.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "papers/rodriguez2010/event_run.h"
#include "papers/rodriguez2010/free_bodies.h"
#include "papers/rodriguez2010/rodriguez2010.h"
#include "stiction/io/output_file.h"
#include "stiction/report/svg/svg_plot.h"

namespace stiction::papers::rodriguez2010 {

namespace {

constexpr FindingMaker check_rocking{"rodriguez2010", "rocking"};
constexpr double gravity = 9.81;
constexpr size_t compared = 20;      // impacts
constexpr double time_error = 1e-8;  // s: tolerance 1e-10 of the motion over some pieces
constexpr double ratio_error = 1e-8;
constexpr double gain_error = 1e-8;  // J of some J: tolerance of the motion
constexpr double slice = 1e-3;       // of a swing: what the Runge-Kutta method of order 4 takes a step

// A block of 1 kg, tilted by theta0.
struct Block {
  std::string name;
  double b, h, theta0, duration;

  double R() const { return std::hypot(b, h); }
  double alpha() const { return std::atan2(b, h); }
  double p2() const { return 3 * gravity / (4 * R()); }
  double r() const { return 1 - 1.5 * std::pow(std::sin(alpha()), 2); }
  double inertia() const { return R() * R() / 3; }
};

// Tilt over an edge and its rate.
struct Tilt {
  double theta, omega;
};

Tilt rate(const Block& block, const Tilt& at) {
  return {at.omega, -block.p2() * std::sin(block.alpha() - at.theta)};
}

Tilt runge_kutta(const Block& block, const Tilt& at, double s) {
  const auto moved = [&](const Tilt& k, double c) { return Tilt{at.theta + c * k.theta, at.omega + c * k.omega}; };
  const Tilt k1 = rate(block, at), k2 = rate(block, moved(k1, s / 2)), k3 = rate(block, moved(k2, s / 2)),
             k4 = rate(block, moved(k3, s));
  return {at.theta + s / 6 * (k1.theta + 2 * k2.theta + 2 * k3.theta + k4.theta),
          at.omega + s / 6 * (k1.omega + 2 * k2.omega + 2 * k3.omega + k4.omega)};
}

// Follows a swing until the block is upright again: time taken, and `at` there.
double swing(const Block& block, Tilt& at) {
  const double scale = at.omega > 0 ? 2 * at.omega / (block.p2() * std::sin(block.alpha())) : 1 / std::sqrt(block.p2());
  const double s = slice * scale;
  double time = 0;
  Tilt next = runge_kutta(block, at, s);
  while (next.theta > 0) {
    at = next;
    time += s;
    next = runge_kutta(block, at, s);
  }
  double last = s * at.theta / (at.theta - next.theta);
  for (int i = 0; i < 5; ++i) {
    next = runge_kutta(block, at, last);
    last -= next.theta / next.omega;
  }
  at = next;
  return time + last;
}

// When the first impacts are, by integration and Housner's ratio.
std::vector<double> exact_times(const Block& block, size_t count) {
  std::vector<double> times;
  Tilt at{block.theta0, 0};
  double time = 0;
  while (times.size() < count) {
    time += swing(block, at);
    times.push_back(time);
    at = {0, -block.r() * at.omega};
  }
  return times;
}

struct Rocking {
  EventRun run;
  std::vector<double> t, tilt, energy;  // of every step
};

Result<Rocking> simulate(const Block& block) {
  const double c = std::cos(block.theta0), s = std::sin(block.theta0);
  const std::string centre =
      fmt::format("[{:.17g}, 0, {:.17g}]", -block.b + block.b * c - block.h * s, block.b * s + block.h * c);
  std::vector<double> t, tilt, energy;
  const auto watch = [&](Simulation& simulation) {
    const Energies energies = simulation.energies();
    t.push_back(simulation.state().time);
    tilt.push_back(simulation.state().q[2] + block.theta0);
    energy.push_back(energies.kinetic + energies.potential);
  };
  auto run = run_events(
      "rodriguez2010/rocking.toml",
      {fmt::format("simulation.duration={}", block.duration), "body.block.position=" + centre,
       "joint.plane.position=" + centre, fmt::format("body.block.shape.size=[{}, 0.1, {}]", 2 * block.b, 2 * block.h),
       fmt::format("body.block.orientation=[{:.17g}, 0, {:.17g}, 0]", std::cos(block.theta0 / 2),
                   -std::sin(block.theta0 / 2))},
      watch);
  if (!run) return failure(run.error());
  return Rocking{std::move(*run), std::move(t), std::move(tilt), std::move(energy)};
}

// Spins after over the spin before: impacts are in coordinates in which the mass matrix is one.
double ratio(const EventImpact& impact, const ImpactOutcome& outcome) {
  return outcome.velocity[2] / impact.problem.velocity[2];
}

// Impacts of the run with all their outcomes.
struct ImpactLine {
  double time, omega, picked, nearest;  // s, rad/s before, ratios: taken, and nearest to Housner's
  std::string others;
  double loss;  // J, largest change of energy of an outcome
};

std::vector<ImpactLine> list_impacts(const Block& block, const EventRun& run) {
  std::vector<ImpactLine> lines;
  int last = -1;
  for (const Event& event : run.events) {
    if (event.kind != EventKind::impact || event.impact == last) continue;
    last = event.impact;
    const EventImpact& impact = run.impacts[last];
    if (impact.by_step) continue;
    const auto& outcomes = impact.result.outcomes;
    ImpactLine line{event.time,
                    impact.problem.velocity[2] / std::sqrt(block.inertia()),
                    ratio(impact, outcomes[impact.result.picked]),
                    infinity,
                    "",
                    -infinity};
    for (const ImpactOutcome& outcome : outcomes) {
      const double own = ratio(impact, outcome);
      if (std::abs(own - block.r()) < std::abs(line.nearest - block.r())) line.nearest = own;
      line.loss = std::max(line.loss, outcome.energy_change);
      line.others += fmt::format(" {:.6f}", own);
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

// The same impact written down by hand, in the plane, with the old edge at rest.
ImpactProblem edge_problem(const Block& block, double omega) {
  ImpactProblem problem;
  add_body(problem, 1, Vector3::Constant(block.inertia()), Vector3(-block.h * omega, block.b * omega, omega));
  for (const double side : {-1, 1}) {
    add_touch(problem, 2, {.b = 0, .arm_b = {side * block.b, -block.h, 0}, .normal = Vector3::UnitY()}, {0, 2, 2});
  }
  return problem;
}

// Coulomb's rule lets the old edge open. The published one, without cones, sets v_n+ = 0 there by a pull, which it
// flags.
void check_by_hand(const Context& context, const Block& block) {
  for (const ImpactRule rule : {ImpactRule::published, ImpactRule::coulomb}) {
    const ImpactResult result = solve_simultaneous_impact(edge_problem(block, -1), {.rule = rule});
    const bool published = rule == ImpactRule::published;
    std::string list = published ? "stops by a pull, flagged; " : "Housner's; ";
    list += "ratios (violations) of all outcomes:";
    for (const ImpactOutcome& outcome : result.outcomes) {
      list += fmt::format(" {:.6f} ({})", -outcome.velocity[2], outcome.violations());
    }
    const ImpactOutcome& picked = result.outcomes[result.picked];
    const double wanted = published ? 0 : block.r(), off = std::abs(-picked.velocity[2] - wanted);
    context.report(
        check_rocking(fmt::format("{}: ratio, old edge at rest exactly, {}", block.name, impact_rule_name(rule)), "1",
                      -picked.velocity[2], {}, off < ratio_error && (picked.violations() > 0) == published, list));
  }
}

double largest_gain(const std::vector<double>& energy) {
  double gain = -infinity;
  for (size_t k = 1; k < energy.size(); ++k) gain = std::max(gain, energy[k] - energy[k - 1]);
  return gain;
}

void print_impacts(const Context& context, const Block& block, const std::vector<ImpactLine>& lines) {
  std::string table = fmt::format("\n{}, Housner's ratio {:.9f}\n{:>6} {:>16} {:>16} {:>12} {}\n", block.name,
                                  block.r(), "impact", "time [s]", "before [rad/s]", "ratio", "  all outcomes");
  for (size_t k = 0; k < std::min(lines.size(), compared); ++k) {
    table += fmt::format("{:>6} {:16.12f} {:16.9f} {:12.9f}  {}\n", k + 1, lines[k].time, lines[k].omega,
                         lines[k].picked, lines[k].others);
  }
  context.print_table(table);
}

void check_energy(const Context& context, const Block& block, const Rocking& rocking,
                  const std::vector<ImpactLine>& lines) {
  double loss = -infinity;
  for (const ImpactLine& line : lines) loss = std::max(loss, line.loss);
  context.report(check_rocking(block.name + ": largest change of energy of any outcome", "J", loss, {}, loss <= 0,
                               fmt::format("{} impacts; none gains", lines.size())));
  const double gain = largest_gain(rocking.energy);
  context.report(check_rocking(block.name + ": largest gain of energy from step to step", "J", gain, {},
                               gain < gain_error, "impacts lose; in between the tolerance of the motion"));
}

void check_end(const Context& context, const Block& block, Rocking& rocking) {
  const double tilt = std::abs(rocking.tilt.back()), spin = rocking.run.velocity("block").angular.norm();
  context.report(check_rocking(block.name + ": tilt at the end", "rad", tilt, {}, tilt < 1e-9, "flat"));
  context.report(check_rocking(block.name + ": spin at the end", "rad/s", spin, {}, spin < 1e-9,
                               fmt::format("rest, at {} s", block.duration)));
}

void check_slender(const Context& context, const Block& block, Rocking& rocking) {
  const std::vector<ImpactLine> lines = list_impacts(block, rocking.run);
  print_impacts(context, block, lines);
  const std::vector<double> exact = exact_times(block, compared);
  const size_t count = std::min(lines.size(), compared);
  double late = 0, off = 0, nearest = 0;
  for (size_t k = 0; k < count; ++k) {
    late = std::max(late, std::abs(lines[k].time - exact[k]));
    off = std::max(off, std::abs(lines[k].picked - block.r()));
    nearest = std::max(nearest, std::abs(lines[k].nearest - block.r()));
  }
  context.report(check_rocking(block.name + ": impacts", "1", static_cast<double>(lines.size()), {},
                               lines.size() >= compared, fmt::format("at least {}", compared)));
  context.report(check_rocking(
      block.name + ": error of the first 20 impact times", "s", late, {}, count == compared && late < time_error,
      "rocking about an edge by a Runge-Kutta method of its own, Housner's ratio at impacts; 1e-8 s"));
  context.report(check_rocking(block.name + ": Housner's ratio against the nearest outcome", "1", nearest, {},
                               nearest < ratio_error,
                               fmt::format("1 - 3/2 sin^2 alpha = {:.9f} is among them", block.r())));
  context.report(check_rocking(block.name + ": Housner's ratio against the outcome taken", "1", off, {},
                               off < ratio_error, "the old edge opens: of the lawful outcomes this one is picked"));
  check_energy(context, block, rocking, lines);
  check_by_hand(context, block);
  check_end(context, block, rocking);
}

void check_squat(const Context& context, const Block& block, Rocking& rocking) {
  const std::vector<ImpactLine> lines = list_impacts(block, rocking.run);
  print_impacts(context, block, lines);
  const double late = lines.front().time - exact_times(block, 1).front();
  context.report(check_rocking(block.name + ": error of the impact time", "s", late, {}, std::abs(late) < time_error,
                               "Runge-Kutta, 1e-8 s"));
  context.report(check_rocking(block.name + ": ratio at the first impact", "1", lines.front().picked, {},
                               std::abs(lines.front().picked) < ratio_error,
                               fmt::format("stops: Housner's would be {:.6f}, through the ground", block.r())));
  check_energy(context, block, rocking, lines);
  check_end(context, block, rocking);
}

Result<void> draw(const Context& context, const std::vector<Block>& blocks, const std::vector<Rocking>& all) {
  report::Plot tilt = make_panel("Rocking blocks", "time [s]", "tilt [rad]");
  report::Plot energy = make_panel("Their energies", "time [s]", "energy over that at rest [J]");
  std::string csv = "block,time [s],tilt [rad],energy [J]\n";
  for (size_t i = 0; i < blocks.size(); ++i) {
    std::vector<double> over;
    for (size_t k = 0; k < all[i].t.size(); ++k) {
      over.push_back(all[i].energy[k] - gravity * blocks[i].h);
      csv += fmt::format("\"{}\",{:.17g},{:.17g},{:.17g}\n", blocks[i].name, all[i].t[k], all[i].tilt[k],
                         all[i].energy[k]);
    }
    tilt.series.push_back(report::line(blocks[i].name, all[i].t, all[i].tilt));
    energy.series.push_back(report::line(blocks[i].name, all[i].t, over));
  }
  const std::vector<report::Plot> panels = {tilt, energy};
  if (auto done = write_text_file((context.out / "rocking.csv").string(), csv); !done) return done;
  return report::write_svg(panels, context.out / "rocking.svg");
}

}  // namespace

Result<void> rocking(const Context& context) {
  const std::vector<Block> blocks = {{"slender block", 0.1, 0.3, 0.2, 3.0}, {"squat block", 0.3, 0.1, 0.2, 1}};
  std::vector<Rocking> all;
  for (const Block& block : blocks) {
    auto run = simulate(block);
    if (!run) return failure(run.error());
    block.r() > 0 ? check_slender(context, block, *run) : check_squat(context, block, *run);
    all.push_back(std::move(*run));
  }
  return draw(context, blocks, all);
}

}  // namespace stiction::papers::rodriguez2010
