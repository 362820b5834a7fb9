#include "app/progress_bar.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "session/sentence.h"

namespace tacit::app {
namespace {
constexpr std::size_t kBarWidth = 30;
constexpr std::size_t kMarkWidth = 4;
constexpr double kStepsPerSecond = 5;

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}
}  // namespace

std::string bar_text(std::string_view stage, std::uint64_t done, std::uint64_t total, double seconds) {
  if (total == 0) {
    std::string track(kBarWidth, '.');
    track.replace(static_cast<std::size_t>(seconds * kStepsPerSecond) % (kBarWidth - kMarkWidth), kMarkWidth,
                  kMarkWidth, '#');
    return fmt::format("  {:<28.28} [{}]       {:7.1f} s", stage, track, seconds);
  }
  const double share = std::min(1.0, static_cast<double>(done) / static_cast<double>(total));
  const auto filled = static_cast<std::size_t>(share * static_cast<double>(kBarWidth));
  return fmt::format("  {:<28.28} [{}{}] {:3.0f} % {:7.1f} s", stage, std::string(filled, '#'),
                     std::string(kBarWidth - filled, '.'), share * 100, seconds);
}

ProgressBar::ProgressBar() : ProgressBar(stderr, isatty(STDERR_FILENO), {}) {}

ProgressBar::ProgressBar(std::FILE* stream, bool terminal, Timing timing)
    : stream_(stream), terminal_(terminal), timing_(timing), watcher_([this] { watch(); }) {}

ProgressBar::~ProgressBar() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  watcher_.join();
  erase();
}

void ProgressBar::stage_began(std::string_view stage, std::uint64_t total) {
  const std::lock_guard lock(mutex_);
  stages_.push_back({session::printable(stage), total, 0, Clock::now(), false});
  wake_.notify_all();
}

void ProgressBar::steps_done(std::uint64_t done) {
  const std::lock_guard lock(mutex_);
  if (!stages_.empty()) stages_.back().done += done;
}

void ProgressBar::stage_ended() {
  const std::lock_guard lock(mutex_);
  if (stages_.empty()) return;
  const Stage stage = std::move(stages_.back());
  stages_.pop_back();
  erase();
  if (stage.announced && !terminal_) {
    fmt::print(stream_, "{}: done in {:.1f} s\n", stage.name, seconds_since(stage.start));
    std::fflush(stream_);
  }
}

void ProgressBar::aside(const std::function<void()>& print) {
  const std::lock_guard lock(mutex_);
  erase();
  print();
}

// Stages that never report still show that time passes, so the drawing is driven by a clock and not by advance().
void ProgressBar::watch() {
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    if (stages_.empty()) {
      wake_.wait(lock);
      continue;
    }
    wake_.wait_for(lock, timing_.redraw);
    if (!stopping_ && !stages_.empty() && Clock::now() - stages_.front().start >= timing_.silence) draw();
  }
}

void ProgressBar::draw() {
  Stage& outer = stages_.front();
  if (terminal_) {
    const Stage& inner = stages_.back();
    const std::string name = stages_.size() > 1 && outer.total > 0
                                 ? fmt::format("{}/{} {}", outer.done + 1, outer.total, inner.name)
                                 : inner.name;
    fmt::print(stream_, "\r\x1b[K{}", bar_text(name, inner.done, inner.total, seconds_since(inner.start)));
    drawn_ = true;
  } else if (!outer.announced) {
    fmt::print(stream_, "{} …\n", outer.name);
  }
  outer.announced = true;
  std::fflush(stream_);
}

void ProgressBar::erase() {
  if (!drawn_) return;
  fmt::print(stream_, "\r\x1b[K");
  std::fflush(stream_);
  drawn_ = false;
}

}  // namespace tacit::app
