#include "app/python/work.h"

#include <unistd.h>

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

/// A thread that carries out one body after another.
class Worker {
 public:
  Worker() { std::thread(&Worker::serve, this).detach(); }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  void start(std::function<void()> body) {
    const std::lock_guard lock(mutex_);
    body_ = std::move(body);
    wake_.notify_one();
  }
  bool finishes_within(std::chrono::milliseconds time) {
    std::unique_lock lock(mutex_);
    return ended_.wait_for(lock, time, [this] { return !body_; });
  }
  /// What the body threw, once it is finished.
  std::exception_ptr take_failure() {
    const std::lock_guard lock(mutex_);
    return std::exchange(failure_, nullptr);
  }

 private:
  [[noreturn]] void serve() {
    std::unique_lock lock(mutex_);
    while (true) {
      wake_.wait(lock, [this] { return static_cast<bool>(body_); });
      lock.unlock();
      std::exception_ptr thrown;
      try {
        body_();
      } catch (...) {
        thrown = std::current_exception();
      }
      lock.lock();
      failure_ = thrown;
      body_ = nullptr;
      ended_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable wake_, ended_;
  std::function<void()> body_;  ///< empty: idle
  std::exception_ptr failure_;
};

/// Threads that wait for work. They are kept, for scratch memory belongs to threads: a new one for every evaluation
/// would fetch it from the system anew. Never destroyed: threads wait in it when the process ends.
class IdleWorkers {
 public:
  static IdleWorkers& instance() {
    static auto* const workers = new IdleWorkers;
    return *workers;
  }
  Worker* take() {
    const std::lock_guard lock(mutex_);
    if (process_ != getpid()) idle_.clear();  // a fork has none of the threads
    process_ = getpid();
    if (idle_.empty()) return new Worker;
    Worker* const worker = idle_.back();
    idle_.pop_back();
    return worker;
  }
  void put(Worker* worker) {
    const std::lock_guard lock(mutex_);
    idle_.push_back(worker);
  }

 private:
  std::mutex mutex_;
  std::vector<Worker*> idle_;
  pid_t process_ = getpid();
};

/// A worker for one body, which is finished before this goes out of scope.
class Hired {
 public:
  explicit Hired(std::function<void()> body) : worker_(IdleWorkers::instance().take()) {
    worker_->start(std::move(body));
  }
  Hired(const Hired&) = delete;
  Hired& operator=(const Hired&) = delete;
  ~Hired() {
    while (!worker_->finishes_within(kPoll)) {
    }
    worker_->take_failure();
    IdleWorkers::instance().put(worker_);
  }
  Worker* operator->() const { return worker_; }

 private:
  Worker* worker_;
};

}  // namespace

void work(const py::object& report, const std::function<void(Progress&)>& body) {
  PolledProgress progress;
  std::optional<py::error_already_set> interruption;
  std::exception_ptr failure;
  {
    py::gil_scoped_release released;
    const Hired worker([&] { body(progress); });
    std::optional<PolledProgress::Position> told;
    while (!worker->finishes_within(kPoll)) {
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
    failure = worker->take_failure();
  }
  if (interruption) throw *std::move(interruption);
  if (failure) std::rethrow_exception(failure);
}

}  // namespace tacit::app::python
