// Recordings of real runs: rows, decimation, failure, and what h5py sees.
#include "stiction/recording/recorder.h"

#include <cmath>

#include <gmock/gmock.h>

#include "recording/test_scenes.h"
#include "stiction/recording/recording.h"
#include "stiction/simulation/run.h"

namespace stiction::recording {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

SimulationSettings run_of(long steps, double h = 0.01) {
  SimulationSettings settings;
  settings.step = h;
  settings.duration = static_cast<double>(steps) * h;
  return settings;
}

// Records a whole run and returns the largest dimensionless certificate value that the steps had.
double record(const std::string& path, Simulation& simulation, const RecorderOptions& options) {
  auto recorder = Recorder::create(path, simulation, "ball.toml", options);
  EXPECT_TRUE(recorder) << recorder.error().message();
  double worst = 0;
  const RunSummary summary = run(simulation, [&](const StepOutcome& outcome) {
    EXPECT_TRUE(recorder->append(simulation, outcome));
    worst = std::max(worst, simulation.last_step().certificate.worst());
  });
  EXPECT_TRUE(summary.ok) << summary.failure;
  EXPECT_TRUE(recorder->finish(simulation));
  return worst;
}

TEST(Recorder, RowsAreTheStatesOfTheRun) {
  const TemporaryFolder folder;
  Simulation simulation = make_simulation(ball_and_pendulum(), run_of(60));
  record(folder.file("run.h5"), simulation, {.batch_rows = 16});
  const auto recording = Recording::open(folder.file("run.h5"));
  ASSERT_TRUE(recording) << recording.error().message();
  ASSERT_EQ(recording->rows(), 61);
  EXPECT_THAT(recording->layout().body_names, ElementsAre("ground", "ball", "bob"));
  EXPECT_THAT(recording->layout().joints.names, ElementsAre("hinge"));

  Sample first, row, last;
  ASSERT_TRUE(recording->read(0, first));
  EXPECT_TRUE(first.contacts.empty());
  EXPECT_EQ(first.solver.islands, 0);
  EXPECT_EQ(first.position[1], Vector3(0, 0, 1));
  EXPECT_EQ(first.linear_velocity[1], Vector3(2, 0, 0));
  EXPECT_NEAR(first.energies.kinetic, 4.0, 1e-12);  // m v^2 / 2 = 2 * 4 / 2; the bob rests

  // While it slides the ball loses mu g h per step; its contact carries the weight and slips along x.
  ASSERT_TRUE(recording->read(10, row));
  EXPECT_EQ(row.step, 10);
  EXPECT_EQ(row.time, 10 * 0.01);
  EXPECT_NEAR(row.linear_velocity[1].x(), 2 - 0.2 * 9.81 * 0.1, 1e-9);
  ASSERT_EQ(row.contacts.size(), 1U);
  const ContactReport& contact = row.contacts[0];
  const double up = contact.body_B == 1 ? 1 : -1;  // force on bodies[1], normal from bodies[0]
  EXPECT_NEAR(contact.normal.z(), up, 1e-12);
  EXPECT_NEAR(contact.force.z(), up * 2 * 9.81, 1e-9);
  EXPECT_NEAR(contact.force.x(), -up * 0.2 * 2 * 9.81, 1e-9);
  EXPECT_GT(up * contact.slip.x(), 0);
  EXPECT_EQ(contact.state, ContactState::slip);
  EXPECT_GE(row.solver.islands, 1);

  ASSERT_TRUE(recording->read(60, last));
  EXPECT_EQ(last.contacts.at(0).state, ContactState::stick);  // rolls from 2 v0 / (7 mu g) = 0.29 s on
  EXPECT_EQ(last.position[1], simulation.kinematics().X_WB[1].p);
  EXPECT_EQ(last.joints.position.at(0),
            simulation.state().q[simulation.model().tree_joints[simulation.model().bodies[2].joint].q_offset]);
}

// Every third step: the rows between are left out, their certificate and solver figures are not.
TEST(Recorder, DecimationKeepsTheWorstAndTheSums) {
  const TemporaryFolder folder;
  Simulation all = make_simulation(ball_and_pendulum(), run_of(50)),
             some = make_simulation(ball_and_pendulum(), run_of(50));
  const double worst = record(folder.file("all.h5"), all, {});
  record(folder.file("some.h5"), some, {.every = 3});
  const auto every = Recording::open(folder.file("all.h5")), third = Recording::open(folder.file("some.h5"));
  ASSERT_TRUE(every && third);
  EXPECT_EQ(third->rows(), 1 + 16 + 1) << "start, 16 full rows, the last two steps";
  EXPECT_EQ(third->layout().every, 3);
  double thinned_worst = 0;
  Sample a, b;
  long at = 0;
  for (long r = 1; r < third->rows(); ++r) {
    ASSERT_TRUE(third->read(r, b));
    SolverFigures sums;
    while (at < b.step) {
      ASSERT_TRUE(every->read(++at, a));
      sums.iterations += a.solver.iterations;
      sums.passes += a.solver.passes;
    }
    EXPECT_EQ(a.step, b.step);
    EXPECT_EQ(a.position, b.position);
    EXPECT_EQ(a.contacts.size(), b.contacts.size());
    EXPECT_EQ(b.solver.iterations, sums.iterations);
    EXPECT_EQ(b.solver.passes, sums.passes);
    thinned_worst = std::max(thinned_worst, b.certificate.worst());
  }
  EXPECT_EQ(at, 50);
  EXPECT_EQ(thinned_worst, worst);
}

TEST(Recorder, DroppedRecordersKeepWhatTheyHaveOrNothing) {
  const TemporaryFolder folder;
  Simulation simulation = make_simulation(ball_and_pendulum(), run_of(5));
  {
    auto unused = Recorder::create(folder.file("unused.h5"), simulation, "");
    ASSERT_TRUE(unused);
  }
  EXPECT_EQ(folder.count(), 0) << "no step was recorded: a run that never began";
  {
    auto recorder = Recorder::create(folder.file("part.h5"), simulation, "");
    ASSERT_TRUE(recorder);
    const StepOutcome outcome = simulation.step();
    ASSERT_TRUE(recorder->append(simulation, outcome));
  }
  EXPECT_EQ(folder.count(), 1);
  const auto recording = Recording::open(folder.file("part.h5"));
  ASSERT_TRUE(recording);
  EXPECT_EQ(recording->rows(), 2);
}

// Numbers by hand in Python: names, shapes, units, ragged contacts, the ball's height and the total weight.
constexpr const char* read_with_h5py = R"(
import sys, h5py, numpy as np
f = h5py.File(sys.argv[1], 'r')
n, b = 61, 3
assert f['meta'].attrs['format_version'] == 1
assert f['meta'].attrs['scene'] == 'ball.toml' and f['meta'].attrs['step'] == 0.01
assert [s.decode() for s in f['names/bodies'][:]] == ['ground', 'ball', 'bob']
assert [s.decode() for s in f['names/joints'][:]] == ['hinge']
assert f['time'].shape == (n,) and f['time'].attrs['unit'] == 's'
assert f['bodies/position'].shape == (n, b, 3) and f['bodies/quaternion'].shape == (n, b, 4)
assert f['bodies/linear_velocity'].shape == f['bodies/angular_velocity'].shape == (n, b, 3)
assert f['joints/position'].shape == f['joints/velocity'].shape == (n, 1)
assert list(f['joints/position_offset'][:]) == [0, 1]
assert np.all(np.abs(np.linalg.norm(f['bodies/quaternion'][:], axis=2) - 1) < 1e-12)
offset = f['contacts/offset'][:]
assert len(offset) == n + 1 and offset[0] == 0 and offset[1] == 0 and offset[-1] == len(f['contacts/gap'])
for row in range(1, n):
    contacts = slice(offset[row], offset[row + 1])
    force, pair = f['contacts/force'][contacts], f['contacts/bodies'][contacts]
    sign = np.where(pair[:, 1] == 1, 1, -1)
    assert abs((sign * force[:, 2]).sum() - 2 * 9.81) < 1e-8, row
    assert f['contacts/state'][contacts].max() <= 2
for name in ('penetration', 'normal', 'friction', 'cone', 'momentum', 'energy_gain', 'limit_violation'):
    assert f['certificate'][name].shape == (n,) and 'unit' in f['certificate'][name].attrs
for name in ('iterations', 'islands', 'warm_started', 'fallbacks', 'passes'):
    assert f['solver'][name].shape == (n,)
assert f['energy/kinetic'].attrs['unit'] == 'J' and f['energy/potential'].shape == (n,)
h, t = 0.01, f['time'][:]
x = f['bodies/position'][:, 1, 0]
slides = 2 * t - 0.5 * 0.2 * 9.81 * t * (t + h)   # v_k = v0 - mu g k h, summed over the steps
assert np.allclose(x[:29], slides[:29], atol=1e-9), np.abs(x - slides)[:29].max()
)";

