// The comparison that motivates the method: a wheel that rolls without slip keeps its energy when its surface is smooth
// and the contact is where it is at the end of the step; a wheel of N facets loses some at every edge.
//
// A regular prism of N facets that turns over its edges without slip meets each next edge in an impact that keeps
// omega+ / omega- = (I + m R^2 cos(2 pi / N)) / (I + m R^2), I about the centre, R to the edges. In a revolution the
// energy is multiplied by that to the power 2 N, as long as it is well above the m g R (1 - cos(pi / N)) of each edge
// and omega^2 R is below g, so that no edge leaves the ground: the prisms start at 2 rad/s.
#include "papers/chakraborty2007/rolling.h"

#include <cmath>
#include <fstream>
#include <numbers>

#include <fmt/format.h>

#include "stiction/report/svg/svg_plot.h"

namespace stiction::papers::chakraborty2007 {

namespace {

using std::numbers::pi;

constexpr FindingMaker check_rolling{"chakraborty2007", "rolling"};
constexpr double radius = 0.5, mass = 1, inertia = 0.125;

// Confines the wheel to the plane y = 0: travel and turn about its centre.
const std::string planar =
    "\n[[joint]]\nname = \"plane\"\ntype = \"planar\"\nparent = \"world\"\nchild = \"wheel\"\n"
    "position = [0, 0, 0.5]\naxis = [0, 1, 0]\naxis2 = [1, 0, 0]\n";

Result<Simulation> open(const std::string& shape, bool confined, const std::vector<std::string>& overrides) {
  std::string text(embedded_scene("chakraborty2007/rolling.toml"));
  const std::string sphere = "{ type = \"sphere\", radius = 0.5, material = \"dry\" }";
  text.replace(text.find(sphere), sphere.size(), shape);
  if (confined) text += planar;
  return open_text(text, "chakraborty2007/rolling.toml", overrides);
}

// A prism about the y axis with an edge below the centre; pointed ends, because faces have at most 64 corners.
std::string prism(int facets) {
  std::string text = "{ type = \"convex\", material = \"dry\", vertices = [[0, 0.06, 0], [0, -0.06, 0]";
  for (int k = 0; k < facets; ++k) {
    const double angle = 2 * pi * k / facets;
    for (const double y : {-0.05, 0.05}) {
      text += fmt::format(", [{:.17g}, {}, {:.17g}]", -radius * std::sin(angle), y, -radius * std::cos(angle));
    }
  }
  return text + "] }";
}

double total(Simulation& simulation) {
  const Energies energies = simulation.energies();
  return energies.kinetic + energies.potential;
}

// Energy above that of the wheel at rest.
double motion(Simulation& simulation) {
  return total(simulation) - mass * 9.81 * radius;
}

struct Run {
  std::vector<double> time, energy;  // relative to the start
  long fallbacks = 0;
  certify::StepCertificate certificate;
};

Result<Run> roll(Simulation& simulation, double sample) {
  Run result;
  const double start = motion(simulation);
  double next = 0;
  const auto record = [&] {
    result.time.push_back(simulation.state().time);
    result.energy.push_back(motion(simulation) / start);
    next += sample;
  };
  record();
  const RunSummary summary = run(simulation, [&](const StepOutcome&) {
    if (simulation.state().time >= next - 1e-9) record();
  });
  if (!summary.ok) return failure({.what = summary.failure, .remedy = "This is a defect: please report it."});
  for (const auto& [fallback, count] : summary.fallbacks) result.fallbacks += count;
  result.certificate = summary.certificate;
  return result;
}

Result<void> smooth(const Context& context, std::string& table, std::ofstream& data) {
  struct Wheel {
    const char* name;
    const char* shape;
    bool confined;
  };
  // A cylinder's axis is its frame's z: turned to lie along y.
  const std::string lying = "orientation = [0.7071067811865476, -0.7071067811865475, 0, 0], material = \"dry\" }";
  const std::string disc = "{ type = \"cylinder\", radius = 0.5, length = 0.02, " + lying;
  const std::string cylinder = "{ type = \"cylinder\", radius = 0.5, length = 0.6, " + lying;
  const Wheel wheels[] = {{"disc confined to its plane", disc.c_str(), true},
                          {"sphere", "{ type = \"sphere\", radius = 0.5, material = \"dry\" }", false},
                          {"cylinder", cylinder.c_str(), false}};
  for (const Wheel& wheel : wheels) {
    auto simulation = open(wheel.shape, wheel.confined, {});
    if (!simulation) return failure(simulation.error());
    const double start = total(*simulation);
    auto rolled = roll(*simulation, 10);
    if (!rolled) return failure(rolled.error());
    const double loss = 1 - total(*simulation) / start;
    table += fmt::format("{:<28} {:>10} {:>14.3e} {:>12.1e} {:>10}\n", wheel.name, "exact", loss,
                         rolled->certificate.worst(), rolled->fallbacks);
    for (size_t i = 0; i < rolled->time.size(); ++i) {
      data << fmt::format("{},{},{:.17g}\n", wheel.name, rolled->time[i], rolled->energy[i]);
    }
    context.report(check_rolling(fmt::format("{}: energy lost over 1000 revolutions, relative", wheel.name), "1", loss,
                                 "rolls without loss", std::abs(loss) < 1e-6 && rolled->fallbacks == 0,
                                 "50 steps per revolution; every step is solved to 1e-10 of the weight's impulse"));
    context.report(check_rolling(fmt::format("{}: worst certificate value", wheel.name), "1",
                                 rolled->certificate.worst(), {},
                                 rolled->certificate.worst() < 1e-8 && rolled->certificate.penetration < 1e-9,
                                 "normal, friction, cone, momentum, from the distance at the end of every step"));
  }
  return {};
}

// What facets keep of the energy in a revolution, by the formula at the top.
double kept_by_facets(int facets) {
  const double ratio =
      (inertia + mass * radius * radius * std::cos(2 * pi / facets)) / (inertia + mass * radius * radius);
  return std::pow(ratio, 2 * facets);
}

Result<void> faceted(const Context& context, std::string& table, std::ofstream& data, report::Plot& plot) {
  struct Case {
    int facets;
    double step;
  };
  for (const Case c : {Case{10, 1e-3}, Case{100, 1e-3}, Case{1000, 2e-4}}) {
    auto simulation = open(prism(c.facets), true,
                           {fmt::format("simulation.step={}", c.step), "simulation.duration=1",
                            "body.wheel.linear_velocity=[1, 0, 0]", "body.wheel.angular_velocity=[0, 2, 0]"});
    if (!simulation) return failure(simulation.error());
    auto rolled = roll(*simulation, 0.01);
    if (!rolled) return failure(rolled.error());
    const double turns = simulation->state().q[2] / (2 * pi), loss = 1 - rolled->energy.back();
    const double expected = 1 - std::pow(kept_by_facets(c.facets), turns);
    table += fmt::format("{:<28} {:>10} {:>14.3e} {:>12.1e} {:>10}\n", "disc confined to its plane", c.facets, loss,
                         rolled->certificate.worst(), rolled->fallbacks);
    for (size_t i = 0; i < rolled->time.size(); ++i) {
      data << fmt::format("{} facets,{},{:.17g}\n", c.facets, rolled->time[i], rolled->energy[i]);
    }
    // Ten facets lose more than impacts do at the start: the body slows down before each edge, and stops.
    const bool ok = c.facets == 10 ? loss > expected : std::abs(loss / expected - 1) < 0.25;
    context.report(check_rolling(
        fmt::format("disc of {} facets: energy lost in 1 s ({:.3f} revolutions), relative", c.facets, turns), "1", loss,
        "loses energy", ok,
        fmt::format("impacts of edges alone lose {:.4f}; {}", expected,
                    c.facets == 10 ? "more, because it nearly stops" : "within a quarter of that")));
    plot.series.push_back(report::line(fmt::format("{} facets", c.facets), rolled->time, rolled->energy));
  }
  return {};
}

}  // namespace

Result<void> rolling(const Context& context) {
  std::ofstream data(context.out / "rolling.csv");
  data << "wheel,time_s,energy_over_start\n";
  std::string table =
      fmt::format("{:<28} {:>10} {:>14} {:>12} {:>10}\n", "wheel", "facets", "energy lost", "certificate", "fallbacks");
  if (auto done = smooth(context, table, data); !done) return done;
  report::Plot plot;
  plot.title = "Energy of motion of a rolling wheel that starts at 2 rad/s";
  plot.x_label = "time [s]";
  plot.y_label = "energy over that at the start";
  if (auto done = faceted(context, table, data, plot); !done) return done;
  plot.series.push_back(report::dashed_line("smooth", {0.0, 1.0}, {1.0, 1.0}));
  context.print_table(table);
  return report::write_svg(plot, context.out / "rolling.svg");
}

}  // namespace stiction::papers::chakraborty2007
