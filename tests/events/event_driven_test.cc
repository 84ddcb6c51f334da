// Event-driven motion against closed forms: times of impacts, of slip that begins and ends, of contacts lost and limits
// reached; forces between events; accumulation of impacts; several events at one time.
#include <algorithm>
#include <numbers>

#include "stiction/events/event_loop.h"
#include "stiction/problem/row_velocity.h"
#include "support/places.h"
#include "support/simulate.h"

namespace stiction::testing {
namespace {

constexpr double g = 9.81;

Overrides by_events(double step, double duration, Overrides more = {}) {
  more.push_back("simulation.method=event-driven");
  return timing(step, duration, more);
}

// All events of a run.
struct Log {
  std::vector<Event> events;
  RunSummary summary;

  std::vector<double> times(EventKind kind) const {
    std::vector<double> found;
    for (const Event& event : events) {
      if (event.kind == kind) found.push_back(event.time);
    }
    return found;
  }
  double only(EventKind kind) const {
    const std::vector<double> found = times(kind);
    EXPECT_EQ(found.size(), 1U) << event_kind_name(kind);
    return found.empty() ? -1 : found.front();
  }
};

// The certificate must hold in every step: it recomputes the law from forces, accelerations and impulses.
Log run_events(Simulation& simulation, const std::function<void()>& after_step = {}) {
  Log result;
  result.summary = run_all(simulation, [&] {
    const StepEvents& last = *simulation.step_events();
    result.events.insert(result.events.end(), last.events.begin(), last.events.end());
    if (after_step) after_step();
  });
  EXPECT_LT(result.summary.certificate.worst(), 1e-8);
  EXPECT_LT(result.summary.certificate.energy_gain, 1e-9);
  return result;
}

const std::string ground = R"(
[[body]]
name = "ground"
fixed = true
shape = { type = "plane", material = "m" }
)";

std::string material(double friction, double restitution, const std::string& more = "") {
  return fmt::format("[material.m]\nfriction = {:.17g}\nrestitution = {:.17g}\n{}", friction, restitution, more);
}

std::string ball(double height, double radius, const std::string& more = "") {
  return fmt::format(
      "[[body]]\nname = \"ball\"\nmass = 0.7\nposition = [0, 0, {:.17g}]\n{}\n"
      "shape = {{ type = \"sphere\", radius = {:.17g}, material = \"m\" }}\n",
      height + radius, more, radius);
}

std::string block(const std::string& more = "") {
  return "[[body]]\nname = \"block\"\nmass = 2.0\nposition = [0, 0, 0.05]\n" + more +
         "\nshape = { type = \"box\", size = [0.4, 0.3, 0.1], material = \"m\" }\n";
}

// What a step reports of a contact is that of its end: the gap and the slip that are there. The record of an instant
// has accelerations in place of velocities, which belong into neither.
TEST(EventReports, GapsAreThoseOfTheInstant) {
  // A disc that wobbles: products of velocities in its normal acceleration, zero to rounding of those only.
  const std::string disc = R"([[body]]
name = "disc"
mass = 1.0
position = [0, 0, 0.11]
orientation = [0.98006657784124163, 0.19866933079506122, 0, 0]
angular_velocity = [3, 5, 11]
shape = { type = "cylinder", radius = 0.2, length = 0.05, material = "m" }
)";
  Simulation simulation = open_text(material(0.3, 0) + ground + disc, by_events(1e-3, 0.4));
  double fastest = 0;
  int seen = 0;
  std::vector<ContactReport> reports;
  run_events(simulation, [&] {
    const StepRecord& step = simulation.last_step();
    ASSERT_EQ(step.contacts_of, ContactsOf::instant);
    simulation.contact_reports(reports);
    ASSERT_EQ(reports.size(), step.contacts.size());
    for (size_t c = 0; c < reports.size(); ++c) {
      const Vector4 a = contact_velocity(step.problem, step.problem.contacts[c], step.answer.v_end);
      fastest = std::max(fastest, std::abs(a[0]));
      EXPECT_EQ(reports[c].gap, step.contacts[c].gap);
      ++seen;
    }
  });
  EXPECT_GT(seen, 10);
  EXPECT_GT(fastest, 0);
}