TEST(Recorder, IsReadWithH5py) {
  const TemporaryFolder folder;
  if (!run_python("import h5py, numpy", "", folder).ok) GTEST_SKIP() << "python3 has no h5py here";
  Simulation simulation = make_simulation(ball_and_pendulum(), run_of(60));
  record(folder.file("run.h5"), simulation, {.batch_rows = 16});
  const PythonAnswer answer = run_python(read_with_h5py, folder.file("run.h5"), folder);
  EXPECT_TRUE(answer.ok) << answer.output;
}

// The same hinge as a loop joint: its freedom coordinates are those of the tree joint, sign included.
TEST(JointValues, LoopJointsReportTheirFreedom) {
  SimulationSettings settings = run_of(40);
  Simulation reduced = make_simulation(ball_and_pendulum(), settings);
  settings.options.coordinates = methods::Coordinates::maximal;
  Simulation maximal = make_simulation(ball_and_pendulum(), settings);
  for (int k = 0; k < 40; ++k) {
    ASSERT_TRUE(reduced.step().ok);
    ASSERT_TRUE(maximal.step().ok);
  }
  Sample a, b;
  const JointLayout tree = make_joint_layout(reduced.model()), loop = make_joint_layout(maximal.model());
  EXPECT_THAT(loop.names, ElementsAre("hinge"));
  EXPECT_LT(loop.source[0], 0);
  EXPECT_GE(tree.source[0], 0);
  capture(reduced, tree, a);
  capture(maximal, loop, b);
  // The two discretisations agree to O(h): 0.4 s of fall from horizontal, h = 0.01 s.
  EXPECT_NEAR(a.joints.position[0], b.joints.position[0], 0.02);
  EXPECT_NEAR(a.joints.velocity[0], b.joints.velocity[0], 0.05);
  EXPECT_GT(std::abs(a.joints.velocity[0]), 1);
  // Each agrees with its own body: positive about y takes x to -z, so the height above the hinge is -sin(angle).
  EXPECT_NEAR(a.position[2].z() - 5, -std::sin(a.joints.position[0]), 1e-9);
  EXPECT_NEAR(b.position[2].z() - 5, -std::sin(b.joints.position[0]), 1e-3);
  EXPECT_NEAR(b.angular_velocity[2].y(), b.joints.velocity[0], 1e-9);
}

}  // namespace
}  // namespace stiction::recording
