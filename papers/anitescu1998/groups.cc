// Separate groups of bodies are separate complementarity problems: the time of a step should grow with their number and
// no faster. Piles of four balls stand on a plane, 10 m from pile to pile on a square grid.
// They are at rest: an impact would cut the step of all groups, not of its own alone, and so cost more than linearly.
//
// Processor time of this thread's process, the least over a few rounds of the median over steps: what other programs
// take of the machine does not count, and what they push out of its caches hardly does.
#include <cmath>
#include <ctime>
#include <fstream>

#include <fmt/format.h>

#include "papers/anitescu1998/impacts_drift.h"
#include "stiction/report/svg/svg_plot.h"
#include "stiction/scene/scene.h"

namespace stiction::papers::anitescu1998 {

namespace {

constexpr int group_size = 4;
constexpr int rounds = 5;

std::string piles(int groups) {
  std::string text = R"(
[simulation]
method = "anitescu-potra"
step = 1e-3
duration = 1.0
[material.wood]
friction = 0.5
[[body]]
name = "ground"
fixed = true
shape = { type = "plane", material = "wood" }
)";
  const int side = static_cast<int>(std::ceil(std::sqrt(groups)));
  for (int g = 0; g < groups; ++g) {
    for (int k = 0; k < group_size; ++k) {
      text += fmt::format(
          "[[body]]\nname = \"ball_{}_{}\"\nmass = 1.0\nposition = [{}, {}, {}]\n"
          "shape = {{ type = \"sphere\", radius = 0.1, material = \"wood\" }}\n",
          g, k, 10 * (g % side), 10 * (g / side), 0.1 + 0.2 * k);
    }
  }
  return text;
}

Result<Simulation> open(int groups) {
  auto parsed = scene::parse_scene(piles(groups), fmt::format("{} piles", groups), {});
  if (!parsed) return failure(parsed.error());
  parsed->settings.threads = 1;
  auto built = build_model(parsed->model);
  if (!built) return failure(built.error());
  return Simulation::create(std::move(*built), parsed->settings);
}

double processor_seconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

// Seconds per step, median over samples of `steps` steps each.
Result<double> median_step(Simulation& simulation, int samples, int steps) {
  std::vector<double> seconds;
  for (int sample = 0; sample < samples; ++sample) {
    const double begin = processor_seconds();
    for (int k = 0; k < steps; ++k) {
      const StepOutcome outcome = simulation.step();
      if (!outcome.ok) return failure({.what = outcome.failure, .remedy = "This is a defect: please report it."});
    }
    seconds.push_back((processor_seconds() - begin) / steps);
  }
  std::nth_element(seconds.begin(), seconds.begin() + samples / 2, seconds.end());
  return seconds[samples / 2];
}

// One number of groups, warm.
struct Timed {
  int groups = 0;
  Simulation simulation;
  double seconds = INFINITY;  // a step
};

Result<std::vector<Timed>> measure(std::span<const int> counts) {
  std::vector<Timed> timed;
  for (const int groups : counts) {
    auto opened = open(groups);
    if (!opened) return failure(opened.error());
    timed.push_back({groups, std::move(*opened)});
    if (auto warm = median_step(timed.back().simulation, 1, 3); !warm) return failure(warm.error());
  }
  // Round by round over all sizes, so that a busy spell of the machine does not fall on one of them alone.
  for (int round = 0; round < rounds; ++round) {
    for (Timed& t : timed) {
      const int steps = std::max(1, 300 / t.groups);
      const auto seconds = median_step(t.simulation, 5, steps);
      if (!seconds) return failure(seconds.error());
      t.seconds = std::min(t.seconds, *seconds);
    }
  }
  return timed;
}

}  // namespace

Result<void> groups(const Context& context) {
  constexpr int counts[] = {10, 30, 100, 300, 1000};
  const auto timed = measure(counts);
  if (!timed) return failure(timed.error());
  std::string table = fmt::format("{:>8} {:>8} {:>9} {:>9} {:>16} {:>18}\n", "groups", "bodies", "contacts", "islands",
                                  "step [ms]", "a group [us]");
  std::ofstream data(context.out / "groups.csv");
  data << "groups,seconds_per_step\n";
  std::vector<double> n, seconds, linear;
  bool separate = true;
  for (const Timed& t : *timed) {
    const StepRecord& last = t.simulation.last_step();
    separate =
        separate && last.islands.count() == t.groups && static_cast<int>(last.contacts.size()) == group_size * t.groups;
    n.push_back(t.groups);
    seconds.push_back(t.seconds);
    linear.push_back(seconds.front() * n.back() / n.front());
    table += fmt::format("{:>8} {:>8} {:>9} {:>9} {:16.4f} {:18.3f}\n", t.groups, group_size * t.groups,
                         last.contacts.size(), last.islands.count(), 1e3 * t.seconds, 1e6 * t.seconds / t.groups);
    data << fmt::format("{},{}\n", t.groups, t.seconds);
  }
  context.print_table(table);
  const double slope = observed_order(n, seconds);
  context.report(
      make_finding("anitescu1998", "groups", "slope of log(time per step) over log(number of groups)", "1", slope, {},
                   separate && std::abs(slope - 1) <= 0.1,
                   "one within 0.1, least squares over 10 to 1000 groups, one thread, each its own island; "
                   "groups at rest, since an impact cuts the step of all; a timing: it varies with the machine"));
  report::Plot plot;
  plot.title = "Separate piles of four balls, one thread";
  plot.x_label = "groups";
  plot.y_label = "processor time of a step [s]";
  plot.x_log = plot.y_log = true;
  plot.series = {report::markers("measured", n, seconds), report::dashed_line("linear", n, linear)};
  return report::write_svg(plot, context.out / "groups.svg");
}

}  // namespace stiction::papers::anitescu1998
