// Painleve's rod, plain 3D (no planar joint), started where no accelerations exist.
//
// Angle theta over the ground, half length l, J = m l^2 / 3; the lower end slides away from the centre of mass. In the
// plane, with coordinates (x, z, theta), n = (0, 1, -l cos), d = (1, 0, l sin) and friction + mu c_n d against slip,
//
//     normal acceleration of the end = a c_n + b,   a = n^T M^-1 (n + mu d) = 1/m + (l^2/J)(cos^2 - mu sin cos)
//                                                   b = -g + l sin theta'^2
//
// a < 0 and b < 0: c_n >= 0 and a c_n + b >= 0 exclude each other. For the uniform rod this takes mu > 4/3, and
// tan theta = 2 is the worst angle. The limit of the time steps is an impact without collision: the end stops at once,
//
//     theta'(0+) = 3 v sin / (4 l),  P_z = m l theta' cos,  P_x = m (v - l theta' sin),  possible when |P_x| <= mu P_z,
//
// and then the rod turns about its end, theta'' = -(3 g / 4 l) cos theta, as long as N >= 0 and |T| <= mu N.
#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>

#include <fmt/format.h>

#include "papers/anitescu1998/error_table.h"
#include "papers/anitescu1998/painleve_convergence.h"
#include "stiction/report/svg/svg_plot.h"

namespace stiction::papers::anitescu1998 {

namespace {

constexpr int levels = 8;  // steps of 1e-2 s halved seven times: down to 7.8e-5 s
constexpr double duration = 0.4;

// The scene's constants and what follows from them.
struct Rod {
  double m = 1, l = 0.5, mu = 2, g = 9.81, v = 2;
  double theta = std::atan(2.0);

  double inertia() const { return m * l * l / 3; }
  double a() const {
    const double s = std::sin(theta), c = std::cos(theta);
    return 1 / m + l * l / inertia() * (c * c - mu * s * c);
  }
  double b() const { return -g; }
  double rate_after() const { return 3 * v * std::sin(theta) / (4 * l); }
  double normal_impulse() const { return m * l * rate_after() * std::cos(theta); }
  double friction_impulse() const { return m * (v - l * rate_after() * std::sin(theta)); }
};

// The rod in its plane at one time; the impulse is all that the ground gave since the start.
struct Sample {
  double t = 0, x = 0, z = 0, theta = 0, v_x = 0, v_z = 0, rate = 0;
  double impulse_x = 0, impulse_z = 0;

  double tip_v_x(const Rod& rod) const { return v_x + rod.l * std::sin(theta) * rate; }
};

// The limit motion after the impact.
class Limit {
 public:
  explicit Limit(const Rod& rod) : rod_(rod), state_{rod.theta, rod.rate_after()} {}

  // Moves on to time t (times must not fall) by the classical Runge-Kutta rule at 5e-5 s or less: error below 1e-13.
  Sample at(double t) {
    const int steps = static_cast<int>(std::ceil((t - time_) / 5e-5));
    for (int k = 0; k < steps; ++k) advance((t - time_) / (steps - k));
    time_ = t;
    const double s = std::sin(state_[0]), c = std::cos(state_[0]), w = state_[1];
    Sample sample{.t = t,
                  .x = rod_.l * c,
                  .z = rod_.l * s,
                  .theta = state_[0],
                  .v_x = -rod_.l * w * s,
                  .v_z = rod_.l * w * c,
                  .rate = w};
    sample.impulse_x = rod_.m * (sample.v_x + rod_.v);
    sample.impulse_z = rod_.m * (sample.v_z + rod_.g * t);
    const double acceleration = slope(state_)[1];
    const double normal = rod_.m * (rod_.g + rod_.l * (acceleration * c - w * w * s));
    const double friction = rod_.m * rod_.l * (-acceleration * s - w * w * c);
    least_normal = std::min(least_normal, normal);
    most_friction = std::max(most_friction, std::abs(friction) / normal);
    return sample;
  }

  double least_normal = 1e9;  // N
  double most_friction = 0;   // of the normal force

 private:
  using Pair = std::array<double, 2>;

  Pair slope(const Pair& y) const { return {y[1], -3 * rod_.g / (4 * rod_.l) * std::cos(y[0])}; }
  void advance(double h) {
    const auto moved = [&](const Pair& k, double by) { return Pair{state_[0] + by * k[0], state_[1] + by * k[1]}; };
    const Pair k1 = slope(state_), k2 = slope(moved(k1, h / 2)), k3 = slope(moved(k2, h / 2)), k4 = slope(moved(k3, h));
    for (int i = 0; i < 2; ++i) state_[i] += h / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]);
    time_ += h;
  }