// v = v0 - mu g t: the step ends at 0.5 um/s, where the law follows a slip that ends by its acceleration, mu g.
TEST(EventReports, SlipIsAVelocityWhereItEnds) {
  const double mu = 0.3, v0 = 0.8, left = 5e-7, h = (v0 - left) / (mu * g);
  Simulation simulation =
      open_text(material(mu, 0) + ground + block(fmt::format("linear_velocity = [{}, 0, 0]", v0)), by_events(h, h));
  run_all(simulation);  // so near to its end the certificate takes the slip for none, and judges its acceleration
  std::vector<ContactReport> reports;
  simulation.contact_reports(reports);
  ASSERT_EQ(reports.size(), 4U);
  for (const ContactReport& report : reports) {
    EXPECT_EQ(report.state, ContactState::slip);
    EXPECT_NEAR(report.slip.norm(), left, 1e-9);  // integration of 0.8 m/s to 1e-10 of it, and its steps' sum
  }
  EXPECT_NEAR(velocity(simulation, "block").linear.x(), left, 1e-9);
}

class Bounces : public ::testing::TestWithParam<double> {};

// t_1 = sqrt(2 H / g), t_(k+1) = t_k + 2 e^k v_1 / g; all over at t_1 + 2 v_1 e / (g (1 - e)).
TEST_P(Bounces, EveryImpactHasItsTime) {
  const double e = GetParam(), H = 0.37, v1 = std::sqrt(2 * g * H);
  const double end = v1 / g + 2 * v1 * e / (g * (1 - e));
  // Beside a rolling ball's velocities an impact of 1e-10 m/s is good to 1e-7 of itself: the smallest fall straight.
  const std::string sideways = e < 0.5 ? "" : "linear_velocity = [0.3, 0, 0]";
  Simulation simulation = open_text(material(0.4, e) + ground + ball(H, 0.08, sideways), by_events(2e-3, end + 0.05));
  const Log result = run_events(simulation);
  const std::vector<double> impacts = result.times(EventKind::impact);
  ASSERT_GT(impacts.size(), 30U);
  double t = v1 / g, v = v1;
  for (int k = 0; k < 30; ++k) {
    EXPECT_NEAR(impacts[k], t, 1e-12) << "impact " << k + 1;
    v *= e;
    t += 2 * v / g;
  }
  EXPECT_NEAR(result.only(EventKind::accumulation), end, 2e-9);
  EXPECT_GT(result.only(EventKind::accumulation), impacts[29]);
  EXPECT_EQ(velocity(simulation, "ball").linear.z(), 0);
  EXPECT_NEAR(position(simulation, "ball").z(), 0.08, 1e-15);
}

// With 0.45 what is left after 26 impacts fits into accumulation_time: only the least number of 30 keeps them apart.
INSTANTIATE_TEST_SUITE_P(Restitution, Bounces, ::testing::Values(0.45, 0.5, 0.8));

// a = mu g until v = 0.
TEST(EventDriven, BlockSlidesToRest) {
  const double mu = 0.35, v = 1.7;
  Simulation simulation =
      open_text(material(mu, 0) + ground + block(fmt::format("linear_velocity = [{}, 0, 0]", v)), by_events(0.01, 0.8));
  const Log result = run_events(simulation);
  for (const double t : result.times(EventKind::slip_ends)) EXPECT_NEAR(t, v / (mu * g), 1e-11);
  EXPECT_EQ(result.times(EventKind::slip_ends).size(), 4U);
  EXPECT_NEAR(position(simulation, "block").x(), v * v / (2 * mu * g), 1e-11);
  EXPECT_LT(simulation.state().v.norm(), 1e-14);
}

