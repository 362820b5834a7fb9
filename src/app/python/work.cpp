#include "app/python/work.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <future>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/staged_progress.h"

namespace tacit::app::python {
namespace {

namespace py = pybind11;

constexpr std::chrono::milliseconds kPoll{50};

/// The innermost stage; before its name, which step of the outermost one it belongs to.
std::optional<base::StagedProgress::Stage> position(const base::StagedProgress& progress) {
  const std::vector<base::StagedProgress::Stage> stages = progress.stages();
  if (stages.empty()) return std::nullopt;
  base::StagedProgress::Stage inner = stages.back();
  const base::StagedProgress::Stage& outer = stages.front();
  if (stages.size() > 1 && outer.total > 1)
    inner.name =
        std::to_string(std::min(outer.done + 1, outer.total)) + "/" + std::to_string(outer.total) + " " + inner.name;
  return inner;
}

/// A thread that carries out one body after another.
class Worker {
 public:
  Worker() { std::thread(&Worker::serve, this).detach(); }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  std::future<void> start(std::packaged_task<void()> body) {
    std::future<void> end = body.get_future();
    const std::lock_guard lock(mutex_);
    body_ = std::move(body);
    wake_.notify_one();
    return end;
  }

 private:
  [[noreturn]] void serve() {
    std::unique_lock lock(mutex_);
    while (true) {
      wake_.wait(lock, [this] { return body_.valid(); });
      std::packaged_task<void()> body = std::move(body_);
      lock.unlock();
      body();
      lock.lock();
    }
  }

  std::mutex mutex_;
  std::condition_variable wake_;
  std::packaged_task<void()> body_;  ///< not valid: idle
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
  explicit Hired(const std::function<void()>& body)
      : worker_(IdleWorkers::instance().take()), end_(worker_->start(std::packaged_task<void()>(body))) {}
  Hired(const Hired&) = delete;
  Hired& operator=(const Hired&) = delete;
  ~Hired() {
    if (end_.valid()) end_.wait();
    IdleWorkers::instance().put(worker_);
  }
  bool finishes_within(std::chrono::milliseconds time) const {
    return end_.wait_for(time) == std::future_status::ready;
  }
  /// Throws what the body threw.
  void finish() { end_.get(); }

 private:
  Worker* worker_;
  std::future<void> end_;
};

}  // namespace

// No call of Python comes from the threads that work: this one asks them where they are.
void work(const py::object& report, const std::function<void(Progress&)>& body) {
  base::StagedProgress progress;
  std::optional<py::error_already_set> interruption;
  {
    py::gil_scoped_release released;
    Hired worker([&] { body(progress); });
    std::optional<base::StagedProgress::Stage> told;
    while (!worker.finishes_within(kPoll)) {
      if (interruption) continue;  // the work unwinds
      const auto now = position(progress);
      const py::gil_scoped_acquire held;
      try {
        if (PyErr_CheckSignals() != 0) throw py::error_already_set();
        if (!report.is_none() && now && now != told) report(now->name, now->done, now->total);
        told = now;
      } catch (py::error_already_set& error) {
        interruption.emplace(std::move(error));  // NOLINT(bugprone-use-after-move): each round catches another
        progress.cancel();
      }
    }
    if (!interruption) worker.finish();
  }
  if (interruption) throw *std::move(interruption);
}

}  // namespace tacit::app::python
