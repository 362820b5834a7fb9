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

/// Shows how far long work is, on a stream. On a terminal a stage that lasts longer than a second gets a bar that is
/// redrawn in place and removed at its end; elsewhere it gets one line when it has lasted a second and one when it
/// ends. Shorter stages leave no trace. Stages may nest: a terminal shows the innermost with the count of the one
/// around it, other streams the outermost only. Thread safe.
class ProgressBar final : public base::Progress {
 public:
  /// How long a stage stays silent, and how often a bar is redrawn.
  struct Timing {
    std::chrono::milliseconds silence{1000};
    std::chrono::milliseconds redraw{100};
  };
  ProgressBar(std::FILE* stream, bool terminal, Timing timing);
  /// On standard error.
  ProgressBar();
  ~ProgressBar() override;
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  /// Runs `print`, which may write to the same terminal, with the bar out of its way.
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

/// One line of a bar: "  compile      [#########...........]  45 %   1.2 s". A total of 0 has no share: a mark wanders.
std::string bar_text(std::string_view stage, std::uint64_t done, std::uint64_t total, double seconds);

}  // namespace tacit::app
