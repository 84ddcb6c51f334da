// A loop is published as a ticket: its number, how many chunks it has and which comes next, in one word. To take a
// chunk is to raise the last of these, which fails when anything else has changed: whoever succeeds reads the body of
// that very loop, since it is replaced only after all of its chunks are done.
#include "stiction/base/workers.h"

#include <algorithm>
#include <system_error>
#include <utility>

#include "stiction/base/assert.h"

namespace stiction {
namespace {

// Pauses before a thread sleeps, some 40 us: what most serial stretches between two loops of a step take.
constexpr int most_pauses = 2000;
// After so many of them, each time, somebody else may run: on cores that are all taken, nothing changes by waiting.
constexpr int pauses_per_yield = 100;

constexpr int chunk_bits = 16, most_chunks = (1 << chunk_bits) - 1;

std::uint64_t make_ticket(std::uint64_t loop, int chunks) {
  return (loop << (2 * chunk_bits)) | (static_cast<std::uint64_t>(chunks) << chunk_bits);
}
std::uint64_t loop_of(std::uint64_t ticket) {
  return ticket >> (2 * chunk_bits);
}
int chunks_of(std::uint64_t ticket) {
  return static_cast<int>(ticket >> chunk_bits) & most_chunks;
}
int next_of(std::uint64_t ticket) {
  return static_cast<int>(ticket) & most_chunks;
}

void pause() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

template <class Condition>
bool spin_until(const Condition& condition) {
  for (int i = 1; i <= most_pauses; ++i) {
    if (condition()) return true;
    i % pauses_per_yield == 0 ? std::this_thread::yield() : pause();
  }
  return condition();
}

}  // namespace

Workers::~Workers() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
    ++loop_;
  }
  loop_begins_.notify_all();
  for (std::thread& helper : helpers_) helper.join();
}

void Workers::expect_no_loop() const {
  STICTION_ASSERT(!in_loop(), "a chunk of a loop does not ask who does the chunks of a loop inside it");
}

// Where the system has no more threads, or no memory for their stacks, fewer helpers make the same result.
void Workers::start() {
  started_ = true;
  helpers_.reserve(static_cast<size_t>(count_ - 1));
  try {
    for (int worker = 1; worker < count_; ++worker) helpers_.emplace_back([this, worker] { help(worker); });
  } catch (const std::system_error&) {
  }
}

void Workers::share(int chunks, Call call, void* body) {
  if (!started_) start();
  in_loop_.store(true, std::memory_order_relaxed);
  for (int first = 0; first < chunks; first += most_chunks) {
    share_some(first, std::min(chunks - first, most_chunks), call, body);
  }
  in_loop_.store(false, std::memory_order_relaxed);
  if (exception_ != nullptr) std::rethrow_exception(std::exchange(exception_, nullptr));
}

void Workers::share_some(int first, int chunks, Call call, void* body) {
  call_.store(call, std::memory_order_relaxed);
  body_.store(body, std::memory_order_relaxed);
  first_.store(first, std::memory_order_relaxed);
  done_.store(0, std::memory_order_relaxed);
  ticket_.store(make_ticket(loop_of(ticket_.load(std::memory_order_relaxed)) + 1, chunks), std::memory_order_release);
  ++loop_;
  wake_helpers(chunks);
  while (helpers_first_ && next_of(ticket_.load(std::memory_order_relaxed)) == 0) std::this_thread::yield();
  wait_for_helpers(chunks - take_chunks(0));
}

// Who goes to sleep says so before it looks at the loop for the last time; the caller looks for sleepers after it has
// begun the loop: one of them sees the other.
void Workers::wake_helpers(int chunks) {
  const int wanted = std::min(sleepers_.load(), chunks - 1);
  if (wanted <= 0) return;
  { const std::lock_guard lock(mutex_); }
  for (int i = 0; i < wanted; ++i) loop_begins_.notify_one();
}

void Workers::wait_for_loop(int last) {
  if (spin_until([&] { return loop_.load(std::memory_order_acquire) != last; })) return;
  std::unique_lock lock(mutex_);
  ++sleepers_;
  loop_begins_.wait(lock, [&] { return loop_ != last; });
  --sleepers_;
}

void Workers::help(int worker) {
  for (int last = 0; !ends_; last = loop_.load(std::memory_order_acquire)) {
    if (const int done = take_chunks(worker); done > 0) {
      helped_.fetch_add(done, std::memory_order_relaxed);
      done_.fetch_add(done);
      if (caller_sleeps_) {
        { const std::lock_guard lock(mutex_); }
        chunks_end_.notify_one();
      }
    }
    wait_for_loop(last);
  }
}

// The same between the caller who waits for chunks and the helper who has done the last of them.
void Workers::wait_for_helpers(int chunks) {
  const auto all_done = [&] { return done_.load() == chunks; };
  if (spin_until(all_done)) return;
  std::unique_lock lock(mutex_);
  caller_sleeps_ = true;
  chunks_end_.wait(lock, all_done);
  caller_sleeps_ = false;
}

// Chunks that are left of the loop at hand; returns how many this worker did.
int Workers::take_chunks(int worker) {
  int done = 0;
  std::uint64_t ticket = ticket_.load(std::memory_order_acquire);
  while (next_of(ticket) < chunks_of(ticket)) {
    if (!ticket_.compare_exchange_weak(ticket, ticket + 1, std::memory_order_acq_rel, std::memory_order_acquire)) {
      continue;
    }
    do_chunk(first_.load(std::memory_order_relaxed) + next_of(ticket), worker);
    ++done;
    ticket = ticket_.load(std::memory_order_acquire);
  }
  return done;
}

void Workers::do_chunk(int chunk, int worker) try {
  const Call call = call_.load(std::memory_order_relaxed);
  call(body_.load(std::memory_order_relaxed), chunk, worker);
} catch (...) {
  const std::lock_guard lock(mutex_);
  if (exception_ != nullptr && exception_chunk_ < chunk) return;
  exception_ = std::current_exception();
  exception_chunk_ = chunk;
}

}  // namespace stiction