  Rod rod_;
  Pair state_;
  double time_ = 0;
};

struct Run {
  double h = 0;
  std::vector<Sample> samples;  // the first is the start
  double out_of_plane = 0;      // m, m/s, rad/s: the largest of all
  double a = 0;                 // of the first step's rows
};

// n^T M^-1 (n - mu s) from the Jacobian and mass that the first step was solved with, s the direction of slip.
double assembled_a(const StepProblem& problem, double mu) {
  const ContactRows& contact = problem.contacts.front();
  const RowBlock& block = problem.blocks[contact.block];
  const int side = block.tree[0] >= 0 ? 0 : 1;
  const MatrixX J = problem.jacobian_block(contact.block, side);
  const VectorX slip = J * problem.v_start;
  const VectorX s = J.middleRows(1, 2).transpose() * slip.segment(1, 2).normalized();
  const VectorX n = J.row(0).transpose();
  const MatrixX M = problem.mass_block(block.tree[side]);
  return n.dot(M.ldlt().solve(n - mu * s));
}

Sample observe(Simulation& simulation, int body, const Rod& rod, double theta_before) {
  const Kinematics& kinematics = simulation.kinematics();
  const Vector3 axis = kinematics.X_WB[body].R.col(0);
  const Twist& velocity = kinematics.velocity[body];
  Sample sample{.t = simulation.state().time,
                .x = kinematics.com_W[body].x(),
                .z = kinematics.com_W[body].z(),
                .theta = std::atan2(axis.z(), axis.x()),
                .v_x = velocity.linear.x(),
                .v_z = velocity.linear.z(),
                .rate = -velocity.angular.y()};
  if (sample.theta < theta_before - 3) sample.theta += 2 * std::acos(-1.0);
  // Momentum balance: what the ground gave, in however many parts a step was made.
  sample.impulse_x = rod.m * (sample.v_x + rod.v);
  sample.impulse_z = rod.m * (sample.v_z + rod.g * sample.t);
  return sample;
}

Result<Run> simulate(const Rod& rod, double h, bool continuous) {
  auto opened =
      open_example("anitescu1998/painleve.toml",
                   {fmt::format("simulation.step={:.17g}", h), fmt::format("simulation.duration={}", duration),
                    fmt::format("method.anitescu-potra.continuous={}", continuous)});
  if (!opened) return failure(opened.error());
  Simulation& simulation = *opened;
  const int body = simulation.model().find_body("rod");
  Run result;
  result.h = h;
  result.samples.push_back(observe(simulation, body, rod, rod.theta));
  const RunSummary summary = run(simulation, [&](const StepOutcome&) {
    if (result.samples.size() == 1) result.a = assembled_a(simulation.last_step().problem, rod.mu);
    result.samples.push_back(observe(simulation, body, rod, result.samples.back().theta));
    const Kinematics& kinematics = simulation.kinematics();
    const Twist& velocity = kinematics.velocity[body];
    result.out_of_plane =
        std::max({result.out_of_plane, std::abs(kinematics.com_W[body].y()), std::abs(velocity.linear.y()),
                  std::abs(velocity.angular.x()), std::abs(velocity.angular.z())});
  });
  if (!summary.ok) return failure({.what = summary.failure, .remedy = "This is a defect: please report it."});
  return result;
}

// Largest errors over all steps against the limit.
struct Errors {
  double position = 0, velocity = 0, impulse = 0, first = 0, largest = 0;
};

Errors compare(const Rod& rod, const Run& run) {
  Errors errors;
  Limit limit(rod);
  for (size_t k = 1; k < run.samples.size(); ++k) {
    const Sample &ours = run.samples[k], &before = run.samples[k - 1];
    const Sample exact = limit.at(ours.t);
    errors.position = std::max({errors.position, std::abs(ours.x - exact.x), std::abs(ours.z - exact.z),
                                rod.l * std::abs(ours.theta - exact.theta)});
    errors.velocity = std::max({errors.velocity, std::abs(ours.v_x - exact.v_x), std::abs(ours.v_z - exact.v_z),
                                rod.l * std::abs(ours.rate - exact.rate)});
    errors.impulse = std::max(
        {errors.impulse, std::abs(ours.impulse_x - exact.impulse_x), std::abs(ours.impulse_z - exact.impulse_z)});
    errors.largest = std::max(errors.largest, ours.impulse_z - before.impulse_z);
  }
  errors.first = std::abs(run.samples[1].impulse_z - rod.normal_impulse());
  return errors;
}

