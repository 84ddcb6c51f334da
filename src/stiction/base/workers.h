// Threads that share a loop: its chunks do not depend on each other, and who takes which never shows in the result.
//
// What a caller does to keep its bits: the chunks of a loop are the same for any number of threads, a chunk writes what
// no other chunk of the loop reads, and sums are made chunk by chunk and added in the order of the chunks.
//
// A loop of a few microseconds is worth sharing: whoever is free takes the next chunk, and who finds none spins for a
// counted number of pauses before it sleeps. Nobody waits for a thread that has not begun: where other programs occupy
// the cores, the caller does all chunks itself.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <type_traits>
#include <vector>

namespace stiction {

/// Calls f(chunk), or f(chunk, worker) where it takes both.
template <class F>
void call_chunk(F& f, int chunk, int worker) {
  if constexpr (std::is_invocable_v<F&, int, int>) {
    f(chunk, worker);
  } else {
    f(chunk);
  }
}

/// A caller and its helpers; these start when a loop is shared for the first time. One caller at a time.
class Workers {
 public:
  /// `count` >= 1 threads, the caller among them.
  explicit Workers(int count = 1) : count_(count) {}
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  int count() const { return count_; }

  /// Calls f(chunk) once for each of 0..chunks-1 and returns when all are done; f(chunk, worker) also learns who does
  /// it, 0..count-1. Inside a chunk of another loop (where f(chunk, worker) is not allowed) the caller does them all.
  /// When chunks throw, the exception of the first of them is passed on.
  template <class F>
  void for_chunks(int chunks, F&& f) {
    if (count_ == 1 || chunks <= 1 || in_loop()) {
      if constexpr (std::is_invocable_v<F&, int, int>) expect_no_loop();
      for (int chunk = 0; chunk < chunks; ++chunk) call_chunk(f, chunk, 0);
      return;
    }
    using Function = std::remove_reference_t<F>;
    const auto call = [](void* body, int chunk, int worker) {
      call_chunk(*static_cast<Function*>(body), chunk, worker);
    };
    share(chunks, call, const_cast<std::remove_const_t<Function>*>(&f));
  }

  /// For tests: the caller leaves the first chunk of every loop to a helper, however long that takes.
  void let_helpers_begin() { helpers_first_ = true; }

  /// How many chunks helpers have done so far.
  long helped() const { return helped_.load(std::memory_order_relaxed); }

 private:
  using Call = void (*)(void*, int, int);

  bool in_loop() const { return in_loop_.load(std::memory_order_relaxed); }
  void expect_no_loop() const;
  void start();
  void share(int chunks, Call call, void* body);
  void share_some(int first, int chunks, Call call, void* body);
  void help(int worker);
  int take_chunks(int worker);
  void do_chunk(int chunk, int worker);
  void wake_helpers(int chunks);
  void wait_for_loop(int last);
  void wait_for_helpers(int chunks);

  static constexpr int line = 64;  // bytes: what one thread writes does not slow down who reads something else

  const int count_;
  bool helpers_first_ = false, started_ = false;
  std::vector<std::thread> helpers_;
  std::atomic<bool> in_loop_ = false;
  std::mutex mutex_;  // of those who sleep, and of the exception
  std::condition_variable loop_begins_, chunks_end_;
  std::exception_ptr exception_;
  int exception_chunk_ = 0;
  std::atomic<Call> call_ = nullptr;
  std::atomic<void*> body_ = nullptr;
  std::atomic<int> first_ = 0;
  alignas(line) std::atomic<std::uint64_t> ticket_ = 0;  // number of the loop, its chunks, the next chunk
  alignas(line) std::atomic<int> loop_ = 0;              // changes when a loop begins
  std::atomic<int> sleepers_ = 0;
  std::atomic<bool> ends_ = false;
  alignas(line) std::atomic<int> done_ = 0;  // chunks of this loop
  std::atomic<bool> caller_sleeps_ = false;
  std::atomic<long> helped_ = 0;
};

/// The same where there may be no workers (null): the caller then does all chunks.
template <class F>
void for_chunks(Workers* workers, int chunks, F&& f) {
  if (workers != nullptr) return workers->for_chunks(chunks, f);
  for (int chunk = 0; chunk < chunks; ++chunk) call_chunk(f, chunk, 0);
}

/// Chunks of `size` items that so many items make.
constexpr int chunk_count(size_t items, size_t size) {
  return static_cast<int>((items + size - 1) / size);
}

/// Calls f(begin, end) for the chunks of `size` items.
template <class F>
void for_ranges(Workers* workers, size_t items, size_t size, F&& f) {
  for_chunks(workers, chunk_count(items, size), [&](int chunk) {
    const size_t begin = size * static_cast<size_t>(chunk);
    f(begin, begin + size < items ? begin + size : items);
  });
}

}  // namespace stiction
