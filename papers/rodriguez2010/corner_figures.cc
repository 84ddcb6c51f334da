#include "papers/rodriguez2010/corner_figures.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include <fmt/format.h>

#include "stiction/events/impacts/impact_outcome.h"
#include "stiction/report/svg/svg_plot.h"

namespace stiction::papers::rodriguez2010 {

using report::Plot;

namespace {

constexpr double missing = std::numeric_limits<double>::quiet_NaN();
constexpr int blue = 0, orange = 1, green = 2, grey = 7;

std::filesystem::path figure(const std::filesystem::path& folder, int number) {
  return folder / fmt::format("figure5_{}.svg", number);
}

// p of the examined contact as functions of its tangential velocity, both affine.
class SlipLaw {
 public:
  SlipLaw(const CornerImpact& impact, CornerContact contact) : impact_(impact), contact_(contact) {}

  double p_n(double v_t) const { return at(v_t)[2 * contact_]; }
  double ratio(double v_t) const { return std::abs(at(v_t)[2 * contact_ + 1] / p_n(v_t)); }
  // Where p_n is zero.
  double p_n_zero() const { return -p_n(0) / (p_n(1) - p_n(0)); }
  bool grows() const { return p_n(1) > p_n(0); }
  // The highest coefficient to be shown.
  double top() const { return std::max(4.0, 1.25 * ratio(0)); }
  // mu_i with mu_min of (4.21).
  double friction(double v_t) const {
    return stribeck_friction(impact_.problem.contacts[contact_], std::min(mu_d, ratio(0)), v_t);
  }

 private:
  Vector4 at(double v_t) const {
    return shortest_impulse(impact_.problem, velocity_for_slip(impact_.problem, contact_, v_t));
  }