// A ball that is pushed slides with mu g and turns with 5 mu g / (2 r) until v = r w: t = 2 v / (7 mu g).
TEST(EventDriven, BallSlidesUntilItRolls) {
  const double mu = 0.2, v = 2.1, r = 0.15;
  Simulation simulation = open_text(
      material(mu, 0) + ground + ball(0, r, fmt::format("linear_velocity = [{}, 0, 0]", v)), by_events(0.02, 0.6));
  const Log result = run_events(simulation);
  EXPECT_NEAR(result.only(EventKind::slip_ends), 2 * v / (7 * mu * g), 1e-11);
  EXPECT_NEAR(velocity(simulation, "ball").linear.x(), 5 * v / 7, 1e-11);
  EXPECT_NEAR(velocity(simulation, "ball").angular.y(), 5 * v / (7 * r), 1e-10);
}

// In the plane of its slip and its spin a ball's slip keeps its direction; launched across its spin it must stop
// slipping at 2 |u| / (7 mu g) all the same, and its path is a parabola until then.
TEST(EventDriven, SlipInSpaceEndsInTime) {
  const double mu = 0.25, r = 0.1;
  const Vector3 v(0.9, 0.4, 0), w(3, 7, 0);
  Simulation simulation =
      open_text(material(mu, 0) + ground + ball(0, r, "linear_velocity = [0.9, 0.4, 0]\nangular_velocity = [3, 7, 0]"),
                by_events(0.01, 0.5));
  const Log result = run_events(simulation);
  const Vector3 u = v + w.cross(Vector3(0, 0, -r));
  const double t = 2 * u.norm() / (7 * mu * g);
  EXPECT_NEAR(result.only(EventKind::slip_ends), t, 1e-9);
  const Vector3 after = v - mu * g * t * u.normalized();
  EXPECT_LT((velocity(simulation, "ball").linear - after).norm(), 1e-9);
}

// Without friction a ball leaves the sphere that it slides down where cos = 2/3, if it starts from the top at rest;
// from an angle a where cos = 2/3 cos a.
TEST(EventDriven, BallLeavesASphere) {
  const double R = 1.0, r = 0.05, a = 0.3;
  const std::string scene = material(0, 0) + R"(
[[body]]
name = "dome"
fixed = true
shape = { type = "sphere", radius = 1.0, material = "m" }
)" +
                            fmt::format(
                                "[[body]]\nname = \"ball\"\nmass = 0.4\nposition = [{:.17g}, 0, {:.17g}]\n"
                                "shape = {{ type = \"sphere\", radius = {}, material = \"m\" }}\n",
                                (R + r) * std::sin(a), (R + r) * std::cos(a), r);
  Simulation simulation = open_text(scene, by_events(1e-3, 1.0));
  double height = -1;
  bool lost = false;
  const Log result = run_events(simulation, [&] {
    for (const Event& event : simulation.step_events()->events) {
      if (event.kind == EventKind::contact_lost) {
        lost = true;
        height = event.point.z() / R;
      }
    }
  });
  ASSERT_TRUE(lost);
  // The margin may fall by 1e-9 of the loads before the contact opens.
  EXPECT_NEAR(height, 2.0 / 3 * std::cos(a), 1e-8);
}

TEST(EventDriven, BlockSticksOnASlopeAndSlidesOnASteeperOne) {
  const auto end = [](double tangent) {
    const double angle = std::atan(tangent);
    Simulation simulation = open_text(material(0.5, 0) + ground + block(),
                                      by_events(0.01, 0.5,
                                                {fmt::format("simulation.gravity=[{:.17g}, 0, {:.17g}]",
                                                             g * std::sin(angle), -g * std::cos(angle))}));
    run_events(simulation);
    return position(simulation, "block").x();
  };
  EXPECT_LT(std::abs(end(0.4999)), 1e-14);
  const double angle = std::atan(0.6);
  EXPECT_NEAR(end(0.6), 0.125 * g * (std::sin(angle) - 0.5 * std::cos(angle)), 1e-11);
}

