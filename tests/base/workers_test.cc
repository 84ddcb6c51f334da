// Shared loops: every chunk once, whoever does it; what chunks throw; loops inside loops; many threads on few cores.
#include "stiction/base/workers.h"

#include <algorithm>
#include <barrier>
#include <chrono>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace stiction {
namespace {

std::vector<int> visits_of(Workers& workers, int chunks) {
  std::vector<int> visits(chunks, 0);
  workers.for_chunks(chunks, [&](int chunk) { ++visits[chunk]; });
  return visits;
}

TEST(Workers, DoEveryChunkOnce) {
  for (const int count : {1, 2, 3, 8}) {
    Workers workers(count);
    for (const int chunks : {0, 1, 2, 7, 1000, 70000}) {
      EXPECT_EQ(visits_of(workers, chunks), std::vector<int>(chunks, 1)) << count << " threads, " << chunks;
    }
  }
}

// Chunks that wait for each other end only if each has a thread of its own.
TEST(Workers, AreThatManyThreads) {
  for (const int count : {2, 8}) {
    Workers workers(count);
    for (int i = 0; i < 20; ++i) {
      std::barrier together(count);
      std::vector<int> by(count, -1);
      workers.for_chunks(count, [&](int chunk, int worker) {
        by[chunk] = worker;
        together.arrive_and_wait();
      });
      std::sort(by.begin(), by.end());
      std::vector<int> all(count);
      std::iota(all.begin(), all.end(), 0);
      EXPECT_EQ(by, all);
      EXPECT_EQ(workers.helped(), (count - 1) * (i + 1));
    }
  }
}

// Thousands of loops behind each other, as colours of sweeps are, each of which reads what the one before wrote.
TEST(Workers, GoFromLoopToLoop) {
  for (const int count : {2, 8}) {
    Workers workers(count);
    constexpr int chunks = 5;
    std::vector<long> values(chunks, 0), before(chunks, 0);
    for (int i = 0; i < 4000; ++i) {
      values.swap(before);
      workers.for_chunks(chunks, [&](int chunk) { values[chunk] = before[(chunk + 1) % chunks] + 1; });
    }
    EXPECT_EQ(values, std::vector<long>(chunks, 4000));
  }
}

TEST(Workers, WakeAfterTheySlept) {
  Workers workers(2);
  for (int i = 0; i < 20; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    std::barrier together(2);
    workers.for_chunks(2, [&](int) { together.arrive_and_wait(); });
  }
  EXPECT_EQ(workers.helped(), 20);
}

TEST(Workers, MayHaveToBegin) {
  Workers workers(3);
  workers.let_helpers_begin();
  for (int i = 1; i <= 200; ++i) {
    EXPECT_EQ(visits_of(workers, 2), std::vector<int>(2, 1));
    EXPECT_GE(workers.helped(), i);
  }
}

TEST(Workers, DoLoopsInsideLoopsAlone) {
  Workers workers(3);
  std::vector<std::vector<int>> visits(40, std::vector<int>(30, 0));
  workers.for_chunks(40, [&](int outer) { workers.for_chunks(30, [&](int inner) { ++visits[outer][inner]; }); });
  for (const std::vector<int>& inner : visits) EXPECT_EQ(inner, std::vector<int>(30, 1));
}

TEST(Workers, PassOnWhatTheFirstChunkThrows) {
  for (const int count : {1, 2, 8}) {
    Workers workers(count);
    for (int i = 0; i < 50; ++i) {
      std::string message;
      try {
        workers.for_chunks(20, [&](int chunk) {
          if (chunk % 5 == 2) throw std::runtime_error(std::to_string(chunk));
        });
      } catch (const std::runtime_error& error) {
        message = error.what();
      }
      EXPECT_EQ(message, "2");
      EXPECT_EQ(visits_of(workers, 10), std::vector<int>(10, 1));  // and go on
    }
  }
}

TEST(Workers, ShareRangesOfItems) {
  Workers workers(2);
  for (const size_t items : {size_t{0}, size_t{1}, size_t{99}, size_t{100}, size_t{101}}) {
    std::vector<int> visits(items, 0);
    for_ranges(&workers, items, 10, [&](size_t begin, size_t end) {
      EXPECT_LE(end - begin, 10u);
      for (size_t i = begin; i < end; ++i) ++visits[i];
    });
    EXPECT_EQ(visits, std::vector<int>(items, 1));
  }
}

TEST(Workers, MayBeNone) {
  int sum = 0;
  for_chunks(nullptr, 5, [&](int chunk) { sum += chunk; });
  for_ranges(nullptr, 5, 2, [&](size_t begin, size_t end) { sum += static_cast<int>(end - begin); });
  EXPECT_EQ(sum, 15);
}

TEST(WorkersDeathTest, DoNotSayWhoDoesALoopInsideALoop) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  Workers workers(2);
  EXPECT_DEATH(workers.for_chunks(4, [&](int) { workers.for_chunks(2, [](int, int) {}); }), "inside");
}

}  // namespace
}  // namespace stiction
