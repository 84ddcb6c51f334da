#include <cstdio>

#include "stiction/scene/scene.h"
#include "stiction/simulation/run.h"

int main(int argc, char** argv) {
  const auto fail = [](const stiction::Error& error) {
    return std::fprintf(stderr, "%s\n", error.message().c_str()), 2;
  };
  const auto scene = stiction::scene::load_scene(argc > 1 ? argv[1] : "ball.toml");
  if (!scene) return fail(scene.error());
  auto built = stiction::build_model(scene->model);
  if (!built) return fail(built.error());
  auto simulation = stiction::Simulation::create(std::move(*built), scene->settings);
  if (!simulation) return fail(simulation.error());

  const stiction::RunSummary summary = stiction::run(*simulation);  // or simulation->step(), one at a time
  const int ball = simulation->model().find_body("ball");
  const stiction::Vector3 v = simulation->kinematics().velocity[ball].linear;
  std::printf("t = %g s, v = [%g, %g, %g] m/s, certificate %.1e\n", summary.time, v.x(), v.y(), v.z(),
              summary.certificate.worst());
  return summary.ok ? 0 : 1;
}