// A spring whose other end moves away with speed c pulls at a block at rest: slip begins when k c t = mu m g.
TEST(EventDriven, SlipBeginsWhenTheForceIsReached) {
  const double mu = 0.3, k = 400, c = 0.1, m = 2;
  const std::string scene = material(mu, 0) + ground + R"(
[[body]]
name = "puller"
position = [1, 0, 0.05]
motion = { velocity = [0.1, 0, 0] }
)" + block() + R"(
[[joint]]
name = "spring"
type = "planar"
parent = "puller"
child = "block"
axis = [0, -1, 0]
axis2 = [1, 0, 0]
stiffness = [400, 0, 0]
reference = [-1, 0, 0]
rest = [-1, 0, 0]
velocity = [-0.1, 0, 0]
)";
  Simulation simulation = open_text(scene, by_events(0.01, 0.2));
  const Log result = run_events(simulation);
  const std::vector<double> begins = result.times(EventKind::slip_begins);
  ASSERT_FALSE(begins.empty());
  for (const double t : begins) EXPECT_NEAR(t, mu * m * g / (k * c), 1e-8);
}

TEST(EventDriven, LimitIsReachedInTimeAndHolds) {
  const std::string scene = R"(
[[body]]
name = "sled"
mass = 1.5
position = [0, 0, 1]
inertia = [1, 1, 1, 0, 0, 0]
[[joint]]
name = "rail"
type = "prismatic"
parent = "world"
child = "sled"
position = [0, 0, 1]
axis = [0, 0, 1]
limits = [-0.6, 1]
)";
  Simulation simulation = open_text(scene, by_events(0.01, 0.5));
  const Log result = run_events(simulation);
  EXPECT_NEAR(result.only(EventKind::limit_reached), std::sqrt(1.2 / g), 1e-12);
  EXPECT_NEAR(position(simulation, "sled").z(), 0.4, 1e-14);
  EXPECT_EQ(simulation.state().v[0], 0);
}

// v falls with (friction / m) until zero, and stays there.
TEST(EventDriven, DryFrictionInAJointStopsIt) {
  const std::string scene = R"(
[simulation]
gravity = [0.5, 0, 0]
[[body]]
name = "sled"
mass = 1.5
inertia = [1, 1, 1, 0, 0, 0]
[[joint]]
name = "rail"
type = "prismatic"
parent = "world"
child = "sled"
axis = [1, 0, 0]
friction = 3.0
velocity = [0.9]
)";
  Simulation simulation = open_text(scene, by_events(0.05, 1.0));
  const Log result = run_events(simulation);
  const double a = 3.0 / 1.5 - 0.5;
  EXPECT_NEAR(result.only(EventKind::slip_ends), 0.9 / a, 1e-12);
  EXPECT_NEAR(simulation.state().q[0], 0.9 * 0.9 / (2 * a), 1e-12);
  EXPECT_LT(std::abs(simulation.state().v[0]), 1e-15);
}

TEST(EventDriven, BoxLandsOnFourCornersAtOnce) {
  const double e = 0.4, H = 0.2, v = std::sqrt(2 * g * H);
  Simulation simulation = open_text(material(0.5, e) + ground +
                                        "[[body]]\nname = \"block\"\nmass = 2.0\nposition = [0, 0, 0.25]\n"
                                        "shape = { type = \"box\", size = [0.4, 0.3, 0.1], material = \"m\" }\n",
                                    by_events(1e-3, 0.25));
  const Log result = run_events(simulation);
  const std::vector<double> impacts = result.times(EventKind::impact);
  ASSERT_EQ(impacts.size(), 4U);
  for (const double t : impacts) EXPECT_NEAR(t, v / g, 1e-12);
  const double t = 0.25 - v / g;
  EXPECT_NEAR(velocity(simulation, "block").linear.z(), e * v - g * t, 1e-10);
  EXPECT_LT(velocity(simulation, "block").angular.norm(), 1e-9);
  EXPECT_LT(result.summary.certificate.impact_energy, 0);
}

