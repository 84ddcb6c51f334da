// Where the time of a run goes: one sum per stage of a step, measured only where somebody asks.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <string_view>

namespace stiction {

/// Stages in the order in which a step goes through them.
enum class Stage : std::uint8_t {
  free_motion,   ///< kinematics, loads, mass matrices
  broad_phase,   ///< which boxes of shapes overlap
  narrow_phase,  ///< contact points of those pairs
  assembly,      ///< rows, islands
  solve,         ///< impulses and velocities of all islands, repair apart
  repair,        ///< positions of overlapping and drifting contacts
  integrate,     ///< positions, and loads that act after contacts
  certificate,
  events,  ///< motion from event to event, all of it
  record,  ///< samples, recordings, progress
};

inline constexpr int stage_count = 10;

/// What tables and JSON call a stage.
constexpr std::string_view stage_name(Stage stage) {
  constexpr std::array<std::string_view, stage_count> names = {
      "free motion", "broad phase", "narrow phase", "assembly", "solve",
      "repair",      "integrate",   "certificate",  "events",   "record"};
  return names[static_cast<size_t>(stage)];
}

/// Sums of time by stage; several threads may add to it.
class StageTimes {
 public:
  void add(Stage stage, std::chrono::nanoseconds time) {
    nanoseconds_[static_cast<size_t>(stage)].fetch_add(time.count(), std::memory_order_relaxed);
  }
  double seconds(Stage stage) const {
    return 1e-9 * static_cast<double>(nanoseconds_[static_cast<size_t>(stage)].load());
  }

 private:
  std::array<std::atomic<std::int64_t>, stage_count> nanoseconds_ = {};
};

/// Adds the time of its life to a stage; does nothing, not even look at the clock, where `times` is null.
class StageTimer {
 public:
  StageTimer(StageTimes* times, Stage stage) : StageTimer(times, stage, stage) {}
  /// The time is taken from the stage `within` that is being measured round it.
  StageTimer(StageTimes* times, Stage stage, Stage within) : times_(times), stage_(stage), within_(within) {
    if (times_ != nullptr) begin_ = std::chrono::steady_clock::now();
  }
  ~StageTimer() {
    if (times_ == nullptr) return;
    const std::chrono::nanoseconds time = std::chrono::steady_clock::now() - begin_;
    times_->add(stage_, time);
    if (within_ != stage_) times_->add(within_, -time);
  }
  StageTimer(const StageTimer&) = delete;
  StageTimer& operator=(const StageTimer&) = delete;

 private:
  StageTimes* times_;
  Stage stage_, within_;
  std::chrono::steady_clock::time_point begin_;
};

}  // namespace stiction
