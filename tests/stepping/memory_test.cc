// State and memory of contacts change together or not at all, whatever a step is made of.
#include "stiction/contact/memory_archive.h"

#include <cstring>

#include <gtest/gtest.h>

#include "stiction/methods/anitescu_potra.h"
#include "stiction/methods/implicit/implicit_islands.h"
#include "stiction/stepping/halve_until_solved.h"
#include "stiction/stepping/impacts/cut_at_impacts.h"
#include "support/scenarios.h"

namespace stiction {
namespace {

// Every number of a memory, bit for bit.
class Words {
 public:
  std::vector<std::uint64_t> values;

  template <class List, class Visit>
  void list(const char*, List& items, Visit&& visit) {
    values.push_back(items.size());
    for (auto& item : items) visit(*this, item);
  }
  void number(double value) {
    std::uint64_t word = 0;
    std::memcpy(&word, &value, sizeof word);
    values.push_back(word);
  }
  void word(std::uint64_t value) { values.push_back(value); }
  void integer(long value) { values.push_back(static_cast<std::uint64_t>(value)); }
  void flag(bool value) { values.push_back(value); }
  void bits(std::uint8_t value) { values.push_back(value); }
};

std::vector<std::uint64_t> words_of(contact::ContactMemory memory) {
  Words words;
  contact::visit_memory(memory, words);
  return words.values;
}

// Another solver until it has solved `left` problems; then it gives up.
class GivesUpLater final : public IslandSolver {
 public:
  GivesUpLater(std::unique_ptr<IslandSolver> solver, int& left) : solver_(std::move(solver)), left_(left) {}
  contact::AssemblyOptions assembly_options() const override { return solver_->assembly_options(); }
  void begin(const StepProblem& problem, const StepContext& context) override {
    --left_;
    solver_->begin(problem, context);
  }
  IslandReport solve_island(const StepProblem& problem, const contact::Island& island, int worker,
                            StepAnswer& answer) override {
    if (left_ < 0) return {};
    return solver_->solve_island(problem, island, worker, answer);
  }
  void keep(contact::ContactMemory& memory) override { solver_->keep(memory); }

 private:
  std::unique_ptr<IslandSolver> solver_;
  int& left_;
};

// Balls that land one after the other within a step, beside a box at rest.
BuiltModel falling_balls() {
  ModelDescription model = testing::on_ground();
  model.materials[0].restitution = 0.5;
  model.bodies.push_back(testing::cube("box", {1, 0, 0.05}));
  for (int i = 0; i < 3; ++i) {
    model.bodies.push_back(
        testing::body_of("ball" + std::to_string(i), 1, geometry::Sphere{0.1}, {-1.0 * i, 0, 0.11 + 0.01 * i}));
    model.bodies.back().linear_velocity = Vector3(0, 0, -2);
  }
  return build_model(model).value();
}

TEST(Memory, ALaterPartThatFailsLeavesStateAndMemory) {
  const BuiltModel built = falling_balls();
  int left = 1000;
  auto solver = std::make_unique<GivesUpLater>(
      std::make_unique<methods::AnitescuPotra>(methods::AnitescuPotraOptions{}, 1), left);
  CutAtImpacts stepper(built.model, std::move(solver), {}, {});
  State state = built.state;
  contact::ContactMemory memory;
  StepRecord record;
  ASSERT_TRUE(stepper.advance({.h = 1e-4}, state, memory, record).ok);
  const State before = state;
  const std::vector<std::uint64_t> remembered = words_of(memory);
  left = 3;  // the first part, and something of the second
  const StepOutcome outcome = stepper.advance({.h = 0.02}, state, memory, record);
  ASSERT_FALSE(outcome.ok);
  EXPECT_LT(left, 0) << "the solver gave up";
  EXPECT_EQ(state.q, before.q);
  EXPECT_EQ(state.v, before.v);
  EXPECT_EQ(words_of(memory), remembered);
  left = 1000;
  const StepOutcome taken = stepper.advance({.h = 0.02}, state, memory, record);
  ASSERT_TRUE(taken.ok);
  EXPECT_GT(taken.parts, 2);
  EXPECT_NE(words_of(memory), remembered);
}

TEST(Memory, ALaterHalfThatFailsLeavesStateAndMemory) {
  ModelDescription description = testing::on_ground();
  description.bodies.push_back(testing::body_of("ball", 1, geometry::Sphere{0.1}, {0, 0, 0.1}));
  const BuiltModel built = build_model(description).value();
  int resort_left = 0;
  // The whole step is not solved, its first half is, then nothing is.
  struct Script final : IslandSolver {
    std::unique_ptr<IslandSolver> solver;
    std::vector<bool> solves;
    size_t at = 0;
    contact::AssemblyOptions assembly_options() const override { return solver->assembly_options(); }
    void begin(const StepProblem& problem, const StepContext& context) override {
      ++at;
      solver->begin(problem, context);
    }
    IslandReport solve_island(const StepProblem& problem, const contact::Island& island, int worker,
                              StepAnswer& answer) override {
      if (at > solves.size() || !solves[at - 1]) return {};
      return solver->solve_island(problem, island, worker, answer);
    }
    void keep(contact::ContactMemory& memory) override { solver->keep(memory); }
  };
  auto script = std::make_unique<Script>();
  script->solver = std::make_unique<methods::ImplicitIslands>(methods::ImplicitOptions{}, 1);
  script->solves = {true, false, true};
  Script& played = *script;
  auto whole = std::make_unique<EndOfStep>(built.model, std::move(script), PlainStepOptions{.explain = false}, true);
  auto exact = std::make_unique<GivesUpLater>(
      std::make_unique<methods::ExactCone>(methods::ExactConeOptions{}, solvers::auto_friction, 1), resort_left);
  auto resort = std::make_unique<PlainStep>(built.model, std::move(exact), PlainStepOptions{});
  HalveUntilSolved stepper(std::move(whole), std::move(resort), 1);
  State state = built.state;
  contact::ContactMemory memory;
  StepRecord record;
  ASSERT_TRUE(stepper.advance({.h = 1e-3}, state, memory, record).ok);
  const State before = state;
  const std::vector<std::uint64_t> remembered = words_of(memory);
  EXPECT_FALSE(stepper.advance({.h = 1e-3}, state, memory, record).ok);
  EXPECT_GT(played.at, 3u) << "the second half was tried";
  EXPECT_EQ(state.q, before.q);
  EXPECT_EQ(words_of(memory), remembered);
}

}  // namespace
}  // namespace stiction