// The same with bounces to rest: four corners that land together again and again, and end together.
TEST(EventDriven, BoxBouncesToRest) {
  const double e = 0.3, H = 0.05, v = std::sqrt(2 * g * H), end = v / g + 2 * v * e / (g * (1 - e));
  Simulation simulation = open_text(material(0.5, e) + ground +
                                        "[[body]]\nname = \"block\"\nmass = 2.0\nposition = [0, 0, 0.1]\n"
                                        "shape = { type = \"box\", size = [0.4, 0.3, 0.1], material = \"m\" }\n",
                                    by_events(2e-3, end + 0.05));
  const Log result = run_events(simulation);
  ASSERT_FALSE(result.times(EventKind::contact_made).empty());
  EXPECT_NEAR(result.times(EventKind::contact_made).back(), end, 1e-6);
  EXPECT_LT(simulation.state().v.norm(), 1e-12);
  EXPECT_NEAR(position(simulation, "block").z(), 0.05, 1e-12);
}

// A ball that bounces within one step of 0.7 s, in 1738 evaluations: they are allowed, or at 1000 of them
// exact-cone takes the step.
TEST(EventDriven, AStepOfTooManyEvaluationsIsHandedOver) {
  for (const auto& [most, handed_over] : {std::pair{50000, 0}, std::pair{1000, 1}}) {
    Simulation simulation =
        open_text(material(0.5, 0.9) + ground + ball(0.3, 0.1),
                  by_events(0.7, 0.7, {fmt::format("method.event-driven.max_evaluations={}", most)}));
    const RunSummary summary = run_all(simulation);
    EXPECT_TRUE(summary.ok) << summary.failure;
    EXPECT_EQ(summary.count(Fallback::exact_cone), handed_over) << most;
  }
}

// Four boxes on each other that slide as one: 16 contacts hang together, and the work of an evaluation is that of four.
TEST(EventDriven, EvaluationsOfManyContactsCountForMore) {
  std::string boxes;
  for (int i = 0; i < 4; ++i) {
    boxes += fmt::format(
        "[[body]]\nname = \"box {}\"\nmass = 1.0\nposition = [0, 0, {}]\nlinear_velocity = [1, 0, 0]\n"
        "shape = {{ type = \"box\", size = [0.4, 0.4, 0.1], material = \"m\" }}\n",
        i, 0.05 + 0.1 * i);
  }
  for (const auto& [most, handed_over] : {std::pair{50000, 0}, std::pair{1000, 1}}) {
    Simulation simulation =
        open_text(material(0.3, 0) + ground + boxes,
                  by_events(0.4, 0.4, {fmt::format("method.event-driven.max_evaluations={}", most)}));
    const RunSummary summary = run_all(simulation);
    EXPECT_TRUE(summary.ok) << summary.failure;
    EXPECT_EQ(summary.count(Fallback::exact_cone), handed_over) << most;
    EXPECT_LT(summary.iterations, 1000);
  }
}

// Two balls land in one step, each at its own time; two others at the same.
TEST(EventDriven, SeveralEventsInOneStep) {
  const auto at = [](const std::string& name, double x, double height) {
    return fmt::format(
        "[[body]]\nname = \"{}\"\nmass = 1.0\nposition = [{}, 0, {}]\n"
        "shape = {{ type = \"sphere\", radius = 0.1, material = \"m\" }}\n",
        name, x, 0.1 + height);
  };
  Simulation simulation =
      open_text(material(0.5, 0.5) + ground + at("a", 0, 0.3) + at("b", 1, 0.31) + at("c", 2, 0.3) + at("d", 3, 0.32),
                by_events(0.3, 0.3));
  const Log result = run_events(simulation);
  const std::vector<double> impacts = result.times(EventKind::impact);
  ASSERT_EQ(impacts.size(), 4U);
  EXPECT_NEAR(impacts[0], std::sqrt(0.6 / g), 1e-13);
  EXPECT_NEAR(impacts[1], std::sqrt(0.6 / g), 1e-13);
  EXPECT_NEAR(impacts[2], std::sqrt(0.62 / g), 1e-13);
  EXPECT_NEAR(impacts[3], std::sqrt(0.64 / g), 1e-13);
}

