// Example 1 of chakraborty2007: a disc falls on an elastic layer. Experiment 1 (0.05 m) reaches the core under it,
// experiment 2 (1 m) does not; disc_motion.h has the exact motion. What the scheme itself says, for any h:
//
//   contact without core   E = m v^2 / 2 + k (z - z_eq)^2 / 2 is multiplied by 1 / (1 + k h^2 / m) a step
//   flight                 m g^2 h^2 / 2 is lost per step
//   core                   the first step with it ends on the core, the second one stops the disc: compare sums
#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>

#include <fmt/format.h>

#include "papers/chakraborty2007/chakraborty2007.h"
#include "papers/chakraborty2007/disc_motion.h"
#include "papers/chakraborty2007/layered_run.h"

namespace stiction::papers::chakraborty2007 {

namespace {

using Motion = DiscMotion;

constexpr FindingMaker check_disc{"chakraborty2007", "disc"};
constexpr double step = 1e-4, duration = 2;
constexpr std::array<double, 2> thicknesses = {0.05, 1.0};

std::string of_experiment(int experiment, std::string_view what) {
  return fmt::format("experiment {}: {}", experiment, what);
}

Result<LayeredRun> run_disc(int experiment, double h, double seconds) {
  return simulate("chakraborty2007/disc.toml",
                  {fmt::format("simulation.step={:.17g}", h), fmt::format("simulation.duration={}", seconds),
                   fmt::format("material.layer.layer_thickness={}", thicknesses[experiment - 1])},
                  "disc");
}

// What happens first, by sample or between samples.
struct Landmarks {
  double closed = 0;                    // first end of a step in contact
  double touch = 0, leave = 0;          // z = r on the way down and up, linear between samples
  double apex_time = 0, apex = 0;       // after the first contact
  size_t core_begin = 0, core_end = 0;  // samples with a core force: [begin, end); equal: none
};

double crossing(const Sample& a, const Sample& b) {
  return a.t + (b.t - a.t) * (Motion::r - a.position.z()) / (b.position.z() - a.position.z());
}

Landmarks find_landmarks(const LayeredRun& run) {
  const std::vector<Sample>& s = run.samples;
  Landmarks found;
  size_t i = 1;
  while (i < s.size() && !s[i].closed) ++i;
  found.closed = s[i].t;
  found.touch = crossing(s[i - 1], s[i]);
  while (i < s.size() && s[i].closed) {
    if (s[i].core > 0 && found.core_begin == 0) found.core_begin = i;
    if (s[i].core > 0) found.core_end = i + 1;
    ++i;
  }
  found.leave = crossing(s[i - 1], s[i]);
  while (i + 1 < s.size() && s[i + 1].position.z() > s[i].position.z()) ++i;
  found.apex_time = s[i].t;
  found.apex = s[i].position.z();
  return found;
}

// E of the scheme's first identity: the spring goes on beyond its free length.
double swing_energy(const Sample& s) {
  const double v = s.velocity.z(), y = s.position.z() - (Motion::r - Motion::m * Motion::g / Motion::k);
  return 0.5 * Motion::m * v * v + 0.5 * Motion::k * y * y;
}

// Largest deviations from the scheme's identities, and what smooth steps lose.
struct Losses {
  double contact_deviation = 0, flight_deviation = 0;
  double largest = 0, sum = 0, contact_sum = 0;
  long steps = 0, contact_steps = 0;
};

Losses measure_losses(const LayeredRun& run, size_t from) {
  const double h = run.h, factor = 1 + Motion::k * h * h / Motion::m;
  const double flight_loss = 0.5 * Motion::m * Motion::g * Motion::g * h * h;
  Losses losses;
  for (size_t i = from + 1; i < run.samples.size(); ++i) {
    const Sample &a = run.samples[i - 1], &b = run.samples[i];
    if (b.core > 0) continue;
    const double loss = a.energy() - b.energy();
    losses.largest = std::max(losses.largest, loss);
    losses.sum += loss, ++losses.steps;
    if (b.closed) {
      losses.contact_sum += loss, ++losses.contact_steps;
      losses.contact_deviation =
          std::max(losses.contact_deviation, std::abs(swing_energy(b) * factor / swing_energy(a) - 1));
    } else if (!a.closed) {
      losses.flight_deviation = std::max(losses.flight_deviation, std::abs(loss - flight_loss));
    }
  }
  return losses;
}

void report_times(const Context& context, int experiment, const LayeredRun& run, const Landmarks& found,
                  const Motion& exact) {
  context.report(
      check_disc(of_experiment(experiment, "first step that ends in contact"), "s", found.closed, {},
                 std::abs(found.closed - exact.touch()) < run.h,
                 fmt::format("exact: sqrt(2 (1.5 - 1) / g) = {:.6f} s, within h: end-of-step velocities fall h/2 "
                             "ahead, whole steps are up to h late",
                             exact.touch())));
  const double leave_error = found.leave - exact.leave();
  context.report(
      check_disc(of_experiment(experiment, "the disc leaves the plane again"), "s", found.leave,
                 "the motion of the disc becomes oscillatory", std::abs(leave_error) < 2.5 * run.h,
                 fmt::format("exact: {:.6f} s, within 2.5 h: half a step at each of touch, core and leaving, "
                             "and as much for the damping of the scheme",
                             exact.leave())));
  // To first order: contact loses E k h / m per second, flight m g^2 h / 2 per second, leaving at most k (v h)^2 / 2.
  const double E = Motion::m * Motion::g * (exact.apex() - (Motion::r - 0.5 * Motion::m * Motion::g / Motion::k));
  const double rise = exact.apex_time() - exact.leave();
  const double lost =
      run.h * (E * Motion::k / Motion::m * exact.contact_time() + 0.5 * Motion::m * Motion::g * Motion::g * rise);
  const double error = exact.apex() - found.apex;
  context.report(
      check_disc(of_experiment(experiment, "height of the next apex"), "m", found.apex, {},
                 error > 0 && error < 1.25 * lost / (Motion::m * Motion::g),
                 fmt::format("exact: {:.6f} m; below it by {:.3g} m, at most 1.25 times the first-order loss of "
                             "the scheme, {:.3g} m",
                             exact.apex(), error, lost / (Motion::m * Motion::g))));
}

void report_core(const Context& context, const LayeredRun& run, const Landmarks& found, const Motion& exact) {
  const Sample& before = run.samples[found.core_begin - 1];
  const Sample& first = run.samples[found.core_begin];
  const Sample& after = run.samples[found.core_end - 1];
  const double steps = static_cast<double>(found.core_end - found.core_begin), h = run.h;
  double core = 0, spring = 0;
  for (size_t i = found.core_begin; i < found.core_end; ++i) {
    core += h * run.samples[i].core;
    spring += h * run.samples[i].spring;
  }
  context.report(check_disc("experiment 1: first step with a core impulse ends at", "s", first.t,
                            "approximately 0.34 seconds", std::abs(first.t - exact.core()) < 2 * h,
                            fmt::format("exact: {:.6f} s, which is 0.34 to two digits; within 2 h", exact.core())));
  context.report(check_disc("experiment 1: steps with a core impulse", "1", steps, {}, steps == 1 || steps == 2,
                            "one that ends on the core and one that stops the disc there"));
  context.report(check_disc("experiment 1: velocity right after the core", "m/s", after.velocity.z(),
                            "an instantaneous change in velocity to zero", std::abs(after.velocity.z()) < 1e-9,
                            "zero to 1e-9 at the end of the last step with a core impulse"));
  const double balance = Motion::m * (after.velocity.z() - before.velocity.z()) + steps * Motion::m * Motion::g * h;
  context.report(check_disc("experiment 1: core impulse, defect of momentum", "N s", core + spring - balance, {},
                            std::abs(core + spring - balance) < 1e-9,
                            "sums over the steps with core: core + spring = m (change of v) + m g h; to 1e-9"));
  const double expected = Motion::m * exact.speed_at_core();
  const double tolerance = 2 * h * (Motion::k * 0.05 + Motion::m * Motion::g);
  context.report(
      check_disc("experiment 1: sum of the core impulse", "N s", core, "a large non-penetration impulse",
                 std::abs(core - expected) < tolerance,
                 fmt::format("exact: m v = {:.6f} N s before the impact; within 2 h (k 0.05 m + m g) = {:.2g}, what "
                             "spring and weight give in the two steps",
                             expected, tolerance)));
  double later = 0;
  for (size_t i = found.core_end; i < run.samples.size(); ++i) later = std::max(later, run.samples[i].core);
  context.report(check_disc("experiment 1: core force at any later time", "N", later, {}, later == 0,
                            "the bounce starts from rest on the core and loses a little: it never gets there again"));
}

void report_identities(const Context& context, int experiment, const LayeredRun& run) {
  const Losses losses = measure_losses(run, 0);
  context.report(check_disc(of_experiment(experiment, "E (1 + k h^2/m) / E before - 1, largest over contact steps"),
                            "1", losses.contact_deviation, {}, losses.contact_deviation < 1e-9,
                            "identity of the scheme; 1e-9, k h^2/m being 1e-5"));
  context.report(check_disc(of_experiment(experiment, "loss per step less m g^2 h^2 / 2, largest over flight"), "J",
                            losses.flight_deviation, {}, losses.flight_deviation < 1e-13,
                            "identity of the scheme: 4.8e-7 J, to some units of rounding of 15 J"));
}

void report_losses(const Context& context, int experiment, const LayeredRun& run, size_t from) {
  const Losses losses = measure_losses(run, from);
  const auto order_of = [](double value) { return value > 1e-6 && value < 1e-4; };
  const std::string when = experiment == 1 ? " after the core" : "";
  const double mean = losses.contact_sum / static_cast<double>(losses.contact_steps);
  context.report(check_disc(of_experiment(experiment, "largest loss of energy of a step" + when), "J", losses.largest,
                            "on the order of 1e-5 J per step", order_of(losses.largest),
                            "within a factor of ten of 1e-5; the scheme gives E k h^2 / m = 1e-5 E"));
  context.report(check_disc(of_experiment(experiment, "mean loss of energy of a step in contact" + when), "J", mean,
                            "on the order of 1e-5 J per step", order_of(mean), "within a factor of ten of 1e-5"));
  context.report(check_disc(of_experiment(experiment, "mean loss of energy of a step" + when), "J",
                            losses.sum / static_cast<double>(losses.steps), {}, losses.sum > 0,
                            "flight loses 4.8e-7 J per step, and most steps are flight"));
}

void report_no_core(const Context& context, const LayeredRun& run) {
  double core = 0, deepest = 0;
  for (const Sample& sample : run.samples) {
    core = std::max(core, std::abs(sample.core));
    deepest = std::max(deepest, sample.deflection[0]);
  }
  context.report(check_disc("experiment 2: core force at any time", "N", core,
                            "no component of the normal force comes from impact with the rigid core", core == 0,
                            "exactly zero"));
  const double d = Motion::m * Motion::g / Motion::k;
  const double exact = d + std::sqrt(d * d + 2 * d * 0.5);
  context.report(check_disc(
      "experiment 2: largest deflection", "m", deepest, {}, deepest < exact && deepest > (1 - 3.3e-3) * exact,
      fmt::format("exact: d + sqrt(d^2 + 2 d 0.5) = {:.6f} m, d = m g / k; at most 0.33 % less: half of "
                  "k h / m times the 0.053 s of going down is 0.26 %",
                  exact)));
}

Result<void> plot_disc(const Context& context, int experiment, const LayeredRun& run, const Motion& exact) {
  using report::dashed_line, report::line, report::step_line;
  const std::vector<double> t = run.times();
  const auto of = [&](auto quantity) { return run.all(quantity); };
  const auto core = time_panel("Non-penetration force", "force [N]",
                               {step_line("core", t, of([](const Sample& s) { return s.core; }))});
  const auto spring =
      time_panel("Spring force", "force [N]", {step_line("layer", t, of([](const Sample& s) { return s.spring; }))});
  const auto position = time_panel("Position of the disc's center", "height [m]",
                                   {line("z", t, of([](const Sample& s) { return s.position.z(); })),
                                    dashed_line("exact", t, of([&](const Sample& s) { return exact.at(s.t).z; }))});
  const auto velocity = time_panel("Velocity of the disc", "velocity [m/s]",
                                   {line("v_z", t, of([](const Sample& s) { return s.velocity.z(); })),
                                    dashed_line("exact", t, of([&](const Sample& s) { return exact.at(s.t).v; }))});
  const auto energy = time_panel("Energy", "energy [J]",
                                 {line("total", t, of([](const Sample& s) { return s.energy(); })),
                                  line("kinetic", t, of([](const Sample& s) { return s.kinetic; })),
                                  line("potential", t, of([](const Sample& s) { return s.potential; })),
                                  line("in the layer", t, of([](const Sample& s) { return s.stored; }))});
  // Figure 5 has its energy in front.
  const std::vector<report::Plot> panels = experiment == 1 ? std::vector{core, spring, position, velocity, energy}
                                                           : std::vector{energy, spring, position, velocity};
  return write_panels(context, experiment == 1 ? "figure4" : "figure5", panels);
}

Result<void> run_experiment(const Context& context, int experiment) {
  const auto run = run_disc(experiment, step, duration);
  if (!run) return failure(run.error());
  const Motion exact(thicknesses[experiment - 1], duration);
  const Landmarks found = find_landmarks(*run);
  report_times(context, experiment, *run, found, exact);
  if (experiment == 1)
    report_core(context, *run, found, exact);
  else
    report_no_core(context, *run);
  report_identities(context, experiment, *run);
  report_losses(context, experiment, *run, found.core_end == 0 ? 0 : found.core_end - 1);
  context.report(check_disc(of_experiment(experiment, "worst certificate of a step"), "1", run->worst_certificate, {},
                            run->worst_certificate < 1e-8 && run->cut_steps == 0, "below 1e-8, and no step was cut"));
  if (auto written = run->write(context.out / fmt::format("disc_experiment{}.csv", experiment)); !written)
    return written;
  return plot_disc(context, experiment, *run, exact);
}

// Errors against the exact motion as h falls; the run ends in the flight after the first contact.
Result<void> refine(const Context& context, int experiment) {
  constexpr double seconds = 0.56;
  const Motion exact(thicknesses[experiment - 1], seconds);
  const std::array<double, 4> h = {8e-4, 4e-4, 2e-4, 1e-4};
  const std::array<const char*, 3> names = {"touch [s]", "leaving [s]", "position [m]"};
  std::array<std::array<double, 4>, 3> errors = {};
  std::string table = fmt::format("experiment {}: errors against the exact motion\n{:>10} {:>14} {:>14} {:>14}\n",
                                  experiment, "h [s]", names[0], names[1], names[2]);
  std::ofstream data(context.out / fmt::format("disc_orders{}.csv", experiment));
  data << "h,touch,leaving,position\n";
  for (size_t i = 0; i < h.size(); ++i) {
    const auto run = run_disc(experiment, h[i], seconds);
    if (!run) return failure(run.error());
    const Landmarks found = find_landmarks(*run);
    errors[0][i] = std::abs(found.touch - exact.touch());
    errors[1][i] = std::abs(found.leave - exact.leave());
    for (const Sample& s : run->samples)
      errors[2][i] = std::max(errors[2][i], std::abs(s.position.z() - exact.at(s.t).z));
    table += fmt::format("{:10.1e} {:14.6e} {:14.6e} {:14.6e}\n", h[i], errors[0][i], errors[1][i], errors[2][i]);
    data << fmt::format("{},{},{},{}\n", h[i], errors[0][i], errors[1][i], errors[2][i]);
  }
  context.print_table(table);
  for (size_t k = 0; k < names.size(); ++k) {
    const double order = observed_order(h, errors[k]);
    context.report(
        check_disc(of_experiment(experiment, fmt::format("observed order, {}", names[k])), "1", order, {},
                   order > 0.7 && order < 1.4,
                   "one, over three halvings from 8e-4 s; where in a step the disc touches the layer and the core "
                   "differs from h to h, hence 0.7 to 1.4"));
  }
  return {};
}

}  // namespace

Result<void> disc(const Context& context) {
  for (const int experiment : {1, 2}) {
    if (auto done = run_experiment(context, experiment); !done) return done;
    if (auto done = refine(context, experiment); !done) return done;
  }
  return {};
}

}  // namespace stiction::papers::chakraborty2007
