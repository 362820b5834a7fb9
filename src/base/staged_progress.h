#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/progress.h"

namespace tacit::base {

/// Tells another thread how far the work is, and takes its request to stop. Thread safe.
class StagedProgress final : public Progress {
 public:
  struct Stage {
    std::string name;
    std::uint64_t total = 0, done = 0;
    bool operator==(const Stage&) const = default;
  };
  /// Returns the stages that have begun and not ended, the outermost first.
  std::vector<Stage> stages() const {
    const std::lock_guard lock(mutex_);
    return stages_;
  }
  void cancel() { cancelled_ = true; }
  bool cancelled() const override { return cancelled_; }

 private:
  void stage_began(std::string_view stage, std::uint64_t total) override {
    const std::lock_guard lock(mutex_);
    stages_.push_back({std::string(stage), total, 0});
  }
  void steps_done(std::uint64_t done) override {
    const std::lock_guard lock(mutex_);
    if (!stages_.empty()) stages_.back().done += done;
  }
  void stage_ended() override {
    const std::lock_guard lock(mutex_);
    if (!stages_.empty()) stages_.pop_back();
  }

  mutable std::mutex mutex_;
  std::vector<Stage> stages_;
  std::atomic<bool> cancelled_{false};
};

}  // namespace tacit::base
