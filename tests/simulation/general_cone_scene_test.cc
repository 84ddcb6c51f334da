// Friction sets that are not discs, from the scene to the motion: closed forms of a puck on a plane.
//
// A thin puck that slides without turning is a point mass: while it slides, m dv = -h m g b with b the point of F of
// the largest dissipation against v at the end of the step. Velocities at the ends of steps are those of the closed
// form until the step in which the motion changes its kind.
#include <numbers>

#include "support/plate_scene.h"
#include "support/simulate.h"

namespace stiction::testing {
namespace {

constexpr double g = 9.81;

std::string plate(const std::string& material, const Vector3& velocity, const std::string& method = "anitescu-potra") {
  return plate_scene(method, material, 0.5, velocity);
}

const std::string diamond = "friction_polygon = [[0.4, 0], [0, 0.4], [-0.4, 0], [0, -0.4]]";

// Largest difference of the plate's velocity from `exact(t)` over a run.
double velocity_error(Simulation& simulation, const std::function<Vector3(double)>& exact) {
  double worst = 0;
  const RunSummary summary = run_all(simulation, [&] {
    worst = std::max(worst, (velocity(simulation, "plate").linear - exact(simulation.state().time)).norm());
  });
  EXPECT_LT(summary.certificate.worst(), 1e-8);
  EXPECT_TRUE(summary.fallbacks.empty());
  return worst;
}

TEST(GeneralConeScene, PlateStopsInTheDirectionOfACornerAsWithTheFullCoefficient) {
  Simulation simulation = open_text(plate(diamond, {1, 0, 0}));
  // Friction 0.4 until it stands.
  const double error =
      velocity_error(simulation, [](double t) { return Vector3(std::max(0.0, 1 - 0.4 * g * t), 0, 0); });
  EXPECT_LT(error, 1e-9);
}

TEST(GeneralConeScene, PlateStopsAcrossAnEdgeWithItsDistanceFromTheOrigin) {
  const double s = std::sqrt(0.5);
  Simulation simulation = open_text(plate(diamond, {s, s, 0}));
  // 0.4 / sqrt 2 until it stands, straight on: a motion beside the diagonal is turned back to it.
  const double error = velocity_error(
      simulation, [&](double t) { return Vector3(Vector3(s, s, 0) * std::max(0.0, 1 - 0.4 * s * g * t)); });
  EXPECT_LT(error, 1e-9);
}

TEST(GeneralConeScene, PlateBetweenCornerAndEdgeLosesTheLargerComponentFirst) {
  Simulation simulation = open_text(plate(diamond, {1, 0.5, 0}));
  // x alone at 0.4 g until both are 0.5 m/s, then both at 0.2 g. The step of the change splits its impulse as it needs.
  const double turn = 0.5 / (0.4 * g);
  const double error = velocity_error(simulation, [&](double t) {
    const double rest = std::max(0.0, 0.5 - 0.2 * g * (t - turn));
    return t < turn ? Vector3(1 - 0.4 * g * t, 0.5, 0) : Vector3(rest, rest, 0);
  });
  EXPECT_LT(error, 1e-9);
}

TEST(GeneralConeScene, PlateOnATiltHoldsInsideThePolygonAndSlidesOutside) {
  // Gravity pulls along x or the diagonal, just below and just above what the polygon holds there.
  const double s = std::sqrt(0.5);
  for (const Vector3& down : {Vector3(1, 0, 0), Vector3(s, s, 0)}) {
    const double reach = down.y() == 0 ? 0.4 : 0.4 * s;
    for (const double factor : {0.99, 1.01}) {
      const Vector3 pull = factor * reach * g * down;
      Simulation simulation = open_text(
          plate(diamond, {0, 0, 0}), {fmt::format("simulation.gravity=[{:.17g}, {:.17g}, -9.81]", pull.x(), pull.y())});
      const double speed = std::max(0.0, factor - 1) * reach * g;
      EXPECT_LT(velocity_error(simulation, [&](double t) { return Vector3(down * speed * t); }), 1e-9) << factor;
    }
  }
}

// (1 + 1e-13) * 2 is taken as a superellipse, and 2 as an ellipse: two solvers' ways, and a third of another method.
TEST(GeneralConeScene, SuperellipseOfExponentTwoIsTheEllipse) {
  const Vector3 start(1, 0.7, 0);
  const std::string axes = "friction = [0.5, 0.2]\n";
  Simulation ellipse = open_text(plate(axes, start));
  Simulation superellipse = open_text(plate(axes + "friction_exponent = 2.0000000000002", start));
  Simulation exact_cone = open_text(plate(axes, start, "exact-cone"));
  double between = 0, others = 0;
  for (int k = 0; k < 400; ++k) {
    ASSERT_TRUE(ellipse.step().ok && superellipse.step().ok && exact_cone.step().ok);
    const Vector3 v = velocity(superellipse, "plate").linear;
    between = std::max(between, (v - velocity(ellipse, "plate").linear).norm());
    others = std::max(others, (v - velocity(exact_cone, "plate").linear).norm());
  }
  EXPECT_NE(superellipse.last_step().problem.contacts[0].cone, nullptr);
  EXPECT_EQ(ellipse.last_step().problem.contacts[0].cone, nullptr);
  EXPECT_LT(between, 1e-8);
  EXPECT_LT(others, 1e-8);
}

// A superellipse of a high exponent is nearly its rectangle: friction along both axes at once.
TEST(GeneralConeScene, SuperellipseOfAHighExponentBrakesBothAxesAtOnce) {
  Simulation simulation = open_text(plate("friction = [0.4, 0.3]\nfriction_exponent = 60", {1, 0.75, 0}));
  // On the ray through the corner both shrink together; |x|^60 + |y|^60 = 1 cuts the corner by 2^(-1/60).
  const double share = std::pow(2.0, -1.0 / 60);
  const double error = velocity_error(
      simulation, [&](double t) { return Vector3(Vector3(1, 0.75, 0) * std::max(0.0, 1 - share * 0.4 * g * t)); });
  EXPECT_LT(error, 0.02);  // the largest dissipation is not quite at the corner: (3/4)^(1/59) of it along y
}

TEST(GeneralConeScene, SkateRunsAlongItsBladeAndStopsAcross) {
  const std::string blade = "friction = [0.001, 0.9]";
  Simulation along = open_text(plate(blade, {1, 0, 0}));
  EXPECT_LT(velocity_error(along, [](double t) { return Vector3(1 - 0.001 * g * t, 0, 0); }), 1e-9);
  Simulation across = open_text(plate(blade, {0, 1, 0}));
  EXPECT_LT(velocity_error(across, [](double t) { return Vector3(0, std::max(0.0, 1 - 0.9 * g * t), 0); }), 1e-9);
  Simulation both = open_text(plate(blade, {1, 1, 0}));
  run_all(both);
  const Vector3 end = velocity(both, "plate").linear;
  EXPECT_GT(end.x(), 1 - 0.001 * g * 0.5);  // friction across takes the share of friction along while it lasts
  EXPECT_LT(std::abs(end.y()), 1e-6);
}

// The blade turns with the body that states the direction.
TEST(GeneralConeScene, BladeOfATurnedSkateGuidesIt) {
  std::string scene = plate("friction = [0.001, 0.9]", {1, 0, 0});
  scene.replace(scene.find(", friction_direction = [1, 0, 0]"), 32, "");
  scene.insert(scene.rfind(", material"), ", friction_direction = [1, 0, 0]");
  const double angle = std::numbers::pi / 6;
  Simulation simulation = open_text(scene, {fmt::format("body.plate.orientation=[{:.17g}, 0, 0, {:.17g}]",
                                                        std::cos(angle / 2), std::sin(angle / 2))});
  run_all(simulation);
  const Vector3 end = velocity(simulation, "plate").linear;
  EXPECT_NEAR(std::atan2(end.y(), end.x()), angle, 1e-3);
  EXPECT_NEAR(end.norm(), std::cos(angle), 0.01);
}

// Spinning and sliding: every contact of its own direction. The certificate judges each.
TEST(GeneralConeScene, SpinningPlatesAreCertifiedForEverySet) {
  for (const std::string& material :
       {diamond, std::string("friction_polygon = [[0.5, -0.1], [0.1, 0.4], [-0.3, 0.2], [-0.2, -0.4]]"),
        std::string("friction_polygon = [[0.4, 0.1], [-0.4, -0.1]]"), std::string("friction_exponent = 1.5"),
        std::string("friction_exponent = 4\nfriction = [0.6, 0.1]")}) {
    Simulation simulation = open_text(plate(material, {0.7, -0.4, 0}), {"body.plate.angular_velocity=[0, 0, 8]"});
    double energy = 1e300;
    const RunSummary summary = run_all(simulation, [&] {
      const double now = simulation.energies().kinetic;
      EXPECT_LE(now, energy + 1e-12);
      energy = now;
    });
    EXPECT_LT(summary.certificate.worst(), 1e-8) << material;
    EXPECT_LT(summary.certificate.energy_gain, 1e-12) << material;
  }
}

}  // namespace
}  // namespace stiction::testing