  const CornerImpact& impact_;
  CornerContact contact_;
};

std::vector<double> evenly(double low, double high, int count) {
  std::vector<double> values;
  for (int i = 0; i <= count; ++i) values.push_back(low + (high - low) * i / count);
  return values;
}

report::Series coloured(report::Series series, int color, int dash = 0) {
  series.color = color;
  series.dash = dash;
  return series;
}

// Half-plane p_n < 0; velocities times `unit`.
report::Series infeasible(const SlipLaw& law, double unit) {
  const double edge = unit * law.p_n_zero(), far = law.grows() ? -1e4 : 1e4, high = 2 * law.top();
  return coloured(report::region("infeasible: p_n < 0 (4.19)", {edge, far, far, edge}, {-high, -high, high, high}),
                  grey);
}

// Below the curve of (4.18), where p_n >= 0.
report::Series feasible(const SlipLaw& law, double reach) {
  const double edge = law.p_n_zero();
  const double low = law.grows() ? std::max(edge, -reach) : -reach, high = law.grows() ? reach : std::min(edge, reach);
  std::vector<double> x = {low}, y = {0};
  for (const double v_t : evenly(low + 1e-9, high - 1e-9, 800)) {
    x.push_back(v_t);
    y.push_back(std::min(law.ratio(v_t), 2 * law.top()));
  }
  x.push_back(high);
  y.push_back(0);
  return coloured(report::region("feasible slip: under the curve (4.18)", x, y), blue);
}

report::Series curve(const SlipLaw& law, double reach) {
  std::vector<double> x = evenly(-reach, reach, 1600), y;
  for (const double v_t : x) y.push_back(law.ratio(v_t) > law.top() ? missing : law.ratio(v_t));
  return coloured(report::line("|p_t| / |p_n|, (4.18) with =", x, y), blue);
}

report::Series transition(const SlipLaw& law, double reach) {
  std::vector<double> x, y;
  for (const double side : {-1.0, 1.0}) {
    for (const double k : evenly(0, 1, 400)) {
      const double s = side < 0 ? 1 - k : k;
      x.push_back(side * reach * s * s * s);  // close to zero at v_t = 0
      y.push_back(law.friction(std::abs(x.back())));
    }
  }
  return coloured(report::line("mu_i (4.22)", x, y), orange);
}

Plot friction_panel(const SlipLaw& law, const ImpactOutcome& outcome, const OutcomeFigures& figures) {
  const bool at_ground = figures.examined == ground;
  const double reach = std::max(8.0, 1.25 * std::abs(law.p_n_zero())), mu_f = law.ratio(0);
  const double v_t = outcome.contact_velocity[2 * figures.examined + 1];
  Plot plot;
  plot.title = fmt::format("Figure 5.{}. {}: friction against slip at the {}", figures.number, figures.title,
                           at_ground ? "ground" : "wall");
  plot.x_label = fmt::format("tangential velocity at the {} after the impact [m/s]", at_ground ? "ground" : "wall");
  plot.y_label = "coefficient of friction";
  plot.series = {infeasible(law, 1), feasible(law, 1.2 * reach), curve(law, reach), transition(law, reach)};
  plot.series.push_back(coloured(report::dashed_line("mu_f", {-reach, reach}, {mu_f, mu_f}), grey));
  plot.series.push_back(coloured(report::line("", {0, 0}, {0, law.top()}), grey, 2));
  if (law.p_n(0) >= 0) {
    plot.series.push_back(coloured(report::line("feasible stick: mu_s to mu_f at rest", {0, 0}, {mu_s, mu_f}), green));
  }
  plot.series.push_back(coloured(report::markers("optimum (4.17)", {v_t}, {law.friction(std::abs(v_t))}), 6));
  return plot;
}

// The transition from mu_s to mu_min, which is too narrow to be seen above.
Plot transition_panel(const SlipLaw& law, const ImpactOutcome& outcome, const OutcomeFigures& figures) {
  const double v_t = outcome.contact_velocity[2 * figures.examined + 1], reach = 1.5e-3;
  Plot plot;
  plot.title = "The same near rest";
  plot.x_label = "tangential velocity [mm/s]";
  plot.y_label = "coefficient of friction";
  report::Series near = transition(law, reach), forbidden = infeasible(law, 1e3);
  for (double& x : near.x) x *= 1e3;
  plot.series = {near};
  if (law.p_n(0) < 0) plot.series.push_back(forbidden);
  plot.series.push_back(coloured(report::dashed_line("mu_s", {-1.5, 1.5}, {mu_s, mu_s}), grey));
  plot.series.push_back(coloured(report::line("mu_d", {-1.5, 1.5}, {mu_d, mu_d}), grey, 2));
  if (std::abs(v_t) < reach) {
    plot.series.push_back(coloured(report::markers("optimum (4.17)", {1e3 * v_t}, {law.friction(std::abs(v_t))}), 6));
  }
  return plot;
}

// Positions at a flight's times.
report::Series path(std::string name, const Flight& flight, double duration, int color) {
  std::vector<double> x, y;
  for (const double t : evenly(0, duration, 200)) {
    x.push_back(flight.position(t).x());
    y.push_back(flight.position(t).y());
  }
  return coloured(report::line(std::move(name), x, y), color);
}

// Outlines of the ball with a radius that turns with it, at the end of a flight and before, where they stand apart.
report::Series balls(const Flight& flight, double duration, int first, int color, int dash) {
  std::vector<double> x, y;
  const double distance = (flight.position(duration) - flight.start).head<2>().norm();
  const int count = std::clamp(static_cast<int>(distance / (2.4 * R)), 1, 3);
  for (int k = first; k <= count; ++k) {
    const Vector3 q = flight.position(duration * k / count);
    x.push_back(q.x()), y.push_back(q.y());
    for (const double turn : evenly(0, 2 * std::numbers::pi, 72)) {
      x.push_back(q.x() + R * std::cos(q.z() + turn));
      y.push_back(q.y() + R * std::sin(q.z() + turn));
    }
    x.push_back(missing), y.push_back(missing);
  }
  return coloured(report::line("", x, y), color, dash);
}

Plot path_panel(const CornerImpact& impact, const ImpactOutcome& outcome, const OutcomeFigures& figures) {
  const Flight after = impact.after(outcome.velocity);
  const double w = impact.wall_at;
  Plot plot;
  plot.equal_scale = true;
  plot.title = fmt::format("Figure 5.{}. {}: path of the centre", figures.number + 1, figures.title);
  plot.x_label = "Q_1 [m]";
  plot.y_label = "Q_2 [m]";
  plot.series = {coloured(report::region("", {-99, w, w, 99, 99, -99}, {0, 0, 99, 99, -99, -99}), grey),
                 coloured(report::line("", {-R, w, w}, {0, 0, impact.before.start.y() + R}), grey)};
  plot.series.push_back(path("before the impact", impact.before, impact.time, blue));
  plot.series.push_back(
      path(fmt::format("after it, spin {:.2f} rad/s", outcome.velocity[2]), after, after.landing(), orange));
  plot.series.push_back(balls(impact.before, impact.time, 0, blue, 0));
  plot.series.push_back(balls(after, after.landing(), 1, orange, 1));
  plot.series.push_back(coloured(report::markers("impact", {impact.place().x()}, {impact.place().y()}), 6));
  return plot;
}

// Energies of one flight, appended after a gap.
void add_energies(const Flight& flight, double from, double duration, std::vector<report::Series>& series) {
  for (report::Series& one : series) one.x.push_back(from), one.y.push_back(missing);
  for (const double t : evenly(0, duration, 200)) {
    const double kinetic = kinetic_energy(flight.velocity(t)), potential = potential_energy(flight.position(t));
    const double values[3] = {kinetic, potential, kinetic + potential};
    for (int i = 0; i < 3; ++i) {
      series[i].x.push_back(from + t);
      series[i].y.push_back(values[i]);
    }
  }
}

Plot energy_panel(const CornerImpact& impact, const ImpactOutcome& outcome, const OutcomeFigures& figures) {
  const Flight after = impact.after(outcome.velocity);
  Plot plot;
  plot.title = fmt::format("Figure 5.{}. {}: energies", figures.number + 2, figures.title);
  plot.x_label = "time [s]";
  plot.y_label = "energy [J]";
  plot.series = {report::line("kinetic", {}, {}), report::line("potential", {}, {}), report::line("total", {}, {})};
  add_energies(impact.before, 0, impact.time, plot.series);
  const double total = plot.series[2].y.back();
  add_energies(after, impact.time, after.landing(), plot.series);
  plot.series.push_back(coloured(report::dashed_line("impact", {impact.time, impact.time}, {0, total}), grey));
  return plot;
}

}  // namespace

Result<void> draw_outcome(const CornerImpact& impact, const ImpactOutcome& outcome, const OutcomeFigures& figures,
                          const std::filesystem::path& folder) {
  const SlipLaw law(impact, figures.examined);
  const Plot friction[] = {friction_panel(law, outcome, figures), transition_panel(law, outcome, figures)};
  if (auto written = report::write_svg(friction, figure(folder, figures.number)); !written) return written;
  if (auto written =
          report::write_svg(path_panel(impact, outcome, figures), figure(folder, figures.number + 1), {.width = 640});
      !written) {
    return written;
  }
  return report::write_svg(energy_panel(impact, outcome, figures), figure(folder, figures.number + 2));
}

}  // namespace stiction::papers::rodriguez2010
