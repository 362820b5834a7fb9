#include "app/python/work.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace tacit::app::python {
namespace {

namespace py = pybind11;

constexpr std::chrono::milliseconds kPoll{50};

/// Remembers where the work is, for whoever asks: no call of Python comes from the threads that work.
class PolledProgress final : public Progress {
 public:
  struct Position {
    std::string stage;
    std::uint64_t done = 0, total = 0;
    bool operator==(const Position&) const = default;
  };

  void cancel() { cancelled_ = true; }

  /// The innermost stage; before its name, which step of the outermost one it belongs to.
  std::optional<Position> position() const {
    const std::lock_guard lock(mutex_);
    if (stages_.empty()) return std::nullopt;
    Position position = stages_.back();
    const Position& outer = stages_.front();
    if (stages_.size() > 1 && outer.total > 1)
      position.stage = std::to_string(std::min(outer.done + 1, outer.total)) + "/" + std::to_string(outer.total) + " " +
                       position.stage;
    return position;
  }

 private:
  void stage_began(std::string_view stage, std::uint64_t total) override {
    const std::lock_guard lock(mutex_);
    stages_.push_back({std::string(stage), 0, total});
  }
  void steps_done(std::uint64_t done) override {
    const std::lock_guard lock(mutex_);
    if (!stages_.empty()) stages_.back().done += done;
  }
  void stage_ended() override {
    const std::lock_guard lock(mutex_);
    if (!stages_.empty()) stages_.pop_back();
  }
  bool cancelled() const override { return cancelled_; }

  mutable std::mutex mutex_;
  std::vector<Position> stages_;
  std::atomic<bool> cancelled_ = false;
};

/// A thread that finishes its body before it goes out of scope.
class Worker {
 public:
  explicit Worker(std::function<void()> body)
      : thread_([this, body = std::move(body)] {
          try {
            body();
          } catch (...) {
            failure_ = std::current_exception();
          }
          const std::lock_guard lock(mutex_);
          finished_ = true;
          ended_.notify_all();
        }) {}
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  ~Worker() { thread_.join(); }

  bool finishes_within(std::chrono::milliseconds time) {
    std::unique_lock lock(mutex_);
    return ended_.wait_for(lock, time, [this] { return finished_; });
  }
  /// Once it is finished.
  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  std::mutex mutex_;
  std::condition_variable ended_;
  bool finished_ = false;
  std::exception_ptr failure_;
  std::thread thread_;  // the last member: it uses the others
};

}  // namespace

void work(const py::object& report, const std::function<void(Progress&)>& body) {
  PolledProgress progress;
  std::optional<py::error_already_set> interruption;
  std::exception_ptr failure;
  {
    py::gil_scoped_release released;
    Worker worker([&] { body(progress); });
    std::optional<PolledProgress::Position> told;
    while (!worker.finishes_within(kPoll)) {
      if (interruption) continue;  // the work unwinds
      const auto position = progress.position();
      const py::gil_scoped_acquire held;
      try {
        if (PyErr_CheckSignals() != 0) throw py::error_already_set();
        if (!report.is_none() && position && position != told) report(position->stage, position->done, position->total);
        told = position;
      } catch (py::error_already_set& error) {
        interruption.emplace(std::move(error));
        progress.cancel();
      }
    }
    try {
      worker.rethrow();
    } catch (...) {
      failure = std::current_exception();
    }
  }
  if (interruption) throw *std::move(interruption);
  if (failure) std::rethrow_exception(failure);
}

}  // namespace tacit::app::python
