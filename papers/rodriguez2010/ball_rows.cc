// Balls in a row as scenes: two, and three that touch, or are 1e-6 m apart in either order. Orders differ where the
// middle ball is hit from both sides; touching balls are hit at once.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "papers/rodriguez2010/event_run.h"
#include "papers/rodriguez2010/impact_studies.h"
#include "stiction/io/output_file.h"

namespace stiction::papers::rodriguez2010 {

namespace {

constexpr FindingMaker check_ball_rows{"rodriguez2010", "landing"};
constexpr double rounding = 1e-9;  // m/s
constexpr double apart = 1e-6;     // m
constexpr int most_impacts = 10000;

// Masses, speeds and gaps between neighbours of three balls.
struct BallRow {
  std::string name;
  Vector3 mass, speed;
  double e, left, right;  // m, gaps

  double energy(const Vector3& v) const { return 0.5 * mass.dot(v.cwiseAbs2()); }
};

struct RowEnd {
  Vector3 velocity;
  long impacts;
  size_t at_once;  // contacts of the first impact
};

Result<RowEnd> simulate(const BallRow& row) {
  std::vector<std::string> overrides = {fmt::format("material.steel.restitution={}", row.e),
                                        fmt::format("body.first.position=[{:.17g}, 0, 0]", -0.2 - row.left),
                                        fmt::format("body.third.position=[{:.17g}, 0, 0]", 0.2 + row.right)};
  const char* names[] = {"first", "second", "third"};
  for (int i = 0; i < 3; ++i) {
    overrides.push_back(fmt::format("body.{}.mass={}", names[i], row.mass[i]));
    overrides.push_back(fmt::format("body.{}.linear_velocity=[{}, 0, 0]", names[i], row.speed[i]));
  }
  auto run = run_events("rodriguez2010/landing_balls.toml", overrides);
  if (!run) return failure(run.error());
  RowEnd end{Vector3::Zero(), static_cast<long>(run->impacts.size()), 0};
  for (int i = 0; i < 3; ++i) end.velocity[i] = run->velocity(names[i]).linear.x();
  if (!run->impacts.empty()) end.at_once = run->impacts.front().contacts.size();
  return end;
}

// Newton's law for balls k and k + 1; whether they approached.
bool hit(const BallRow& row, int k, Vector3& v) {
  const double approach = v[k] - v[k + 1];
  if (approach <= 0) return false;
  const double p = (1 + row.e) * approach * row.mass[k] * row.mass[k + 1] / (row.mass[k] + row.mass[k + 1]);
  v[k] -= p / row.mass[k];
  v[k + 1] += p / row.mass[k + 1];
  return true;
}

// One pair after the other, `first` before the other, until none approaches.
Vector3 in_turn(const BallRow& row, int first) {
  Vector3 v = row.speed;
  for (int turn = first, idle = 0, n = 0; idle < 2 && n < most_impacts; turn = 1 - turn, ++n) {
    idle = hit(row, turn, v) ? 0 : idle + 1;
  }
  return v;
}

// Both contacts at once: v_n+ = -e v_n at each, and momentum.
Vector3 at_once(const BallRow& row) {
  const Vector3& v = row.speed;
  const double first = row.e * (v[0] - v[1]), second = row.e * (v[1] - v[2]);  // v2 - v1, v3 - v2 after
  const double mean = row.mass.dot(v) / row.mass.sum();
  const double v1 = mean - (row.mass[1] * first + row.mass[2] * (first + second)) / row.mass.sum();
  return {v1, v1 + first, v1 + first + second};
}

struct Worst {
  double two = 0, touching = 0, turn = 0, gain = -1e300;
  size_t fewest = 100;
};

Result<void> study(const BallRow& row, const Vector3& exact, double& worst, Worst& all, std::string& table) {
  auto end = simulate(row);
  if (!end) return failure(end.error());
  worst = std::max(worst, (end->velocity - exact).lpNorm<Eigen::Infinity>());
  all.gain = std::max(all.gain, row.energy(end->velocity) - row.energy(row.speed));
  if (&worst == &all.touching) all.fewest = std::min(all.fewest, end->at_once);
  table +=
      fmt::format("{:<26} {:g}:{:g}:{:g} {:>5g} {:>9g} {:>9g} {:>8} {:12.8f} {:12.8f} {:12.8f} {:10.1e}\n", row.name,
                  row.mass[0], row.mass[1], row.mass[2], row.e, row.left, row.right, end->impacts, end->velocity[0],
                  end->velocity[1], end->velocity[2], (end->velocity - exact).lpNorm<Eigen::Infinity>());
  return {};
}

Result<void> study_masses(const Vector3& mass, double e, Worst& worst, std::string& table) {
  // The third ball is far away and still: two balls.
  const BallRow two{"two balls", mass, {1, -0.5, 0}, e, 0.02, 10};
  Vector3 exact = two.speed;
  hit(two, 0, exact);
  if (auto done = study(two, exact, worst.two, worst, table); !done) return done;
  const BallRow onto_two{"onto two, touching", mass, {1, 0, 0}, e, 0.02, 0};
  if (auto done = study(onto_two, at_once(onto_two), worst.touching, worst, table); !done) return done;
  BallRow row = onto_two;
  row.name = "onto two, apart";
  row.right = apart;
  if (auto done = study(row, in_turn(row, 0), worst.turn, worst, table); !done) return done;
  const BallRow both{"from both sides, at once", mass, {1, 0, -1}, e, 0.02, 0.02};
  if (auto done = study(both, at_once(both), worst.touching, worst, table); !done) return done;
  for (const int first : {0, 1}) {
    row = both;
    row.name = first == 0 ? "from both sides, 1-2 first" : "from both sides, 2-3 first";
    (first == 0 ? row.right : row.left) += apart;
    if (auto done = study(row, in_turn(row, first), worst.turn, worst, table); !done) return done;
  }
  return {};
}

}  // namespace

Result<void> study_ball_rows(const Context& context) {
  Worst worst;
  std::string table = fmt::format("\n{:<26} {:<5} {:>5} {:>9} {:>9} {:>8} {:>12} {:>12} {:>12} {:>10}\n", "row", "mass",
                                  "e", "gap [m]", "gap [m]", "impacts", "v_1 [m/s]", "v_2 [m/s]", "v_3 [m/s]", "error");
  for (const Vector3& mass : {Vector3(1, 1, 1), Vector3(1, 2, 1), Vector3(1, 2, 3)}) {
    for (const double e : {1.0, 0.5}) {
      if (auto done = study_masses(mass, e, worst, table); !done) return done;
    }
  }
  context.print_table(table);
  context.report(check_ball_rows("two balls: velocities against the closed form", "m/s", worst.two, {},
                                 worst.two < rounding, "masses 1:1, 1:2; e = 1, 0.5"));
  context.report(check_ball_rows("three balls at once: velocities against (4.11) and momentum", "m/s", worst.touching,
                                 {}, worst.touching < rounding && worst.fewest == 2,
                                 "touching, or hit from both sides at one time; one impact of two contacts"));
  context.report(check_ball_rows("three balls 1e-6 m apart: velocities against impacts in turn", "m/s", worst.turn, {},
                                 worst.turn < rounding, "either order; Newton's law for one pair after the other"));
  context.report(
      check_ball_rows("rows of balls: energy gained", "J", worst.gain, {}, worst.gain < rounding, "all rows"));
  return write_text_file((context.out / "landing_balls.txt").string(), table);
}

}  // namespace stiction::papers::rodriguez2010
