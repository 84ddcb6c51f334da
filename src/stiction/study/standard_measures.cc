#include "stiction/study/standard_measures.h"

#include <algorithm>
#include <cmath>
#include <ctime>

#include <fmt/format.h>

#include "stiction/base/assert.h"
#include "stiction/math/log_slope.h"
#include "stiction/study/standard_scenes.h"

namespace stiction {

namespace {

constexpr int timed_steps = 25;         // of each number of contacts, the first of which is not counted
constexpr double enough_seconds = 1.0;  // for one number of contacts
constexpr double too_slow = 2.0;        // s per step: more contacts are not tried
constexpr double longest_run = 120;     // s: a method that needs more for one scene is ended there

BuiltModel build(const StandardScene& scene) {
  auto built = build_model(scene.model);
  STICTION_ASSERT(built.has_value(), "a standard scene must build");
  return std::move(*built);
}

// The shares of the whole that a progress bar shows for the scenes and, at the end, for the cost.
class Part {
 public:
  Part(const CompareProgress& tell, double begin, double end) : tell_(tell), begin_(begin), end_(end) {}

  void operator()(std::string_view method, double fraction) const {
    if (tell_) tell_(method, begin_ + (end_ - begin_) * fraction);
  }

 private:
  const CompareProgress& tell_;
  double begin_, end_;
};

// Where the trace was nearest to a time.
const CompareSample& sample_at(const MethodRun& run, double time) {
  return *std::min_element(run.samples.begin(), run.samples.end(), [&](const auto& a, const auto& b) {
    return std::abs(a.time - time) < std::abs(b.time - time);
  });
}

void merge(const StandardScene& scene, const MethodRun& run, StandardFigures& figures) {
  if (!run.integrator.empty()) figures.integrator = run.integrator;
  figures.penetration = std::max(figures.penetration, run.penetration);
  figures.steps += run.summary.steps;
  for (const auto& [fallback, count] : run.summary.fallbacks) {
    (left_unsolved(fallback.kind) ? figures.not_converged : figures.fallbacks) += count;
  }
  if (!run.completed()) ++figures.not_converged;
  figures.steps_over_tolerance += run.summary.steps_over_tolerance;
  if (run.completed()) return;
  figures.failures.push_back(run.started ? fmt::format("{}: stopped at t = {:g} s: {}", scene.name,
                                                       run.failed_at.value_or(0), run.summary.failure)
                                         : fmt::format("{}: {}", scene.name, run.summary.failure));
}

// CPU time of the calling thread, which other programs do not disturb much [s].
double thread_seconds() {
  std::timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// Median time of a step, or nothing when a step fails; the reason goes to `failures`.
std::optional<double> time_slab(const std::string& method, int contacts, std::vector<std::string>& failures) {
  StandardScene scene = standard_slab(contacts);
  scene.settings.method = method;
  auto simulation = Simulation::create(build(scene), scene.settings);
  if (!simulation) {
    failures.push_back(fmt::format("slab: {}", simulation.error().what));
    return std::nullopt;
  }
  std::vector<double> times;
  double spent = 0;
  for (int i = 0; i < timed_steps && (i < 3 || spent < enough_seconds); ++i) {
    const double begin = thread_seconds();
    const StepOutcome outcome = simulation->step();
    const double seconds = thread_seconds() - begin;
    if (!outcome.ok) {
      failures.push_back(fmt::format("slab on {} feet: {}", contacts, outcome.failure));
      return std::nullopt;
    }
    spent += seconds;
    if (i > 0) times.push_back(seconds);
  }
  std::nth_element(times.begin(), times.begin() + static_cast<long>(times.size() / 2), times.end());
  return times[times.size() / 2];
}

void measure_cost(const std::vector<int>& counts, StandardFigures& figures) {
  for (const int contacts : counts) {
    const auto seconds = time_slab(figures.method, contacts, figures.failures);
    if (!seconds) break;
    figures.cost.push_back({contacts, *seconds});
    if (*seconds > too_slow) break;
  }
  figures.exponent = fitted_exponent(figures.cost);
}

void measure_costs(const StandardOptions& options, const Part& part, std::vector<StandardFigures>& figures) {
  const std::vector<int> counts = options.quick ? std::vector{1, 4, 16} : std::vector{1, 2, 4, 8, 16, 32, 64, 128, 200};
  for (size_t m = 0; m < figures.size(); ++m) {
    part(figures[m].method, static_cast<double>(m) / static_cast<double>(figures.size()));
    measure_cost(counts, figures[m]);
  }
}

// One for each method, nothing measured yet.
std::vector<StandardFigures> name_figures(const std::vector<std::string>& methods) {
  std::vector<StandardFigures> figures(methods.size());
  for (size_t m = 0; m < methods.size(); ++m) figures[m].method = methods[m];
  return figures;
}

}  // namespace

double creep_of(const MethodRun& run) {
  const CompareSample& last = run.samples.back();
  const CompareSample& half = sample_at(run, 0.5 * last.time);
  double fastest = 0;
  for (size_t p = 0; p < last.displacement.size(); ++p) {
    const double moved = (last.displacement[p] - half.displacement[p]).norm();
    fastest = std::max(fastest, moved / (last.time - half.time));
  }
  return fastest;
}

double rebound_of(const MethodRun& run) {
  const CompareSample& last = run.samples.back();
  const CompareSample& before = sample_at(run, 0.75 * last.time);
  const double speed = (last.displacement.front().z() - before.displacement.front().z()) / (last.time - before.time);
  return speed / standard_approach;
}

std::optional<double> fitted_exponent(const std::vector<CostPoint>& points) {
  if (points.size() < 2) return std::nullopt;
  // Few contacts show what a step costs without any; growth is in the rest.
  const double begin = std::sqrt(static_cast<double>(points.back().contacts));
  std::vector<double> contacts, seconds;
  for (const CostPoint& point : points) {
    if (point.contacts < begin) continue;
    contacts.push_back(point.contacts);
    seconds.push_back(point.seconds);
  }
  const double slope = log_slope(contacts, seconds);
  return std::isfinite(slope) ? std::optional(slope) : std::nullopt;
}

std::vector<StandardFigures> measure_standard(const std::vector<std::string>& methods, const StandardOptions& options,
                                              const CompareProgress& progress) {
  std::vector<StandardFigures> figures = name_figures(methods);
  const double rest = options.quick ? 0.1 : 5.0;
  const std::vector<StandardScene> scenes = {standard_stack(rest), standard_grasp(rest), standard_impact(),
                                             standard_heap(options.quick ? 0.2 : 2.0)};
  for (size_t s = 0; s < scenes.size(); ++s) {
    const StandardScene& scene = scenes[s];
    const Part part(progress, 0.15 * static_cast<double>(s), 0.15 * static_cast<double>(s + 1));
    CompareOptions compare;
    compare.pairs = scene.pairs;
    compare.longest_seconds = longest_run;
    const auto runs = compare_methods(build(scene), scene.settings, methods, compare, options.threads, part);
    for (size_t m = 0; m < methods.size(); ++m) {
      merge(scene, runs[m], figures[m]);
      if (!runs[m].completed()) continue;
      if (scene.name == "stack") figures[m].stack_creep = creep_of(runs[m]);
      if (scene.name == "grasp") figures[m].grasp_creep = creep_of(runs[m]);
      if (scene.name == "impact") figures[m].restitution = rebound_of(runs[m]);
    }
  }
  measure_costs(options, Part(progress, 0.6, 1), figures);
  return figures;
}

std::vector<StandardFigures> measure_costs(const std::vector<std::string>& methods, const StandardOptions& options,
                                           const CompareProgress& progress) {
  std::vector<StandardFigures> figures = name_figures(methods);
  measure_costs(options, Part(progress, 0, 1), figures);
  return figures;
}

}  // namespace stiction