// Largest difference of positions from the run with the finest step, at the times of the coarser one.
double difference(const Rod& rod, const Run& run, const Run& finest) {
  const size_t ratio = (finest.samples.size() - 1) / (run.samples.size() - 1);
  double worst = 0;
  for (size_t k = 0; k < run.samples.size(); ++k) {
    const Sample &a = run.samples[k], &b = finest.samples[k * ratio];
    worst = std::max({worst, std::abs(a.x - b.x), std::abs(a.z - b.z), rod.l * std::abs(a.theta - b.theta)});
  }
  return worst;
}

constexpr FindingMaker check_painleve{"anitescu1998", "painleve"};

void report_acceleration_level(const Context& context, const Rod& rod, double assembled) {
  context.report(check_painleve("n^T M^-1 (n + mu d), closed form", "1/kg", rod.a(), "no solution where negative",
                                rod.a() < 0,
                                "1/m + (l^2/J)(cos^2 - mu sin cos) at tan theta = 2: 1 + 3 (0.2 - 2 * 0.4) = -0.8"));
  context.report(check_painleve("the same from the first step's rows", "1/kg", assembled, {},
                                std::abs(assembled - rod.a()) < 1e-12, "Jacobian and mass as assembled, to 1e-12"));
  context.report(check_painleve("normal acceleration of the end without contact", "m/s^2", rod.b(), {}, rod.b() < 0,
                                "-g + l sin theta'^2; with the line above: no c_n >= 0 has a c_n + b >= 0"));
  const double ratio = rod.friction_impulse() / rod.normal_impulse();
  context.report(check_painleve("friction over normal impulse of the impact without collision", "1", ratio, {},
                                ratio < rod.mu, "4/3 < mu = 2: the impact that stops the end is admissible"));
}

void report_limits(const Context& context, const Rod& rod) {
  Limit limit(rod);
  for (int k = 0; k <= 400; ++k) limit.at(k * duration / 400);
  context.report(check_painleve("least normal force of the limit motion", "N", limit.least_normal, {},
                                limit.least_normal > 0,
                                "positive: turning about the end is the exact motion up to the last time"));
  context.report(check_painleve("most friction over normal force of the limit motion", "1", limit.most_friction, {},
                                limit.most_friction < rod.mu, "below mu = 2: the end does not slip"));
}

Result<void> plot_runs(const Context& context, const Rod& rod, const std::vector<Run>& runs) {
  report::Plot tip, begin, impulse, pictures;
  tip.title = "Painleve's rod: sliding velocity of the lower end, first 0.05 s";
  tip.y_label = "velocity [m/s]";
  impulse.title = "Normal impulse since the start";
  impulse.y_label = "impulse [N s]";
  begin = impulse;
  begin.title = "Normal impulse since the start, first 0.05 s";
  tip.x_label = begin.x_label = impulse.x_label = "time [s]";
  const auto cut = [](report::Series series) {
    size_t count = 0;
    while (count < series.x.size() && series.x[count] < 0.05 + 1e-9) ++count;
    series.x.resize(count), series.y.resize(count);
    return series;
  };
  Limit limit(rod);
  std::vector<double> t = {0}, v = {-rod.v}, p = {0};
  for (int k = 0; k <= 200; ++k) {
    const Sample sample = limit.at(k * duration / 200);
    t.push_back(sample.t), v.push_back(sample.tip_v_x(rod)), p.push_back(sample.impulse_z);
  }
  tip.series.push_back(cut(report::dashed_line("limit", t, v)));
  begin.series.push_back(cut(report::dashed_line("limit", t, p)));
  impulse.series.push_back(report::dashed_line("limit", t, p));
  for (const size_t level : {size_t{0}, size_t{2}, size_t{4}}) {
    if (level >= runs.size()) continue;
    std::vector<double> t_h, v_h, p_h;
    for (const Sample& sample : runs[level].samples) {
      t_h.push_back(sample.t), v_h.push_back(sample.tip_v_x(rod)), p_h.push_back(sample.impulse_z);
    }
    const std::string name = fmt::format("h = {} s", runs[level].h);
    tip.series.push_back(cut(report::line(name, t_h, v_h)));
    begin.series.push_back(cut(report::line(name, t_h, p_h)));
    impulse.series.push_back(report::line(name, t_h, p_h));
  }
  const std::vector<report::Plot> panels = {tip, begin, impulse};
  if (auto written = report::write_svg(panels, context.out / "painleve_motion.svg"); !written) return written;

  pictures.title = "The rod every 0.05 s";
  pictures.x_label = "x [m]";
  pictures.y_label = "z [m]";
  const Run& finest = runs.back();
  for (int k = 0; k <= 8; ++k) {
    const Sample& s = finest.samples[k * (finest.samples.size() - 1) / 8];
    const double dx = rod.l * std::cos(s.theta), dz = rod.l * std::sin(s.theta);
    pictures.series.push_back(report::line(fmt::format("{:.2f} s", s.t), {s.x - dx, s.x + dx}, {s.z - dz, s.z + dz}));
  }
  return report::write_svg(pictures, context.out / "painleve_pictures.svg", {.width = 470, .panel_height = 480});
}

