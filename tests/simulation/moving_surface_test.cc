// Surfaces that move: a conveyor that drags a block along, a plate that throws a part and one that carries it.
#include <numbers>

#include "support/scenarios.h"
#include "support/simulate.h"

namespace stiction::testing {
namespace {

constexpr double g = 9.81;

// Dragged at mu g until it moves with the belt: the speed is exact at every step (constant force, then none).
TEST(Conveyor, BlockIsDraggedThenRides) {
  const double mu = 0.4, belt = 1, catch_up = belt / (mu * g);
  const auto position_error = [&](double h) {
    Simulation simulation = open_scene("conveyor", timing(h, 1));
    const Vector3 start = position(simulation, "block");
    run_all(simulation, [&] {
      const double t = simulation.state().time;
      const Twist twist = velocity(simulation, "block");
      ASSERT_LT((twist.linear - Vector3(std::min(belt, mu * g * t), 0, 0)).norm(), 1e-11) << "t = " << t;
      ASSERT_LT(twist.angular.norm(), 1e-11) << "t = " << t;
      const double force = contact_force(simulation, "block").x();
      if (t < catch_up) {
        ASSERT_NEAR(force, mu * g, 1e-8) << "t = " << t;
      }
      if (t > catch_up + h) {
        ASSERT_NEAR(force, 0, 1e-8) << "t = " << t;
        ASSERT_EQ(count_contacts(simulation, ContactState::slip), 0) << "t = " << t;
      }
    });
    return std::abs(position(simulation, "block").x() - start.x() - (belt * 1 - 0.5 * belt * catch_up));
  };
  // Moving with the velocity at the end of the step is too far by h/2 times the speed gained.
  expect_order(position_error, {0.01, 0.005, 0.0025}, 1, 0.5 * belt * 1.05, 0.05);
}

// A belt across the block's own motion: friction opposes the slip, which keeps its direction (a straight line in the
// belt's frame); with the friction direction along the slip the path is exact.
TEST(Conveyor, FrictionOpposesTheSlipNotTheMotion) {
  const double mu = 0.4, h = 1e-3, t = 0.2;
  Simulation simulation = open_scene(
      "conveyor",
      timing(h, t, {"body.block.linear_velocity=[0, 1, 0]", "body.belt.shape.friction_direction=[1, -1, 0]"}));
  run_all(simulation);
  const Vector3 expected = Vector3(0, 1, 0) + mu * g * t * Vector3(1, -1, 0).normalized();
  EXPECT_LT((velocity(simulation, "block").linear - expected).norm(), 1e-11);
}

// The plate of scenes/shaker.toml: z = A sin(w t - pi/2).
constexpr double A = 0.01, w = 50;

double plate_height(double t) {
  return -A * std::cos(w * t);
}
double plate_speed(double t) {
  return A * w * std::sin(w * t);
}

// The first flight of the part: it leaves when the plate's acceleration A w^2 cos(w t) is -g and lands where the
// parabola meets the plate again.
struct Flight {
  double leave = 0, land = 0, speed = 0, height = 0;
};

double flight_height(const Flight& flight, double t) {
  const double s = t - flight.leave;
  return flight.height + flight.speed * s - 0.5 * g * s * s;
}

Flight exact_flight() {
  Flight flight;
  flight.leave = (std::numbers::pi / 2 + std::asin(g / (A * w * w))) / w;
  flight.speed = plate_speed(flight.leave);
  flight.height = plate_height(flight.leave);
  double low = flight.leave + 0.01, high = low;
  while (flight_height(flight, high) > plate_height(high)) high += 1e-3;
  for (int i = 0; i < 100; ++i) {
    const double middle = 0.5 * (low + high);
    (flight_height(flight, middle) > plate_height(middle) ? low : high) = middle;
  }
  flight.land = high;
  return flight;
}

constexpr double half_height = 0.02;  // of the part

TEST(Shaker, SceneStatesTheClosedForm) {
  const Flight flight = exact_flight();
  EXPECT_NEAR(flight.leave, 0.039481, 5e-7);
  EXPECT_NEAR(flight.speed, 0.45990, 5e-6);
}

// While it is carried the part is where the plate is, exactly. It leaves in the step after the exact moment, at most h
// late, by when the plate has changed its speed by at most jerk h^2 / 2, with jerk A w^3 cos(asin(g / (A w^2))); the
// flight carries that error on. The discrete parabola itself, started with the mean speed of a step, adds g h^2 / 8.
TEST(Shaker, PlateThrowsThePart) {
  const Flight flight = exact_flight();
  const double to_apex = flight.speed / g;
  const double jerk = w * std::sqrt(A * w * w * A * w * w - g * g);
  for (const double h : {4e-4, 2e-4, 1e-4, 5e-5}) {
    Simulation simulation = open_scene("shaker", timing(h, flight.leave + to_apex));
    double left = -1;
    run_all(simulation, [&] {
      const double t = simulation.state().time;
      const bool touches = contact_force(simulation, "part").z() > 0;
      if (!touches && left < 0) left = t;
      ASSERT_FALSE(touches && left > 0) << "h = " << h << ", t = " << t;
      if (touches) {
        ASSERT_NEAR(position(simulation, "part").z() - half_height, plate_height(t), 1e-13);
      }
    });
    EXPECT_GT(left, flight.leave) << "h = " << h;
    EXPECT_LT(left, flight.leave + 2 * h) << "h = " << h;
    const double bound = 0.5 * jerk * h * h * to_apex + g * h * h / 8;
    EXPECT_NEAR(position(simulation, "part").z() - half_height, flight_height(flight, simulation.state().time), bound)
        << "h = " << h;
  }
}

// It lands in the step in which the parabola meets the plate, give or take the error of its height over the speed of
// approach (below h / 10 here), and from the next step on rides with it, for the plate accelerates upwards there.
TEST(Shaker, PartLandsWhereTheParabolaMeetsThePlate) {
  const Flight flight = exact_flight();
  for (const double h : {4e-4, 2e-4, 1e-4}) {
    Simulation simulation = open_scene("shaker", timing(h, flight.land + 0.002));
    double landed = -1;
    run_all(simulation, [&] {
      const double t = simulation.state().time;
      if (landed < 0 && t > flight.leave + 0.01 && contact_force(simulation, "part").z() > 0) landed = t;
      if (landed < 0) return;
      ASSERT_NEAR(position(simulation, "part").z() - half_height, plate_height(t), 1e-12) << "t = " << t;
      if (t < landed + 0.5 * h) return;
      const double speed = (plate_height(t) - plate_height(t - h)) / h;
      ASSERT_NEAR(velocity(simulation, "part").linear.z(), speed, 1e-9) << "t = " << t;
    });
    EXPECT_GT(landed, flight.land - 0.1 * h) << "h = " << h;
    EXPECT_LT(landed, flight.land + 1.1 * h) << "h = " << h;
  }
}

// A plate shaken sideways carries the part while A w^2 < mu g = 2.943 m/s^2, and slips under it beyond.
TEST(Shaker, SidewaysItCarriesThePartUpToTheFrictionLimit) {
  const double mu = 0.3, frequency = 10;
  const auto sideways = [&](double amplitude) {
    return fmt::format(
        "body.plate.motion={{ translation = [{{ amplitude = [{:.17g}, 0, 0], frequency = {}, phase = "
        "-1.5707963267948966 }}] }}",
        amplitude, frequency);
  };
  const std::string on_plate = "body.part.position=[0, 0, 0.02]";
  for (const double h : {1e-2, 1e-3}) {
    const double amplitude = 0.98 * mu * g / (frequency * frequency);
    Simulation simulation = open_scene("shaker", timing(h, 2, {sideways(amplitude), on_plate}));
    run_all(simulation, [&] {
      const double moved = amplitude * (1 - std::cos(frequency * simulation.state().time));
      ASSERT_NEAR(position(simulation, "part").x(), moved, 1e-12) << "t = " << simulation.state().time;
    });
  }
  // Three times the limit: from the turning point on it is dragged at mu g until the plate, slowing down, has its
  // speed.
  const double amplitude = 3 * mu * g / (frequency * frequency), h = 1e-3, t = 0.1;
  Simulation simulation = open_scene("shaker", timing(h, t, {sideways(amplitude), on_plate}));
  run_all(simulation);
  EXPECT_NEAR(velocity(simulation, "part").linear.x(), mu * g * t, 1e-11);
}

// What rides on a tray that speeds up has the tray's velocity in every sample: both are those of the step that ended.
TEST(PrescribedMotion, VelocitiesOfTrayAndLoadAreOfTheSameInstant) {
  ModelDescription model;
  model.materials.push_back({.name = "wood", .friction = {0.9, 0.9}});
  BodyDescription tray = body_of("tray", 1, geometry::Box{{0.5, 0.5, 0.05}}, {0, 0, 0});
  tray.mass = std::nullopt;
  tray.motion.emplace();
  tray.motion->translation.push_back({.amplitude = {0.05, 0, 0}, .frequency = 6, .phase = 0});
  model.bodies = {tray, cube("load", {0, 0, 0.1})};
  for (const std::string method : {"exact-cone", "stewart-trinkle"}) {
    SCOPED_TRACE(method);
    SimulationSettings settings = settings_of(5e-3, 1);
    settings.method = method;
    Simulation simulation = make_simulation(model, settings);
    take_steps(simulation, 20);  // the load starts at rest; friction takes it along after v / (mu g h) = 7 steps
    for (int i = 0; i < 100; ++i) {
      take_steps(simulation, 1);
      const Kinematics& now = simulation.kinematics();
      const Vector3 apart = now.velocity[simulation.model().find_body("load")].linear -
                            now.velocity[simulation.model().find_body("tray")].linear;
      ASSERT_LT(apart.norm(), 1e-9) << i;
    }
  }
}

}  // namespace
}  // namespace stiction::testing
