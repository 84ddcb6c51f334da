// Threads inside one island: the same bits for any number of them, and they do take part.
#define STICTION_ALLOCATION_COUNTER_IS_ELSEWHERE
#include "support/allocation_counter.h"

#include <bit>
#include <cstdint>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "stiction/contact/memory_archive.h"
#include "stiction/methods/exact_cone.h"
#include "stiction/scene/scene.h"
#include "stiction/solvers/registry.h"
#include "stiction/stepping/plain_step.h"

namespace stiction {
namespace {

using methods::Accuracy;

// Layers of cubes, each on four of the layer below, so that all are one island; they start at some speed.
std::string cubes(int side, int layers) {
  std::string text =
      "[simulation]\nstep = 0.01\nduration = 1\n[material.default]\nfriction = 0.5\n"
      "[[body]]\nname = \"floor\"\nfixed = true\nshape = {type = \"plane\"}\n";
  for (int k = 0; k < layers; ++k) {
    for (int i = 0; i < side * side; ++i) {
      const double x = 0.11 * (i % side) + 0.055 * (k % 2), y = 0.11 * (i / side) + 0.055 * (k % 2);
      text += fmt::format(
          "[[body]]\nname = \"b{}-{}\"\ndensity = 1000\nposition = [{}, {}, {}]\nlinear_velocity = [{}, {}, 0]\n"
          "shape = {{type = \"box\", size = [0.1, 0.1, 0.1]}}\n",
          k, i, x, y, 0.05 + 0.1 * k, 0.02 * (i % 7 - 3), 0.02 * (i % 5 - 2));
    }
  }
  return text;
}

// A simulation of exact-cone whose workers can be asked.
struct ThreadedRun {
  BuiltModel built;
  State state;
  contact::ContactMemory memory;
  StepRecord record;
  PlainStep step;

  ThreadedRun(const scene::Scene& scene, Accuracy accuracy, int threads)
      : built(*build_model(scene.model)),
        state(built.state),
        step(built.model,
             std::make_unique<methods::ExactCone>(methods::ExactConeOptions{.accuracy = accuracy},
                                                  solvers::auto_friction, threads),
             {.threads = threads}) {
    step.scratch().workers.let_helpers_begin();
  }

  bool advance() { return step.advance({.h = 0.01}, state, memory, record).ok; }
  long helped() { return step.scratch().workers.helped(); }
};

// All bits that a step leaves: of the state, of what contacts remember, of the certificate.
struct Bits {
  std::vector<std::uint64_t> words;

  template <class List, class Visit>
  void list(const char*, List& items, const Visit& visit) {
    words.push_back(items.size());
    for (auto&& item : items) visit(*this, item);
  }
  void number(double x) { words.push_back(std::bit_cast<std::uint64_t>(x)); }
  void word(std::uint64_t x) { words.push_back(x); }
  void integer(long x) { words.push_back(static_cast<std::uint64_t>(x)); }
  void flag(bool x) { words.push_back(x ? 1 : 0); }
  void bits(std::uint8_t x) { words.push_back(x); }
};

std::vector<std::uint64_t> bits_of(ThreadedRun& run) {
  Bits bits;
  for (const double x : run.state.q) bits.number(x);
  for (const double x : run.state.v) bits.number(x);
  contact::visit_memory(run.memory, bits);
  const certify::StepCertificate& certificate = run.record.certificate;
  for (const double x : {certificate.worst(), certificate.normal, certificate.friction, certificate.momentum,
                         certificate.energy_gain, certificate.penetration}) {
    bits.number(x);
  }
  return bits.words;
}

void expect_same_bits(Accuracy accuracy, int side, int layers, int steps) {
  const auto scene = scene::parse_scene(cubes(side, layers), "cubes.toml");
  ASSERT_TRUE(scene) << scene.error().message();
  ThreadedRun one(*scene, accuracy, 1), two(*scene, accuracy, 2), eight(*scene, accuracy, 8);
  for (int i = 0; i < steps; ++i) {
    for (ThreadedRun* run : {&one, &two, &eight}) ASSERT_TRUE(run->advance()) << "step " << i;
    const std::vector<std::uint64_t> expected = bits_of(one);
    ASSERT_EQ(bits_of(two), expected) << "step " << i;
    ASSERT_EQ(bits_of(eight), expected) << "step " << i;
  }
  EXPECT_EQ(one.record.islands.count(), 1);
  EXPECT_GT(one.record.contacts.size(), 1024u);  // what the largest of the thresholds asks for
  EXPECT_EQ(one.helped(), 0);
  EXPECT_GT(two.helped(), 0);
  EXPECT_GT(eight.helped(), 0);
}

TEST(Threads, ChangeNoBitOfOneIslandUnderFast) {
  expect_same_bits(Accuracy::fast, 8, 4, 12);
}

TEST(Threads, ChangeNoBitOfOneIslandUnderBalanced) {
  expect_same_bits(Accuracy::balanced, 8, 2, 3);
}

TEST(Threads, ChangeNoBitOfOneIslandUnderExact) {
  expect_same_bits(Accuracy::exact, 8, 2, 2);
}

// Steps that were made before, from the same state, need no more memory, whichever worker finds how much this time.
TEST(Threads, StepsThatWereMadeBeforeAllocateNothing) {
  if (!STICTION_COUNTS_ALLOCATIONS) GTEST_SKIP() << "a sanitizer owns malloc";
  const auto scene = scene::parse_scene(cubes(8, 4), "cubes.toml");
  ASSERT_TRUE(scene) << scene.error().message();
  ThreadedRun run(*scene, Accuracy::fast, 2);
  bool ok = true;
  const auto steps = [&] {
    for (int i = 0; i < 10; ++i) ok = run.advance() && ok;
  };
  const State start = run.state;
  const contact::ContactMemory remembered = run.memory;
  steps();
  run.state = start;
  run.memory = remembered;
  EXPECT_EQ(stiction::testing::allocations_during(steps), 0);
  EXPECT_TRUE(ok);
  EXPECT_GT(run.helped(), 0);
}

}  // namespace
}  // namespace stiction
