// Modes that satisfy the law, by changing one at a time, and where that does not end by enumeration.
#include <algorithm>
#include <array>
#include <cmath>

#include "stiction/simulation/contact_modes.h"

namespace stiction {

namespace {

constexpr int max_turns = 60;            // of a direction of slip that begins
constexpr int pivots_per_item = 6, least_pivots = 40;
constexpr double same_direction = 1e-13;

// What breaks the law most, and what would mend it.
struct Break {
  enum class Mend { none, open, close, slip, stick, roll, hold };
  Mend mend = Mend::none;
  int item = -1;
  double size = 0;
};

class Search {
 public:
  Search(const InstantRows& rows, double tolerance, ModeProblem& problem)
      : rows_(rows), tolerance_(tolerance), p_(problem), scale_(problem.island.B.colwise().norm()) {
    for (double& s : scale_) s = s > 0 ? s : 1.0;
    load_ = problem.island.a0.cwiseQuotient(scale_).lpNorm<Eigen::Infinity>();
  }

  ModeSearch run();

 private:
  bool begins(size_t i) const { return p_.modes[i].slips && p_.slip[i].norm() == 0; }
  bool begins_rolling(size_t i) const { return p_.modes[i].rolls && p_.turning[i].norm() == 0; }
  Vector3 tangential(size_t i, const VectorX& x) const;
  ModeSolution solve();
  Break find_break(const ModeSolution& solution) const;
  void mend(const Break& broken, const ModeSolution& solution);
  bool enumerate(ModeSearch& search);

