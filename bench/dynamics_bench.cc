// Time of the recursions on serial chains of revolute joints: kinematics, RNEA, CRBA, ABA for 7 and 30 degrees of
// freedom.
#include <benchmark/benchmark.h>

#include "stiction/dynamics/aba.h"
#include "stiction/dynamics/crba.h"

namespace stiction {
namespace {

struct Chain {
  Model model;
  State state;
  Kinematics k;
  Recursion scratch;
  VectorX tau, vdot;
  std::vector<double> mass;

  explicit Chain(int links) {
    ModelDescription scene;
    const Vector3 axes[] = {Vector3::UnitZ(), Vector3::UnitY(), Vector3::UnitX()};
    for (int i = 0; i < links; ++i) {
      BodyDescription body;
      body.name = "link" + std::to_string(i);
      body.mass = 1;
      body.inertia = {0.02, 0.02, 0.01, 0, 0, 0};
      body.position = Vector3(0, 0, 0.3 * i);
      body.center_of_mass = Vector3(0, 0.01, 0.15);
      JointDescription joint;
      joint.name = "joint" + std::to_string(i);
      joint.parent = i == 0 ? "world" : "link" + std::to_string(i - 1);
      joint.child = body.name;
      joint.position = Vector3(0, 0, i == 0 ? 0.0 : 0.3);
      joint.axis = axes[i % 3];
      scene.bodies.push_back(body);
      scene.joints.push_back(joint);
    }
    BuiltModel built = build_model(scene).value();
    model = std::move(built.model);
    state = std::move(built.state);
    state.q.setConstant(0.3);
    state.v.setConstant(0.5);
    tau = vdot = VectorX::Constant(links, 0.1);
    mass.resize(model.mass_size);
    k = make_kinematics(model);
    scratch = make_recursion(model);
    update_kinematics(model, state, 1e-3, k);
  }
};

void bench_kinematics(benchmark::State& bench) {
  Chain c(static_cast<int>(bench.range(0)));
  for (auto _ : bench) update_kinematics(c.model, c.state, 1e-3, c.k);
}

void bench_rnea(benchmark::State& bench) {
  Chain c(static_cast<int>(bench.range(0)));
  for (auto _ : bench) rnea(c.model, c.k, c.vdot, {}, c.scratch, c.tau);
}

void bench_crba(benchmark::State& bench) {
  Chain c(static_cast<int>(bench.range(0)));
  for (auto _ : bench) crba(c.model, c.k, {}, c.scratch, c.mass);
}

void bench_aba(benchmark::State& bench) {
  Chain c(static_cast<int>(bench.range(0)));
  for (auto _ : bench) aba(c.model, c.k, c.tau, {}, {}, c.scratch, c.vdot);
}

BENCHMARK(bench_kinematics)->Name("kinematics")->Arg(7)->Arg(30);
BENCHMARK(bench_rnea)->Name("rnea")->Arg(7)->Arg(30);
BENCHMARK(bench_crba)->Name("crba")->Arg(7)->Arg(30);
BENCHMARK(bench_aba)->Name("aba")->Arg(7)->Arg(30);

}  // namespace
}  // namespace stiction
