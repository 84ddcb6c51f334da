// Modes that satisfy the law, by changing one at a time, and where that does not end by enumeration.
#include <algorithm>
#include <array>
#include <cmath>

#include "stiction/events/contact_modes.h"

namespace stiction {

namespace {

constexpr int max_turns = 300;  // of a direction of slip that begins
constexpr int pivots_per_item = 6, least_pivots = 40;
constexpr double same_direction = 1e-10;
constexpr int most_enumerated = 3;  // contacts: of more there are thousands of slip states

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
      : rows_(rows), tolerance_(tolerance), p_(problem), scale_(row_scales(problem.island)) {
    load_ = mode_load(problem.island, problem.island.a0);
  }

  ModeSearch run();
  ModeSolution solve();

 private:
  bool begins(size_t i) const { return p_.modes[i].slips && !p_.modes[i].ends && p_.slip[i].norm() == 0; }
  bool begins_rolling(size_t i) const { return p_.modes[i].rolls && p_.turning[i].norm() == 0; }
  Vector3 tangential(size_t i, const VectorX& x) const;
  double turn_all(const ModeSolution& solution);
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

// The next direction of a slip that begins along `direction` with force f_n and acceleration a. In coordinates in which
// the friction set is a disc its force w f_n goes against w; w f_n + a / stiffness is a step of projected gradients,
// which turns w until the acceleration is along it.
Vector3 turn(const Vector3& direction, const Vector3& axes, double normal, const Vector3& a, double stiffness) {
  const Vector3 w = axes.cwiseProduct(direction).normalized();
  const Vector3 next = std::max(normal, 0.0) * w + axes.cwiseProduct(a) / stiffness;
  Vector3 turned = Vector3::Zero();
  for (int r = 0; r < 3; ++r) turned[r] = axes[r] > 0 ? next[r] / axes[r] : 0.0;
  return turned.norm() > 0 ? Vector3(turned.normalized()) : direction;
}

// Largest eigenvalue of A W A over some rows, or a bound of it: the trace.
double stiffness_of(const MatrixX& B, int first, int rows, const Vector3& axes) {
  double sum = 0;
  for (int r = 0; r < rows; ++r) sum += axes[r] * axes[r] * B.col(first + r).squaredNorm();
  return sum > 0 ? sum : 1.0;
}

// With the direction of every slip that begins turned to that of its own acceleration.
ModeSolution Search::solve() {
  ModeSolution solution = solve_modes(p_);
  for (int i = 0; i < max_turns; ++i) {
    const double change = turn_all(solution);
    if (change <= same_direction) break;
    solution = solve_modes(p_);
  }
  return solution;
}

double Search::turn_all(const ModeSolution& solution) {
  double change = 0;
  for (size_t i = 0; i < p_.modes.size(); ++i) {
    ContactMode& mode = p_.modes[i];
    const InstantItem& item = p_.island.items[i];
    if (!mode.closed || item.scalar >= 0) continue;
    const double normal = solution.force[item.first];
    if (begins(i)) {
      const Vector3 next = turn(mode.direction, p_.axes[i], normal, tangential(i, solution.acceleration),
                                stiffness_of(p_.island.B, item.first + 1, item.rows - 1, p_.axes[i]));
      change = std::max(change, (next - mode.direction).norm());
      mode.direction = next;
    }
    if (begins_rolling(i)) {
      const Vector3 axes(p_.rolling[i], p_.rolling[i], 0);
      const Vector2 a = solution.acceleration.segment<2>(item.rolling);
      const Vector3 next = turn({mode.rolling_direction[0], mode.rolling_direction[1], 0}, axes, normal,
                                {a[0], a[1], 0}, stiffness_of(p_.island.B, item.rolling, 2, axes));
      change = std::max(change, (next.head<2>() - mode.rolling_direction).norm());
      mode.rolling_direction = next.head<2>();
    }
  }
  return change;
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
      mode.starts = true;
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
  const solvers::InstantReport report =
      solvers::enumerate_slip_states(reduced.problem, {.max_contacts = most_enumerated});
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
    if (mode.slips && p_.slip[i].norm() == 0) {
      mode.direction = tangential(i, a).normalized();
      mode.starts = true;
    }
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

void steer_starting_slips(const InstantRows& rows, ModeProblem& problem) {
  for (size_t i = 0; i < problem.modes.size(); ++i) {
    if (!problem.modes[i].starts || problem.slip[i].norm() > 0) continue;
    Search(rows, 0, problem).solve();
    return;
  }
}

ModeSearch find_modes(const InstantRows& rows, double tolerance, ModeProblem& problem) {
  return Search(rows, tolerance, problem).run();
}

}  // namespace stiction
