#include "stiction/solvers/friction/body/body_ladder.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "stiction/solvers/friction/body/body_memory.h"

namespace stiction::solvers {

namespace {

// The interior point goes no further: nearer to the answer its matrix is ill-conditioned. One that began at a guess
// ends sooner, where Newton's method is faster.
constexpr double interior_stop = 1e-8, stop_from_guess = 3e-7;

// Factorisations of Newton's method behind an interior point, within how many it must gain; the first without a path.
constexpr int newton_budget = 400, newton_patience = 100, only_newton_budget = 1000;

// Newton's method behind an interior point that began at a guess. The penalty starts soft and grows fast: what the
// interior point leaves between open and pressing, a stiff step would take for open. What moves needs no polish.
constexpr BodyProximalOptions from_inside = {
    .penalty = 1e2, .factorizations = 100, .patience = 30, .growth = 10, .polish = false};
// A tolerance that sweeps meet, mostly: below it an interior point is cheaper without them, but for a few that end what
// is simple. Above it, repairs want the states of contacts that Newton's method leaves.
constexpr double sweeps_reach = 1e-5;
constexpr int few_sweeps = 10;
// z o s at its start over the square of the guess's error; a budget below which sweeps are of more use.
constexpr double guess_level = 0.1, fewest_for_guess = 100;

// Newton's method from the best so far begins softly, since the penalty at which it fails is far above the one at which
// it moves on, and goes on for long, since forces drift by a hundredth per step until one of them lets go. Behind paths
// it begins with these penalties times the residual in turn, another way each, where the best has come so much nearer
// since it began so before, and must halve the residual within `drift_patience`.
constexpr double soft_penalty = 1e2, penalties[] = {0, 1e-3, 5};
constexpr double nearer = 0.5;
constexpr int drift_budget = 300, drift_patience = 100;

// Starts of paths, each another way to the answer, far from it: those with impulses of 1 turn five times as often.
// Behind the first two, every contact has a barrier of its own: paths with the same one for all end in the same folds.
// Factorisations of one; at which residual Newton's method is tried for the first time (at 1e-4 it fails more often, at
// 1e-5 the path is dear), how much nearer for each other time, what a trial may cost.
constexpr BodyPathStart path_starts[] = {{10, 10},     {100, 10},    {100, 10, 1},  {10, 10, 2},  {100, 10, 3},
                                         {10, 10, 4},  {100, 10, 5}, {10, 10, 6},   {100, 10, 7}, {10, 10, 8},
                                         {100, 10, 9}, {10, 10, 10}, {100, 10, 11}, {10, 10, 12}};
constexpr int path_budget = 400, trial_budget = 100, trial_patience = 20;
constexpr double first_trial = 3e-5, next_trial = 0.6;

// Islands with more blocks than this have folds on their way at most steps while they settle: the path comes before
// Newton's method from the best; with more than the second, also before an interior point from the guess.
constexpr size_t many_blocks = 500, too_many_for_guess = 1500;

// From a guess with this residual, or with so many tolerances, Newton's method needs a step or two, and polishes: what
// rests then stays where it is.
constexpr double good_guess = 1e-3, good_tolerances = 200;

// Where sweeps do the work: above this residual what they leave is far from an answer (a wall would fall), and a
// factorisation is cheap up to so many multiplications per block, what thirty sweeps take. A pile of 100 takes 1,500, a
// wall of 250 boxes 2,700, a pile of 1000 thirty thousand. Before sweeps Newton's method mostly fails there.
constexpr double far_residual = 1e-3, cheap_work = 5000;

// Of the last rung.
constexpr int most_long_sweeps = 4000, sweeps_at_a_time = 200, newton_after_sweeps = 200;

// One walk up the ladder.
struct Walk {
  const BodyOptions& options;
  BodyMemory& m;
  bool analyzed = false;
  double guess_residual = infinity;  // of m.guess

