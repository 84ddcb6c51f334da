// Section 4 of anitescu1998: partly elastic impacts of several contacts at once.
//
// (27)-(28) restore e_n of each normal impulse of the compression, but none of its friction unless e_t says so. Where
// friction held a leaning rod through the compression, the restored normal impulse then works against nothing: energy
// grows. "Simple examples show" it, the paper says, and gives none: impacts_ladder.toml is one. The paper's safe choice
// v+ = (1 + e) vc - e v- never gains (stepping/impacts/impact.h).
#include <cmath>
#include <fstream>

#include <fmt/format.h>

#include "papers/anitescu1998/impacts_drift.h"
#include "stiction/report/svg/svg_plot.h"

namespace stiction::papers::anitescu1998 {

namespace {

constexpr std::string_view models[] = {"poisson", "newton", "safe"};

constexpr FindingMaker check_impacts{"anitescu1998", "impacts"};

// A scene run to its end under one model.
struct Ended {
  Simulation simulation;
  RunSummary summary;
  double energy_before = 0, energy_after = 0;

  Twist velocity(std::string_view body) {
    return simulation.kinematics().velocity[simulation.model().find_body(std::string(body))];
  }
};

Result<Ended> run_scene(std::string_view scene, std::string_view model, std::vector<std::string> overrides = {}) {
  overrides.push_back(fmt::format("method.anitescu-potra.impact=\"{}\"", model));
  auto opened = open_example(scene, overrides);
  if (!opened) return failure(opened.error());
  const auto energy = [](Simulation& simulation) {
    const Energies energies = simulation.energies();
    return energies.kinetic + energies.potential;
  };
  Ended ended{std::move(*opened), {}, 0, 0};
  ended.energy_before = energy(ended.simulation);
  ended.summary = run(ended.simulation);
  if (!ended.summary.ok)
    return failure({.what = ended.summary.failure, .remedy = "This is a defect: please report it."});
  ended.energy_after = energy(ended.simulation);
  return ended;
}

// A leaning rod hits floor and wall at once: energies under the three models.
Result<void> ladder(const Context& context) {
  std::string table = fmt::format("{:<10} {:>12} {:>12} {:>10} {:>16} {:>16}\n", "rod", "before [J]", "after [J]",
                                  "change", "energy_gain [J]", "impact_energy [J]");
  std::ofstream data(context.out / "impacts_rod.csv");
  data << "model,before,after,energy_gain,impact_energy\n";
  double worst_difference = 0;
  for (const std::string_view model : models) {
    auto ended = run_scene("anitescu1998/impacts_ladder.toml", model);
    if (!ended) return failure(ended.error());
    const certify::StepCertificate& c = ended->summary.certificate;
    const double before = ended->energy_before, after = ended->energy_after, change = after / before - 1;
    table += fmt::format("{:<10} {:12.8f} {:12.8f} {:9.3f}% {:16.8f} {:16.8f}\n", model, before, after, 100 * change,
                         c.energy_gain, c.impact_energy);
    data << fmt::format("{},{},{},{},{}\n", model, before, after, c.energy_gain, c.impact_energy);
    worst_difference = std::max({worst_difference, std::abs(c.impact_energy - (after - before)),
                                 std::abs(c.energy_gain - std::max(0.0, after - before))});
    if (model == "poisson") {
      context.report(check_impacts("Poisson: relative change of energy of a rod that hits floor and wall", "1", change,
                                   "not necessarily the right energy balance", change > 0.01 && c.energy_gain > 0,
                                   "a gain of more than 1 %, and the certificate's energy_gain says so"));
    }
    if (model == "safe") {
      context.report(check_impacts("safe choice: relative change of energy of the same rod", "1", change,
                                   "satisfies the energy balance", change < 0 && c.energy_gain < 1e-12,
                                   "a loss; energy_gain zero to rounding"));
    }
    if (model == "newton") {
      context.report(check_impacts("Newton: relative change of energy of the same rod", "1", change, {}, change < 0,
                                   "a loss here; no law forbids a gain elsewhere"));
    }
  }
  context.print_table(table);
  context.report(check_impacts("certificate against the energies before and after, largest difference", "J",
                               worst_difference, {}, worst_difference < 1e-12,
                               "energy_gain and impact_energy of the certificate; rounding"));
  return {};
}

// Three equal balls with e = 1, the second and third `gap` apart: velocities afterwards.
Result<void> cradle(const Context& context) {
  std::string table =
      fmt::format("{:<10} {:>8} {:>14} {:>14} {:>14} {:>8}\n", "cradle", "gap [m]", "v1", "v2", "v3 [m/s]", "impacts");
  double touching = 0, apart = 0;
  for (const std::string_view model : models) {
    for (const double gap : {0.0, 0.01}) {
      auto ended = run_scene("anitescu1998/impacts_cradle.toml", model,
                             {fmt::format("body.third.position=[{:.17g}, 0, 0]", 0.1 + gap)});
      if (!ended) return failure(ended.error());
      const Vector3 v(ended->velocity("first").linear.x(), ended->velocity("second").linear.x(),
                      ended->velocity("third").linear.x());
      const Vector3 exact = gap == 0 ? Vector3(-1.0 / 3, 2.0 / 3, 2.0 / 3) : Vector3(0, 0, 1);
      double& worst = gap == 0 ? touching : apart;
      worst = std::max(worst, (v - exact).lpNorm<Eigen::Infinity>());
      table += fmt::format("{:<10} {:8g} {:14.10f} {:14.10f} {:14.10f} {:>8}\n", model, gap, v[0], v[1], v[2],
                           ended->summary.certificate.impacts);
    }
  }
  context.print_table(table);
  context.report(check_impacts("cradle, touching: largest error over three models", "m/s", touching, {},
                               touching < 1e-9, "-1/3, 2/3, 2/3: both contacts at once, by momentum and e = 1"));
  context.report(check_impacts("cradle, with a gap: largest error over three models", "m/s", apart, {}, apart < 1e-9,
                               "0, 0, 1: one contact after the other"));
  return {};
}

// The contact point of a ball stops in the compression, u = vx - omega r = 0, and e_t of its impulse comes back:
//   vx+ = vx - 2/7 (1 + e_t) u,   omega+ = omega + 5/7 (1 + e_t) u / r.
Result<void> superball(const Context& context) {
  constexpr double vx = 0.5, omega = -20, r = 0.1, u = vx - omega * r;
  std::string table = fmt::format("{:<10} {:>5} {:>14} {:>14} {:>14} {:>14}\n", "superball", "e_t", "vx [m/s]", "exact",
                                  "w [rad/s]", "exact");
  double worst = 0;
  for (const std::string_view model : models) {
    for (const double e_t : {0.0, 0.5, 1.0}) {
      auto ended = run_scene("anitescu1998/impacts_superball.toml", model,
                             {fmt::format("material.rubber.tangential_restitution={}", e_t)});
      if (!ended) return failure(ended.error());
      // Newton's has no tangential part; the safe one has a single e, that of the normal, here 1.
      const double e = model == "newton" ? 0 : model == "safe" ? 1 : e_t;
      const double vx_exact = vx - 2.0 / 7 * (1 + e) * u, omega_exact = omega + 5.0 / 7 * (1 + e) * u / r;
      const Twist twist = ended->velocity("ball");
      worst = std::max({worst, std::abs(twist.linear.x() - vx_exact), r * std::abs(twist.angular.y() - omega_exact)});
      table += fmt::format("{:<10} {:5.2f} {:14.8f} {:14.8f} {:14.8f} {:14.8f}\n", model, e_t, twist.linear.x(),
                           vx_exact, twist.angular.y(), omega_exact);
    }
  }
  context.print_table(table);
  context.report(
      check_impacts("superball: largest error of vx and r omega", "m/s", worst, {}, worst < 2.5e-7,
                    "closed form; the ball is stopped 1e-8 m above the floor and the impulse acts half-way, so that "
                    "the arm is off by 5e-8 of r, times (1 + e_t) u = 5 m/s"));
  return {};
}

// The energy of a bouncing rod over time at one step length.
struct Bounces {
  std::vector<double> t, energy;
  double error = 0;  // largest |E - E0| / E0
  long impacts = 0;
};

Result<Bounces> bounce(double h) {
  auto opened = open_example("anitescu1998/impacts_bouncing.toml", {fmt::format("simulation.step={:.17g}", h)});
  if (!opened) return failure(opened.error());
  Simulation& simulation = *opened;
  Bounces bounces;
  const auto sample = [&] {
    const Energies energies = simulation.energies();
    bounces.t.push_back(simulation.state().time);
    bounces.energy.push_back(energies.kinetic + energies.potential);
    bounces.error = std::max(bounces.error, std::abs(bounces.energy.back() / bounces.energy.front() - 1));
  };
  sample();
  const RunSummary summary = run(simulation, [&](const StepOutcome&) { sample(); });
  if (!summary.ok) return failure({.what = summary.failure, .remedy = "This is a defect: please report it."});
  bounces.impacts = summary.certificate.impacts;
  return bounces;
}

Result<void> bouncing_rod(const Context& context) {
  std::string table = fmt::format("{:>10} {:>9} {:>18} {:>8}\n", "h [s]", "bounces", "max |E - E0|/E0", "order");
  report::Plot plot;
  plot.title = "A rod bounces without loss: energy";
  plot.x_label = "time [s]";
  plot.y_label = "energy [J]";
  std::ofstream data(context.out / "impacts_bouncing.csv");
  data << "h,t,energy\n";
  std::vector<double> steps, errors;
  for (int level = 0; level < 6; ++level) {
    const double h = 8e-3 / (1 << level);
    const auto bounces = bounce(h);
    if (!bounces) return failure(bounces.error());
    const std::string order = errors.empty() ? "-" : fmt::format("{:.3f}", std::log2(errors.back() / bounces->error));
    steps.push_back(h);
    errors.push_back(bounces->error);
    table += fmt::format("{:10.6f} {:>9} {:18.6e} {:>8}\n", h, bounces->impacts, bounces->error, order);
    if (level % 2 == 0) plot.series.push_back(report::line(fmt::format("h = {:g} s", h), bounces->t, bounces->energy));
    for (size_t k = 0; k < bounces->t.size(); ++k)
      data << fmt::format("{},{},{}\n", h, bounces->t[k], bounces->energy[k]);
  }
  context.print_table(table);
  const double order = observed_order(steps, errors);
  context.report(
      check_impacts("bouncing rod: observed order of the energy error", "1", order, {}, order > 0.9 && order < 1.1,
                    "one, that of the scheme: impacts lose nothing, and flight, which moves positions by the velocity "
                    "at the end of a step, m g^2 h t / 2"));
  // E0 = m g 0.6 m, so that the loss of flight over 3 s is g h 3 s / (2 0.6 m) of it.
  const double ratio = errors.back() / (9.81 * steps.back() * 3.0 / (2 * 0.6));
  context.report(check_impacts("bouncing rod: energy error over the loss of flight, m g^2 h t / 2", "1", ratio, {},
                               std::abs(ratio - 1) < 0.01, "what cut steps save is of higher order in h"));
  return report::write_svg(plot, context.out / "impacts_bouncing.svg");
}

}  // namespace

Result<void> impacts(const Context& context) {
  for (const auto part : {ladder, cradle, superball, bouncing_rod}) {
    if (auto done = part(context); !done) return done;
  }
  return {};
}

}  // namespace stiction::papers::anitescu1998