// A hit on a moving plate: v+ = v_plate + e (v_plate - v-).
TEST(EventDriven, MovingPlateGivesEnergy) {
  const double e = 0.6, c = 0.8;
  const std::string scene = material(0.5, e) + R"(
[[body]]
name = "plate"
position = [0, 0, -0.5]
motion = { velocity = [0, 0, 0.8] }
shape = { type = "box", size = [1, 1, 0.2], material = "m" }
)" + ball(0, 0.1);
  Simulation simulation = open_text(scene, by_events(1e-3, 0.3));
  const Log result = run_events(simulation);
  // -0.4 + c t = -g t^2 / 2
  const double t = (-c + std::sqrt(c * c + 0.8 * g)) / g;
  ASSERT_FALSE(result.times(EventKind::impact).empty());
  EXPECT_NEAR(result.times(EventKind::impact)[0], t, 1e-12);
  const double after = c + e * (c + g * t);
  EXPECT_NEAR(velocity(simulation, "ball").linear.z(), after - g * (0.3 - t), 1e-9);
}

// Where no forces satisfy the law (Painleve) velocities jump, once, and the rod neither gains energy nor sinks in.
TEST(EventDriven, PainlevesRodJams) {
  Simulation simulation = start(
      scene::load_scene(stiction::testing::source_path("papers/anitescu1998/painleve.toml"), by_events(1e-3, 1.0)));
  const auto total = [&] { return simulation.energies().kinetic + simulation.energies().potential; };
  int jams = 0;
  double before = total(), gain = 0;
  const RunSummary summary = run_all(simulation, [&] {
    for (const Event& event : simulation.step_events()->events) jams += event.kind == EventKind::jam ? 1 : 0;
    gain = std::max(gain, total() - before);
    before = total();
  });
  EXPECT_EQ(jams, 1);
  EXPECT_LT(gain, 1e-9);
  EXPECT_LT(summary.certificate.penetration, 1e-12);
  EXPECT_LT(summary.certificate.friction, 1e-8);
  EXPECT_TRUE(summary.fallbacks.empty());
}

// Mechanical energy of a double pendulum and of a four-bar mechanism with its closing joint.
TEST(EventDriven, EnergyIsKeptWithoutFriction) {
  for (const char* name : {"chain", "four_bar"}) {
    Simulation simulation = open_scene(name, by_events(5e-3, 1.0));
    const Energies before = simulation.energies();
    run_events(simulation);
    const Energies after = simulation.energies();
    EXPECT_NEAR(after.kinetic + after.potential, before.kinetic + before.potential,
                1e-9 * (std::abs(before.kinetic) + std::abs(before.potential)))
        << name;
  }
}

TEST(EventDriven, SameBitsTwiceAndFromARestoredState) {
  const std::string scene = material(0.4, 0.5) + ground + ball(0.2, 0.1, "angular_velocity = [0, 30, 0]");
  const auto end = [&](long restart_at) {
    Simulation simulation = open_text(scene, by_events(1e-3, 0.6));
    for (long i = 0; i < 600; ++i) {
      EXPECT_TRUE(simulation.step().ok);
      if (i == restart_at) simulation.restore(State(simulation.state()), simulation.step_index());
    }
    return simulation.state();
  };
  const State once = end(-1), twice = end(-1), restored = end(50);
  EXPECT_EQ(once.q, twice.q);
  EXPECT_EQ(once.v, twice.v);
  EXPECT_EQ(once.q, restored.q);
  EXPECT_EQ(once.v, restored.v);
}

// The step is only how often the motion is looked at.
TEST(EventDriven, TheStepDoesNotMatter) {
  const std::string scene = material(0.4, 0.6) + ground + ball(0.3, 0.1, "angular_velocity = [0, 20, 5]");
  const auto end = [&](double h) {
    Simulation simulation = open_text(scene, by_events(h, 0.9));
    run_events(simulation);
    return simulation.state();
  };
  const State coarse = end(0.1), fine = end(1e-3);
  EXPECT_LT((coarse.q - fine.q).norm(), 1e-9);
  EXPECT_LT((coarse.v - fine.v).norm(), 1e-9);
}

}  // namespace
}  // namespace stiction::testing
