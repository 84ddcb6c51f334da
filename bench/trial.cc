#include "trial.h"

#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>

#include "stiction/certify/friction_residual.h"

namespace stiction::bench {
namespace {

/// Ends this process by SIGVTALRM once it has used so much more CPU time, or by SIGALRM if it only waits.
void limit_time(double seconds) {
  itimerval timer{};
  timer.it_value.tv_sec = static_cast<time_t>(seconds);
  timer.it_value.tv_usec = static_cast<suseconds_t>(1e6 * (seconds - std::floor(seconds)));
  setitimer(ITIMER_VIRTUAL, &timer, nullptr);
  alarm(static_cast<unsigned>(10 * seconds) + 60);
}

/// The child's side: runs trials and sends each as a line.
class TrialRunner {
 public:
  TrialRunner(Contestant& contestant, const FrictionFile& file, const TrialOptions& options, std::FILE* out)
      : contestant_(contestant), file_(file), options_(options), out_(out), r_(file.problem.q.size()) {}

  void run() {
    contestant_.load(file_);
    if (contestant_.tolerance_is_target()) {
      run_targets();
    } else {
      search_tolerances();
    }
  }

 private:
  /// Tries the targets themselves, and with whole_range the decades between and beyond.
  void run_targets() {
    std::vector<double> tolerances = options_.targets;
    if (options_.whole_range) {
      for (int k = 1; k <= 12; ++k) tolerances.push_back(std::pow(10.0, -k));
      std::sort(tolerances.rbegin(), tolerances.rend());
      tolerances.erase(std::unique(tolerances.begin(), tolerances.end()), tolerances.end());
    }
    solve_once(tolerances.front());  // warms caches and lazily bound symbols
    for (const double tolerance : tolerances) {
      const auto target = std::find(options_.targets.begin(), options_.targets.end(), tolerance);
      const Trial trial = try_tolerance(tolerance, options_.runs);
      const bool counts = target != options_.targets.end() && trial.residual <= *target;
      send(trial, counts ? static_cast<int>(target - options_.targets.begin()) : -1);
    }
  }

  /// Goes down by decades (its measure of error depends on units, so far in both directions); where a target is met for
  /// the first time, looks between the last two decades (5, 2, 1) for the loosest tolerance that does.
  void search_tolerances() {
    std::size_t next = 0;
    solve_once(10);
    const double start = thread_milliseconds();
    // Each solve has its limit; that of the search only ends one that stagnates at a cost below it.
    const double last_start = start + 20e3 * options_.time_limit;
    for (int decade = 1; decade >= -17 && thread_milliseconds() < last_start; --decade) {
      const double tolerance = std::pow(10.0, decade);
      const Trial coarse = try_tolerance(tolerance, 1);
      const bool met = next < options_.targets.size() && coarse.residual <= options_.targets[next];
      if (!met) send(coarse, -1);
      while (next < options_.targets.size() && coarse.residual <= options_.targets[next]) {
        send(loosest(tolerance, options_.targets[next], decade < 1), static_cast<int>(next));
        ++next;
      }
      if (next == options_.targets.size() && (!options_.whole_range || decade <= -12)) break;
    }
  }

  Trial loosest(double tolerance, double target, bool refine) {
    for (const double factor : {5.0, 2.0}) {
      if (!refine) break;
      const Trial trial = try_tolerance(factor * tolerance, 1);
      if (trial.residual <= target) return try_tolerance(factor * tolerance, options_.runs);
    }
    return try_tolerance(tolerance, options_.runs);
  }

  Trial try_tolerance(double tolerance, int runs) {
    Trial trial{.tolerance = tolerance, .residual = 0, .milliseconds = 0, .runs = 0, .converged = true, .rung = {}};
    std::vector<double> times;
    double total = 0;
    while (static_cast<int>(times.size()) < wanted_runs(runs, times, total)) {
      const Outcome outcome = solve_once(tolerance, &times.emplace_back());
      total += times.back();
      trial.converged = trial.converged && outcome.converged;
      trial.rung = outcome.rung;
      trial.residual = std::max(trial.residual, certify::friction_residual(file_.problem, r_).natural);
    }
    trial.runs = static_cast<int>(times.size());
    std::nth_element(times.begin(), times.begin() + trial.runs / 2, times.end());
    trial.milliseconds = times[trial.runs / 2];
    return trial;
  }

  /// Five times as many where a solve takes microseconds, three where it takes seconds; the same for everyone.
  static int wanted_runs(int runs, const std::vector<double>& times, double total) {
    if (runs == 1 || times.empty()) return 1;
    if (times.front() < 0.2) return 5 * runs;
    return total > 5000 ? 3 : runs;
  }

  Outcome solve_once(double tolerance, double* milliseconds = nullptr) {
    std::fill(r_.begin(), r_.end(), 0.0);
    contestant_.prepare(tolerance);
    limit_time(options_.time_limit);
    const double start = thread_milliseconds();
    const Outcome outcome = contestant_.solve(r_);
    if (milliseconds != nullptr) *milliseconds = thread_milliseconds() - start;
    return outcome;
  }

  void send(const Trial& trial, int target) {
    std::fprintf(out_, "%d %.17g %.17g %.17g %d %d %s\n", target, trial.tolerance, trial.residual, trial.milliseconds,
                 trial.runs, trial.converged ? 1 : 0, trial.rung.empty() ? "-" : trial.rung.c_str());
    std::fflush(out_);
  }

  Contestant& contestant_;
  const FrictionFile& file_;
  const TrialOptions& options_;
  std::FILE* out_;
  std::vector<double> r_;
};

/// Reads the lines that TrialRunner::send wrote until the child has closed its end.
void receive(int descriptor, Measurement& measurement) {
  std::FILE* in = fdopen(descriptor, "r");
  Trial trial;
  int target = -1;
  int converged = 0;
  char rung[64];
  while (std::fscanf(in, "%d %lf %lf %lf %d %d %63s", &target, &trial.tolerance, &trial.residual, &trial.milliseconds,
                     &trial.runs, &converged, rung) == 7) {
    trial.converged = converged != 0;
    trial.rung = rung[0] == '-' ? "" : rung;
    if (target >= 0) measurement.by_target[target] = static_cast<int>(measurement.trials.size());
    measurement.trials.push_back(trial);
  }
  std::fclose(in);
}

[[noreturn]] void run_child(Contestant& contestant, const FrictionFile& file, const TrialOptions& options,
                            int descriptor) {
  // A peer that prints, prints nowhere: standard output is the report's.
  if (std::freopen("/dev/null", "w", stdout) == nullptr || std::freopen("/dev/null", "w", stderr) == nullptr) _exit(1);
  std::FILE* out = fdopen(descriptor, "w");
  TrialRunner(contestant, file, options, out).run();
  std::fclose(out);
  _exit(0);
}

}  // namespace

Measurement measure(Contestant& contestant, const FrictionFile& file, const TrialOptions& options) {
  Measurement measurement;
  measurement.by_target.assign(options.targets.size(), -1);
  int ends[2];
  if (pipe(ends) != 0) return measurement;
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    run_child(contestant, file, options, ends[1]);
  }
  close(ends[1]);
  receive(ends[0], measurement);
  int status = 0;
  waitpid(child, &status, 0);
  measurement.killed = !(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  return measurement;
}

double thread_milliseconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return 1e3 * static_cast<double>(now.tv_sec) + 1e-6 * static_cast<double>(now.tv_nsec);
}

}  // namespace stiction::bench
