#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/progress.h"

namespace tacit::session {

/// Counts the steps of stages by their names. The steps of a nested stage count for that stage only.
class StagesForTest final : public base::Progress {
 public:
  struct Stage {
    std::uint64_t total = 0, done = 0;
    bool operator==(const Stage&) const = default;
  };
  /// Returns the steps of a stage. Sums them if it occurred several times, and throws if it did not occur.
  Stage of(const std::string& name) const { return stages_.at(name); }

 private:
  void stage_began(std::string_view stage, std::uint64_t total) override {
    const std::lock_guard lock(mutex_);
    open_.emplace_back(stage);
    stages_[open_.back()].total += total;
  }
  void steps_done(std::uint64_t done) override {
    const std::lock_guard lock(mutex_);
    if (!open_.empty()) stages_[open_.back()].done += done;
  }
  void stage_ended() override {
    const std::lock_guard lock(mutex_);
    open_.pop_back();
  }

  std::mutex mutex_;
  std::vector<std::string> open_;
  std::map<std::string, Stage> stages_;
};

}  // namespace tacit::session
