#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/progress.h"

namespace tacit::app::service {

/// How far a job is, for whoever asks, and whether it is to stop. Thread safe.
class JobProgress final : public base::Progress {
 public:
  struct Stage {
    std::string name;
    std::uint64_t total = 0, done = 0;
  };
  /// The outermost stage at the moment; its name is empty before the first.
  Stage now() const {
    const std::lock_guard lock(mutex_);
    return stages_.empty() ? Stage{} : stages_.front();
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

}  // namespace tacit::app::service