  void analyze() {
    if (analyzed) return;
    m.matrix.analyze(m.system);
    analyzed = true;
  }
  bool may_factor() {
    if (!options.factors_rarely) return true;
    if (m.progress.best_residual <= far_residual) return false;
    analyzed = m.matrix.analyze(m.system, cheap_work * static_cast<double>(m.system.blocks.size()));
    return analyzed;
  }
  // The nearer z is, the stiffer: a residual that is small already needs impulses that move far along what W does not
  // feel. `stiffness` is the penalty times the residual.
  void newton(double stiffness, int factorizations, int patience, bool only_if_easy = false) {
    analyze();
    const double penalty = std::clamp(stiffness / m.progress.best_residual, 1e2, 1e6);
    m.proximal.run(m.system, {penalty, factorizations, patience, only_if_easy}, m.matrix, m.progress, m.z);
  }
  // The interior point from a cold start, then Newton from its end.
  void interior(double damping, double centring) {
    analyze();
    m.run_interior(
        {.stop = std::max(options.tolerance, interior_stop), .damping = damping, .least_centring = centring});
    if (m.progress.best_residual <= m.progress.polished || m.progress.spent()) return;
    if (BodyPath::exists(m.system)) {
      newton(0.1, newton_budget, newton_patience);
    } else {
      newton(0.1, only_newton_budget, only_newton_budget);
    }
  }
  // The interior point from a guess with that residual, then Newton from its end.
  void interior_from(const std::vector<double>& z, double residual) {
    analyze();
    m.z = z;
    const double error = residual * m.system.smallest_judged;
    m.run_interior({.stop = std::max(options.tolerance, stop_from_guess),
                    .least_centring = 0.05,
                    .more_share = 0.08,
                    .damped_at_once = 3,
                    .level = guess_level * error * error,
                    .centred_steps = 2});
    if (m.progress.spent()) return;
    if (options.tolerance >= sweeps_reach) {
      if (m.progress.best_residual > m.progress.polished) newton(0.1, from_inside.factorizations, from_inside.patience);
    } else if (!m.progress.solved()) {
      m.proximal.run(m.system, from_inside, m.matrix, m.progress, m.z);
    }
  }
  // Newton from the best so far.
  void newton_from_best(double penalty, int patience) {
    analyze();
    m.z = m.progress.best;
    m.proximal.run(m.system, {std::clamp(penalty, soft_penalty, 1e6), drift_budget, patience, false}, m.matrix,
                   m.progress, m.z);
  }
  // The path from a start, with Newton's method from places on it as the residual falls.
  void path(const BodyPathStart& start) {
    analyze();
    m.path.start(m.system, start);
    const int last = m.progress.factorizations + path_budget;
    double goal = std::max(first_trial, options.tolerance);
    while (m.path.follow(m.system, goal, last - m.progress.factorizations, m.matrix, m.progress)) {
      if (m.progress.solved() || m.progress.spent()) return;
      m.z = m.path.impulse();
      const double penalty = std::clamp(1 / m.path.residual(), 1e2, 1e6);
      m.proximal.run(m.system, {penalty, trial_budget, trial_patience, false}, m.matrix, m.progress, m.z);
      if (m.progress.solved()) return;
      goal = next_trial * m.path.residual();
    }
  }
};

bool always(const Walk&) {
  return true;
}
bool has_close_guess(const Walk& walk) {
  return walk.options.warm_start && walk.options.guess_is_close;
}
bool has_trend(const Walk& walk) {
  const auto moves = [](double change) { return change != 0; };
  return has_close_guess(walk) && !walk.options.factors_rarely &&
         std::any_of(walk.options.trend.begin(), walk.options.trend.end(), moves);
}
bool has_good_guess(const Walk& walk) {
  return has_close_guess(walk) && !walk.options.factors_rarely &&
         walk.m.progress.best_residual <= std::max(good_guess, good_tolerances * walk.options.tolerance);
}
bool has_path(const Walk& walk) {
  return BodyPath::exists(walk.m.system);
}
bool has_no_path(const Walk& walk) {
  return !has_path(walk);
}
bool can_start_at_guess(const Walk& walk) {
  return has_close_guess(walk) && !walk.m.system.has_sets && walk.options.most_factorizations >= fewest_for_guess;
}
bool starts_at_guess(const Walk& walk) {
  return can_start_at_guess(walk) && !(has_path(walk) && walk.m.system.blocks.size() > too_many_for_guess);
}
bool starts_cold(const Walk& walk) {
  return !can_start_at_guess(walk) || !has_path(walk);
}
bool may_start_cold(const Walk& walk) {
  return !starts_cold(walk);
}
// Many bodies that touched each other before: what is new (an impact, a stored problem) is left to the interior point.
bool has_folds(const Walk& walk) {
  return !starts_cold(walk) && walk.m.system.blocks.size() > many_blocks;
}
bool has_few_folds(const Walk& walk) {
  return has_path(walk) && !has_folds(walk);
}
bool trusts_sweeps(const Walk& walk) {
  return walk.options.tolerance >= sweeps_reach || walk.options.most_factorizations < fewest_for_guess ||
         walk.m.system.has_sets;
}
bool wants_sweeps(const Walk& walk) {
  return walk.options.sweeps > 0 && (trusts_sweeps(walk) || !has_close_guess(walk));
}
bool wants_newton(const Walk& walk) {
  return has_close_guess(walk) && !can_start_at_guess(walk);
}

void look_at(const std::vector<double>& z, BodyMemory& m) {
  velocity_of(m.system, z.data(), m.x.data());
  all_velocities(m.system, m.x.data(), m.u.data());
  m.progress.offer(z, body_residual(m.system, z.data(), m.u.data()));
}
// The guess as it is comes first: what rests stays as it is.
void look_at_guess(Walk& walk) {
  BodyMemory& m = walk.m;
  look_at(m.z, m);
  const double enough = std::min(walk.options.guess_tolerance, walk.options.tolerance);
  if (m.progress.best_residual > enough && has_trend(walk)) {
    to_system(m.system, walk.options.trend, m.guess.data());
    for (int i = 0; i < m.system.row_count; ++i) m.guess[i] += m.z[i];
    put_in_cones(m.system, m.guess.data());
    look_at(m.guess, m);
    m.z = m.progress.best;
  }
  m.guess = m.z;
  walk.guess_residual = m.progress.best_residual;
}
void sweep(Walk& walk) {
  walk.m.sweeps.prepare(walk.m.system);
  const int count = trusts_sweeps(walk) ? walk.options.sweeps : std::min(walk.options.sweeps, few_sweeps);
  walk.m.sweeps.run(walk.m.system, std::min(count, walk.options.most_sweeps), walk.m.progress, walk.m.z);
}
// What rests needs one step, mostly. Where a stiff one changes the states of contacts, a softer one may not: left to
// what comes next, which ends at the tolerance and does not polish, it would be solved again at each step.
void newton_at_once(Walk& walk) {
  BodyMemory& m = walk.m;
  walk.newton(0.05, 12, 6, true);
  const double reached = m.progress.best_residual;
  if (reached <= walk.options.tolerance || reached > good_tolerances * walk.options.tolerance) return;
  m.z = m.progress.best;
  walk.newton(5e-4, 12, 6, true);
}
// What Newton's method has made of the guess is on the boundary of more cones, and a worse start.
void interior_from_guess(Walk& walk) {
  const BodyProgress& progress = walk.m.progress;
  const bool swept = progress.sweeps > 0;
  walk.interior_from(swept ? progress.best : walk.m.guess, swept ? progress.best_residual : walk.guess_residual);
}
void newton_from_guess(Walk& walk) {
  walk.m.z = walk.m.progress.best;
  walk.newton(0.5, 60, 15);
}
void interior_newton(Walk& walk) {
  walk.interior(0.7, 0.1);
}
void soft_newton(Walk& walk) {
  walk.newton_from_best(soft_penalty, drift_budget);
}
// Newton's method from the same impulses with the same penalty would end where it ended before.
void follow_paths(Walk& walk) {
  const BodyProgress& progress = walk.m.progress;
  const auto ended = [&] { return progress.best_residual <= walk.options.acceptance || progress.spent(); };
  double tried_from[] = {infinity, infinity, infinity};
  for (size_t k = has_folds(walk) ? 0 : 1; const BodyPathStart& start : path_starts) {  // soft-newton ran elsewhere
    walk.path(start);
    const size_t turn = k++ % std::size(penalties);
    if (!ended() && progress.best_residual < nearer * tried_from[turn]) {
      tried_from[turn] = progress.best_residual;
      walk.newton_from_best(penalties[turn] / progress.best_residual, drift_patience);
    }
    if (ended()) return;
  }
}
void bold_interior_newton(Walk& walk) {
  walk.interior(0.9, 0.02);
}
void convex_interior_newton(Walk& walk) {
  walk.interior(0, 0.3);
}

bool is_of_no_use(const Walk& walk) {
  return walk.m.progress.best_residual > walk.options.useful;
}
// Sweeps come near an answer where Newton's method does not, slowly: from the best so far until it is of use.
void sweep_for_long(Walk& walk) {
  BodyMemory& m = walk.m;
  m.z = m.progress.best;
  m.sweeps.prepare(m.system);
  for (int k = 0; k < most_long_sweeps && is_of_no_use(walk); k += sweeps_at_a_time) {
    const int left = m.progress.most_sweeps - m.progress.sweeps;
    if (left <= 0) break;
    m.sweeps.run(m.system, std::min(left, sweeps_at_a_time), m.progress, m.z);
  }
  m.z = m.progress.best;
  if (!m.progress.spent()) walk.newton(0.1, newton_after_sweeps, newton_after_sweeps);
}

struct Step {
  BodyRung rung;
  bool (*applies)(const Walk&);
  void (*run)(Walk&);
  bool improves_guess = false;   // runs although the guess is within the tolerance, where it must not start a motion
  bool runs_when_spent = false;  // of use though no factorisation is left
};

// An interior point takes up to 150 steps of at most three factorisations. What it leaves has folds on its way.
constexpr std::array<Step, 12> ladder = {{
    {{"guess", "always", 0, false, "a step at rest costs one residual"}, always, look_at_guess},
    {{"warm-newton", "with a good guess", 12, false, "what little has changed since the last step"},
     has_good_guess,
     newton_at_once,
     true},
    {{"sweeps", "at 1e-5 and more, with a small budget, with sets; else a few without a guess", 0, false,
      "something near, for little work"},
     wants_sweeps,
     sweep,
     false,
     true},
    {{"newton", "with a close guess, and sweeps", 60, false, "piles that have come to rest end here"},
     wants_newton,
     newton_from_guess},
    {{"warm-interior", "with a close guess, unless there are very many blocks", 550, false, "most of what moves"},
     starts_at_guess,
     interior_from_guess},
    {{"interior-newton", "without a close guess or a path", 1450, false, "most piles, walls and card houses to 1e-8"},
     starts_cold,
     interior_newton},
    {{"soft-newton", "with a path and few blocks, unless acceptable", 300, true, "forces that drift until one lets go"},
     has_few_folds,
     soft_newton},
    {{"path", "unless acceptable", 6000, true, "an answer past folds, for most starts of a path"},
     has_path,
     follow_paths},
    {{"interior-newton", "elsewhere, unless acceptable", 850, true, "another start"}, may_start_cold, interior_newton},
    {{"bold-interior-newton", "unless acceptable, without a path", 1450, true, "another start: little centring"},
     has_no_path,
     bold_interior_newton},
    {{"convex-interior-newton", "unless acceptable, without a path", 1450, true, "another start: the cone lagged"},
     has_no_path,
     convex_interior_newton},
    {{"long-sweeps", "where the best answer is of no use", 200, false, "something to go on with"},
     is_of_no_use,
     sweep_for_long,
     false,
     true},
}};

constexpr std::array<BodyRung, ladder.size()> make_rungs() {
  std::array<BodyRung, ladder.size()> rungs = {};
  for (size_t i = 0; i < ladder.size(); ++i) rungs[i] = ladder[i].rung;
  return rungs;
}
constexpr std::array<BodyRung, ladder.size()> rungs = make_rungs();

bool is_done(const Walk& walk, const Step& step) {
  const BodyProgress& progress = walk.m.progress;
  const bool improves = step.improves_guess && progress.best_residual > walk.options.guess_tolerance;
  return progress.solved() && !improves;
}

void climb(Walk& walk) {
  BodyProgress& progress = walk.m.progress;
  for (size_t i = 0; i < ladder.size(); ++i) {
    const Step& step = ladder[i];
    if (is_done(walk, step) || (i > 0 && progress.deadline.passed())) return;
    if (step.rung.factorizations > 0 && progress.spent() && !step.runs_when_spent) continue;
    if (step.rung.factorizations > 0 && !walk.may_factor()) continue;
    if (step.rung.dear && progress.best_residual <= walk.options.acceptance) return;
    if (!step.applies(walk)) continue;
    progress.rung = static_cast<int>(i);
    step.run(walk);
  }
}

}  // namespace

std::span<const BodyRung> body_rungs() {
  return rungs;
}

bool climb_ladder(const BodyOptions& options, bool analyzed, BodyMemory& memory) {
  Walk walk = {options, memory, analyzed};
  climb(walk);
  return walk.analyzed;
}

}  // namespace stiction::solvers