void write_data(const Context& context, const Rod& rod, const Run& run) {
  std::ofstream data(context.out / "painleve.csv");
  data << "t,x,z,theta,v_x,v_z,theta_rate,tip_v_x,impulse_x,impulse_z\n";
  for (const Sample& s : run.samples) {
    data << fmt::format("{},{},{},{},{},{},{},{},{},{}\n", s.t, s.x, s.z, s.theta, s.v_x, s.v_z, s.rate, s.tip_v_x(rod),
                        s.impulse_x, s.impulse_z);
  }
}

void report_order(const Context& context, const ErrorTable& table, const ErrorColumn& column, const char* variant) {
  const double order = column.order(table.h);
  context.report(check_painleve(
      fmt::format("{}: observed order, {}", variant, column.name), "1", order, "converges (Stewart, cited as [52])",
      order > 0.85,
      "at least 1 - 0.15 over seven halvings, against the limit motion. The end lifts by (h theta')^2 l / 2 per "
      "step, so contact opens and closes: single forces chatter, their sums converge; below the touch "
      "distance (h < 3e-4 s) continuous steps no longer see it, which bends their error curve"));
}

Result<std::vector<Run>> study(const Context& context, const Rod& rod, bool continuous) {
  const char* variant = continuous ? "continuous" : "trigger";
  std::vector<Run> runs;
  for (int level = 0; level < levels; ++level) {
    auto result = simulate(rod, 1e-2 / (1 << level), continuous);
    if (!result) return failure(result.error());
    runs.push_back(std::move(*result));
  }
  ErrorTable table;
  table.columns = {{"position [m]", {}},
                   {"velocity [m/s]", {}},
                   {"impulse so far [N s]", {}},
                   {"first impulse [N s]", {}},
                   {"position to finest [m]", {}}};
  std::string impulses = fmt::format("{:>12} {:>26} {:>22}\n", "h [s]", "largest impulse [N s]", "divided by h [N]");
  double largest = 0, out_of_plane = 0;
  for (const Run& run : runs) {
    const Errors errors = compare(rod, run);
    table.h.push_back(run.h);
    table.columns[0].error.push_back(errors.position);
    table.columns[1].error.push_back(errors.velocity);
    table.columns[2].error.push_back(errors.impulse);
    table.columns[3].error.push_back(errors.first);
    table.columns[4].error.push_back(difference(rod, run, runs.back()));
    impulses += fmt::format("{:12.4e} {:26.9f} {:22.3f}\n", run.h, errors.largest, errors.largest / run.h);
    largest = std::max(largest, errors.largest);
    out_of_plane = std::max(out_of_plane, run.out_of_plane);
  }
  context.print_table(table.text(fmt::format("Painleve's rod, {}: errors against the limit motion", variant)));
  context.print_table(impulses + fmt::format("{:>12} {:26.9f}\n\n", "limit", rod.normal_impulse()));
  for (size_t k = 0; k < 4; ++k) report_order(context, table, table.columns[k], variant);
  // The first step's impulse carries the weight of one step too: m g h at most, and as much again for what it turns.
  const double bound = rod.normal_impulse() + 2 * rod.m * rod.g * 1e-2;
  context.report(check_painleve(fmt::format("{}: largest normal impulse of any step at any h", variant), "N s", largest,
                                "impulses stay bounded", largest < bound,
                                "bounded by the limit's 0.6 N s and 2 m g h; the force it stands for grows like 1/h"));
  context.report(check_painleve(fmt::format("{}: motion out of the plane", variant), "m, m/s, rad/s", out_of_plane, {},
                                out_of_plane < 1e-10, "plain 3D: nothing holds the rod in its plane but symmetry"));
  if (auto written = table.write(fmt::format("Painleve's rod, {}: errors against the step", variant),
                                 context.out / fmt::format("painleve_errors_{}", variant));
      !written)
    return failure(written.error());
  return runs;
}

}  // namespace

Result<void> painleve(const Context& context) {
  const Rod rod;
  const auto runs = study(context, rod, true);
  if (!runs) return failure(runs.error());
  report_acceleration_level(context, rod, runs->front().a);
  report_limits(context, rod);
  if (const auto trigger = study(context, rod, false); !trigger) return failure(trigger.error());
  write_data(context, rod, runs->back());
  return plot_runs(context, rod, *runs);
}

}  // namespace stiction::papers::anitescu1998
