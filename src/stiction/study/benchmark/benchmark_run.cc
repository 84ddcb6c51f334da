#include "stiction/study/benchmark/benchmark_run.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>
#include <utility>

#include <fmt/format.h>

#include "stiction/methods/exact_cone.h"
#include "stiction/simulation/run.h"

namespace stiction {

namespace {

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// s: median of what two readings in a row differ by.
double cost_of_the_clock() {
  std::array<double, 201> costs{};
  for (double& cost : costs) {
    const double begin = cpu_seconds();
    cost = cpu_seconds() - begin;
  }
  std::nth_element(costs.begin(), costs.begin() + 100, costs.end());
  return costs[100];
}

// Ours, stepped as any user steps it.
class OurWorld final : public BenchmarkWorld {
 public:
  explicit OurWorld(Simulation simulation) : simulation_(std::move(simulation)) {}

  std::string advance() override {
    const StepOutcome outcome = simulation_.step();
    if (!outcome.ok) return outcome.failure;
    worst_ = std::max(worst_, simulation_.last_step().certificate.worst());
    return {};
  }
  void read(std::vector<BodyMotion>& bodies) override {
    const Kinematics& kinematics = simulation_.kinematics();
    for (size_t b = 0; b < bodies.size(); ++b) bodies[b] = {kinematics.X_WB[b], kinematics.velocity[b]};
  }
  std::optional<double> certificate() const override { return worst_; }

 private:
  Simulation simulation_;
  double worst_ = 0;
};

// Times of the steps of one motion.
struct StepTimes {
  double clock = 0;  // s: cost of the clock
  double all = 0, timed = 0, end = 0;
  long timed_steps = 0, end_steps = 0;

  void add(double seconds, bool counts, bool at_end) {
    const double own = std::max(0.0, seconds - clock);
    all += own;
    if (counts) timed += own, ++timed_steps;
    if (at_end) end += own, ++end_steps;
  }
};

double per_step(double seconds, long steps) {
  return steps > 0 ? seconds / static_cast<double>(steps) : 0;
}

std::vector<BodyMotion> start_of(const BuiltModel& built) {
  Kinematics kinematics = make_kinematics(built.model);
  update_kinematics(built.model, built.state, 0, kinematics);
  return body_motions(kinematics);
}

bool all_finite(const std::vector<BodyMotion>& bodies) {
  return std::all_of(bodies.begin(), bodies.end(), [](const BodyMotion& body) {
    return body.X_WB.p.allFinite() && body.X_WB.R.allFinite() && body.velocity.linear.allFinite();
  });
}

// The worst of each figure; one that is new is added.
void take_worst(const std::vector<BenchmarkFigure>& more, std::vector<BenchmarkFigure>& figures) {
  for (const BenchmarkFigure& figure : more) {
    const auto known =
        std::find_if(figures.begin(), figures.end(), [&](const BenchmarkFigure& f) { return f.name == figure.name; });
    if (known == figures.end()) {
      figures.push_back(figure);
    } else if (!(figure.value <= known->value)) {
      known->value = figure.value;
    }
  }
}

// One motion on one engine, from its first step to its last.
class MotionRun {
 public:
  MotionRun(const BenchmarkScene& scene, const BenchmarkMotion& motion, double step, BuiltModel built)
      : scene_(scene), step_(step), built_(std::move(built)), bodies_(start_of(built_)) {
    meter_ = make_benchmark_meter(motion, scene.duration, built_.model, bodies_);
    times.clock = cost_of_the_clock();
  }

  const BuiltModel& built() const { return built_; }
  const BenchmarkMeter& meter() const { return *meter_; }

  // Returns why it ended early; empty: it did not.
  std::string run(BenchmarkWorld& world, double longest_seconds, const BenchmarkProgress& progress) {
    const long count = steps_for(scene_.duration, step_), untimed = count / 10;
    const long last_second = count - std::lround(1 / step_);
    for (steps = 0; steps < count;) {
      const double begin = cpu_seconds();
      std::string failure = world.advance();
      times.add(cpu_seconds() - begin, steps >= untimed, scene_.last_second && steps >= last_second);
      if (!failure.empty()) return failure;
      ++steps;
      world.read(bodies_);
      if (!all_finite(bodies_)) return fmt::format("step {} of {}: a number is not finite", steps, count);
      meter_->observe(static_cast<double>(steps) * step_, bodies_);
      if (times.all > longest_seconds && steps < count) {
        return fmt::format("ended by the limit of {:g} s at step {} of {}", longest_seconds, steps, count);
      }
      if (progress) progress(static_cast<double>(steps) / static_cast<double>(count));
    }
    return {};
  }

  StepTimes times;
  long steps = 0;

 private:
  const BenchmarkScene& scene_;
  double step_;
  BuiltModel built_;
  std::vector<BodyMotion> bodies_;
  std::unique_ptr<BenchmarkMeter> meter_;
};

// One clause after the other, each once.
void add_note(const std::string& text, BenchmarkResult& result) {
  if (text.empty() || result.note.find(text) != std::string::npos) return;
  result.note += (result.note.empty() ? "" : "; ") + text;
}

// Ends the result with what went wrong.
void give_up(const std::string& why, BenchmarkResult& result) {
  result.completed = false;
  add_note(why, result);
  result.figures.clear();
}

}  // namespace

BenchmarkEngine benchmark_engine(methods::Accuracy accuracy) {
  const auto make = [accuracy](const BuiltModel& built, double step) -> Result<std::unique_ptr<BenchmarkWorld>> {
    SimulationSettings settings;
    settings.step = step;
    settings.options.of<methods::ExactConeOptions>().accuracy = accuracy;
    auto simulation = Simulation::create(built, settings);
    if (!simulation) return failure(simulation.error());
    return std::make_unique<OurWorld>(std::move(*simulation));
  };
  return {"stiction", std::string(methods::accuracy_name(accuracy)), make};
}

BenchmarkResult measure_benchmark(const BenchmarkScene& scene, double step, const BenchmarkEngine& engine,
                                  double longest_seconds, const BenchmarkProgress& progress) {
  BenchmarkResult result{.scene = scene.name, .engine = engine.name, .setting = engine.setting, .step = step};
  StepTimes sum;
  const auto motions = static_cast<double>(scene.motions.size());
  for (size_t m = 0; m < scene.motions.size() && result.completed; ++m) {
    auto built = build_model(scene.motions[m].model);
    if (!built) return give_up(built.error().what, result), result;
    MotionRun run(scene, scene.motions[m], step, std::move(*built));
    auto world = engine.make(run.built(), step);
    if (!world) return give_up(world.error().what, result), result;
    const std::string ended = run.run(**world, longest_seconds, [&](double fraction) {
      if (progress) progress((static_cast<double>(m) + fraction) / motions);
    });
    result.steps += run.steps;
    sum.timed += run.times.timed, sum.timed_steps += run.times.timed_steps;
    sum.end += run.times.end, sum.end_steps += run.times.end_steps;
    if (const auto worst = (*world)->certificate())
      result.certificate = std::max(result.certificate.value_or(0), *worst);
    take_worst(run.meter().figures(), result.figures);
    add_note((*world)->complaints(), result);
    if (!ended.empty()) give_up(ended, result);
  }
  result.time_per_step = per_step(sum.timed, sum.timed_steps);
  if (sum.end_steps > 0) result.time_per_step_end = per_step(sum.end, sum.end_steps);
  return result;
}

}  // namespace stiction
