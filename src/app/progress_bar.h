#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/progress.h"

namespace tacit::app {

/// Shows the progress of long work on a stream.
/// - On a terminal a stage that lasts longer than a second gets a bar. The bar is redrawn in place and removed at the
///   end of the stage.
/// - On another stream such a stage gets one line after a second, and one line at its end.
/// - Shorter stages leave no trace.
///
/// Stages may nest. A terminal shows the innermost stage with the count of the stage around it. Other streams show the
/// outermost stage only. Thread safe.
class ProgressBar final : public base::Progress {
 public:
  /// The time that a stage stays silent, and the time between two drawings of a bar.
  struct Timing {
    std::chrono::milliseconds silence{1000};
    std::chrono::milliseconds redraw{100};
  };
  ProgressBar(std::FILE* stream, bool terminal, Timing timing);
  /// Shows progress on standard error.
  ProgressBar();
  ~ProgressBar() override;
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  /// Removes the bar, runs `print`, which may write to the same terminal, and restores the bar.
  void aside(const std::function<void()>& print);

 private:
  void stage_began(std::string_view stage, std::uint64_t total) override;
  void steps_done(std::uint64_t done) override;
  void stage_ended() override;
  using Clock = std::chrono::steady_clock;
  struct Stage {
    std::string name;
    std::uint64_t total = 0, done = 0;
    Clock::time_point start;
    bool announced = false;
  };
  void watch();
  void draw();
  void erase();

  std::FILE* stream_;
  bool terminal_;
  Timing timing_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::vector<Stage> stages_;
  bool drawn_ = false, stopping_ = false;
  std::thread watcher_;
};

/// Returns one line of a bar: "  compile      [#########...........]  45 %   1.2 s". A total of 0 has no share: a mark
/// wanders.
std::string bar_text(std::string_view stage, std::uint64_t done, std::uint64_t total, double seconds);

}  // namespace tacit::app
