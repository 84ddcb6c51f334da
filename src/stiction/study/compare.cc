#include "stiction/study/compare.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <mutex>

#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/partitioner.h>
#include <tbb/task_arena.h>

#include "stiction/methods/registry.h"
#include "stiction/solvers/registry.h"

namespace stiction {

namespace {

using Clock = std::chrono::steady_clock;

double total(const Energies& energies) {
  return energies.kinetic + energies.potential;
}

// Watches one simulation and fills its MethodRun.
class Observer {
 public:
  Observer(Simulation& simulation, const CompareOptions& options, MethodRun& run)
      : simulation_(simulation), run_(run), end_geometry_(simulation.stepper().judges_the_end()) {
    const SimulationSettings& settings = simulation.settings();
    const auto steps = static_cast<size_t>(steps_for(settings.duration, settings.step));
    const size_t samples = std::max<size_t>(1, options.max_samples);
    steps_per_sample_ = static_cast<long>((steps + samples - 1) / samples);
    for (const DriftPair& pair : options.pairs) {
      meters_.emplace_back(simulation.model(), simulation.kinematics(), pair);
      run.drifts.push_back({.pair = pair,
                            .limit = options.drop_distance.value_or(default_drop_distance(simulation.model(), pair)),
                            .dropped_at = {}});
    }
    run.energy_start = run.energy_end = total(simulation.energies());
    begin_sample();
    end_sample();
  }

  void after_step() {
    if (steps_in_sample_ == 0) begin_sample();
    ++steps_in_sample_;
    measure_energy();
    measure_drift();
    // At the start of the step; the same as the geometry says, and free.
    if (!end_geometry_) note_penetration(simulation_.last_step().certificate.penetration);
    if (steps_in_sample_ >= steps_per_sample_) end_sample();
  }

  void finish() {
    if (steps_in_sample_ > 0) end_sample();
  }

 private:
  void begin_sample() {
    run_.samples.emplace_back();
    run_.samples.back().drift.assign(meters_.size(), 0.0);
  }

  void end_sample() {
    CompareSample& sample = run_.samples.back();
    sample.time = simulation_.state().time;
    sample.energy = run_.energy_end;
    for (const PairDrift& drift : run_.drifts) sample.displacement.push_back(drift.displacement);
    note_penetration(simulation_.measure_penetration());
    steps_in_sample_ = 0;
  }

  void note_penetration(double depth) {
    double& sampled = run_.samples.back().penetration;
    sampled = std::max(sampled, depth);
    run_.penetration = std::max(run_.penetration, depth);
  }

  void measure_energy() {
    run_.energy_end = total(simulation_.energies());
    run_.energy_gain = std::max(run_.energy_gain, run_.energy_end - run_.energy_start);
  }

  void measure_drift() {
    const double time = simulation_.state().time;
    for (size_t p = 0; p < meters_.size(); ++p) {
      PairDrift& drift = run_.drifts[p];
      drift.displacement = meters_[p].displacement(simulation_.kinematics());
      const double distance = drift.end();
      double& sampled = run_.samples.back().drift[p];
      sampled = std::max(sampled, distance);
      if (distance > drift.largest) {
        drift.largest = distance;
        drift.largest_time = time;
      }
      if (distance > drift.limit && !drift.dropped_at) drift.dropped_at = time;
    }
  }

  Simulation& simulation_;
  MethodRun& run_;
  bool end_geometry_;
  std::vector<DriftMeter> meters_;
  long steps_per_sample_ = 1, steps_in_sample_ = 0;
};

// Counts steps of all runs; the callback is told of them one at a time.
class SharedProgress {
 public:
  SharedProgress(const CompareProgress& tell, double steps) : tell_(tell), steps_(steps) {}

  void add(std::string_view method, long count) {
    if (!tell_ || count <= 0) return;
    const std::lock_guard lock(mutex_);
    done_ += count;
    tell_(method, std::min(1.0, static_cast<double>(done_) / steps_));
  }

 private:
  const CompareProgress& tell_;
  double steps_;
  std::mutex mutex_;
  long done_ = 0;
};

}  // namespace

double MethodRun::seconds_per_step() const {
  return summary.steps > 0 ? summary.wall_seconds / static_cast<double>(summary.steps) : 0;
}

std::optional<double> MethodRun::dropped_at() const {
  std::optional<double> first;
  for (const PairDrift& drift : drifts) {
    if (drift.dropped_at && (!first || *drift.dropped_at < *first)) first = drift.dropped_at;
  }
  return first;
}

long MethodRun::fallback_count() const {
  long count = 0;
  for (const auto& [fallback, times] : summary.fallbacks) count += times;
  return count;
}

MethodRun measure_method(const BuiltModel& built, const SimulationSettings& settings, const CompareOptions& options,
                         const std::function<void()>& after_step) {
  SimulationSettings own = settings;
  own.threads = 1;
  const methods::MethodDescription* method = methods::find_method(own.method);
  const solvers::SolverInfo* solver = solvers::find_solver(own.solver);
  if (method != nullptr && solver != nullptr && !methods::takes_solver(*method, *solver)) {
    own.solver = solvers::auto_friction.name;
  }
  MethodRun result;
  result.method = own.method;
  result.solver = own.solver;
  auto created = Simulation::create(built, own);
  if (!created) {
    result.summary.ok = false;
    result.summary.failure =
        created.error().name.empty() ? created.error().what : created.error().what + ": '" + created.error().name + "'";
    return result;
  }
  Simulation& simulation = *created;
  result.started = true;
  result.integrator = simulation.stepper().integrator();
  Observer observer(simulation, options, result);
  Clock::duration watching{};
  result.summary = run(
      simulation,
      [&](const StepOutcome&) {
        const Clock::time_point begin = Clock::now();
        observer.after_step();
        if (after_step) after_step();
        watching += Clock::now() - begin;
      },
      options.longest_seconds);
  observer.finish();
  result.summary.wall_seconds -= std::chrono::duration<double>(watching).count();
  if (!result.summary.ok) result.failed_at = simulation.state().time;
  return result;
}

std::vector<MethodRun> compare_methods(const BuiltModel& built, const SimulationSettings& settings,
                                       const std::vector<std::string>& methods, const CompareOptions& options,
                                       int threads, const CompareProgress& progress) {
  std::vector<MethodRun> runs(methods.size());
  const long steps = steps_for(settings.duration, settings.step);
  SharedProgress shared(progress, static_cast<double>(steps) * static_cast<double>(methods.size()));
  const auto measure = [&](size_t m) {
    SimulationSettings own = settings;
    own.method = methods[m];
    runs[m] = measure_method(built, own, options, [&] { shared.add(methods[m], 1); });
    shared.add(methods[m], steps - runs[m].summary.steps);  // of a run that ended early
  };
  if (threads <= 1) {
    for (size_t m = 0; m < methods.size(); ++m) measure(m);
    return runs;
  }
  // As many as asked for, also where there are fewer cores.
  const tbb::global_control control(tbb::global_control::max_allowed_parallelism, static_cast<size_t>(threads));
  tbb::task_arena arena(threads);
  arena.execute([&] { tbb::parallel_for(size_t{0}, methods.size(), measure, tbb::simple_partitioner()); });
  return runs;
}

}  // namespace stiction