  const InstantRows& rows_;
  double tolerance_;
  ModeProblem& p_;
  VectorX scale_;
  double load_ = 0;
};

// Rows t, o, spin of an item; a joint's one row first.
Vector3 Search::tangential(size_t i, const VectorX& x) const {
  const InstantItem& item = p_.island.items[i];
  Vector3 t = Vector3::Zero();
  if (item.scalar >= 0) t[0] = x[item.first];
  for (int r = 1; item.scalar < 0 && r < item.rows; ++r) t[r - 1] = x[item.first + r];
  return t;
}

// With the direction of every slip that begins turned to that of its own acceleration.
ModeSolution Search::solve() {
  ModeSolution solution = solve_modes(p_);
  for (int turn = 0; turn < max_turns; ++turn) {
    double change = 0;
    for (size_t i = 0; i < p_.modes.size(); ++i) {
      if (!p_.modes[i].closed) continue;
      if (begins(i)) {
        const Vector3 a = tangential(i, solution.acceleration);
        if (a.dot(p_.modes[i].direction) > 0) {
          const Vector3 next = a.normalized();
          change = std::max(change, (next - p_.modes[i].direction).norm());
          p_.modes[i].direction = next;
        }
      }
      if (begins_rolling(i)) {
        const Vector2 a = solution.acceleration.segment<2>(p_.island.items[i].rolling);
        if (a.dot(p_.modes[i].rolling_direction) > 0) {
          const Vector2 next = a.normalized();
          change = std::max(change, (next - p_.modes[i].rolling_direction).norm());
          p_.modes[i].rolling_direction = next;
        }
      }
    }
    if (change <= same_direction) break;
    solution = solve_modes(p_);
  }
  return solution;
}

Break Search::find_break(const ModeSolution& solution) const {
  using Mend = Break::Mend;
  Break worst;
  const auto note = [&](Mend mend, size_t i, double size) {
    if (size > std::max(tolerance_, worst.size)) worst = {mend, static_cast<int>(i), size};
  };
  if (solution.tightest >= 0 && solution.margin < -tolerance_) {
    note(solution.tightest_is_normal ? Mend::open
         : solution.tightest_rolls   ? Mend::roll
                                     : Mend::slip,
         solution.tightest, -solution.margin);
  }
  const double unit = load_ > 0 ? 1 / load_ : 0.0;
  for (size_t i = 0; i < p_.modes.size(); ++i) {
    const InstantItem& item = p_.island.items[i];
    const double s = unit / scale_[item.first];
    if (!p_.modes[i].closed) {
      note(Mend::close, i, -s * solution.acceleration[item.first]);
      continue;
    }
    // A slip that begins must grow; equality is stick.
    if (begins(i)) {
      const double growth = tangential(i, solution.acceleration).dot(p_.modes[i].direction);
      if (growth <= 0) note(Mend::stick, i, std::max(-s * growth, 2 * tolerance_));
    }
    if (begins_rolling(i)) {
      const double growth = solution.acceleration.segment<2>(item.rolling).dot(p_.modes[i].rolling_direction);
      if (growth <= 0) note(Mend::hold, i, std::max(-unit / scale_[item.rolling] * growth, 2 * tolerance_));
    }
  }
  return worst;
}

void Search::mend(const Break& broken, const ModeSolution& solution) {
  using Mend = Break::Mend;
  const auto i = static_cast<size_t>(broken.item);
  ContactMode& mode = p_.modes[i];
  const InstantItem& item = p_.island.items[i];
  switch (broken.mend) {
    case Mend::open:
      mode.closed = false;
      break;
    case Mend::close:
      mode.closed = true;
      break;
    case Mend::slip: {
      mode.slips = true;
      const Vector3 f = tangential(i, solution.force);
      mode.direction = Vector3::Zero();
      for (int r = 0; r < 3; ++r) {
        const double axis = item.scalar >= 0 ? (r == 0 ? 1.0 : 0.0) : p_.axes[i][r];
        if (axis > 0) mode.direction[r] = -f[r] / (axis * axis);
      }
      mode.direction.normalize();
      break;
    }
    case Mend::stick:
      mode.slips = false;
      break;
    case Mend::roll:
      mode.rolls = true;
      mode.rolling_direction = -solution.force.segment<2>(item.rolling).normalized();
      break;
    case Mend::hold:
      mode.rolls = false;
      break;
    case Mend::none:
      break;
  }
}

// All slip states of a few contacts; the first that holds.
bool Search::enumerate(ModeSearch& search) {
  for (const InstantItem& item : p_.island.items) {
    if (item.rows > 3 || item.rolling >= 0) return false;
  }
  InstantIsland island = p_.island;
  for (size_t i = 0; i < island.items.size(); ++i) island.items[i].slides = p_.slip[i].norm() > 0;
  const ReducedProblem reduced = reduce_problem(rows_, island);
  const solvers::InstantReport report = solvers::enumerate_slip_states(reduced.problem);
  if (!report.enumerated) return false;
  search.enumerated = true;
  search.none = report.solutions.empty() && report.searched == 0;
  search.many = report.solutions.size() > 1;
  if (report.solutions.empty()) return false;
  const solvers::InstantSolution& first = report.solutions.front();
  const VectorX f = reduced.T.transpose() * first.force;
  const VectorX a = island.a0 + island.B.transpose() * (island.B * f);
  for (size_t i = 0; i < p_.modes.size(); ++i) {
    ContactMode& mode = p_.modes[i];
    mode.closed = first.states[i] != solvers::SlipState::separates;
    mode.slips = p_.slip[i].norm() > 0 || first.states[i] == solvers::SlipState::starts_to_slide;
    if (mode.slips && p_.slip[i].norm() == 0) mode.direction = tangential(i, a).normalized();
  }
  return true;
}

ModeSearch Search::run() {
  ModeSearch search;
  const int most = std::max<int>(least_pivots, pivots_per_item * static_cast<int>(p_.modes.size()));
  for (; search.pivots < most; ++search.pivots) {
    search.solution = solve();
    const Break broken = find_break(search.solution);
    if (broken.mend == Break::Mend::none) {
      search.found = search.solution.consistent;
      if (search.found) return search;
      break;
    }
    mend(broken, search.solution);
  }
  if (!enumerate(search)) return search;
  search.solution = solve();
  const Break broken = find_break(search.solution);
  // Borders between states are judged a little wider by the enumeration.
  search.found = search.solution.consistent && broken.size <= 10 * tolerance_;
  return search;
}

}  // namespace

ModeSearch find_modes(const InstantRows& rows, double tolerance, ModeProblem& problem) {
  return Search(rows, tolerance, problem).run();
}

}  // namespace stiction
