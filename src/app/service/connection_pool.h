#pragma once

#include <httplib.h>
#include <tbb/concurrent_queue.h>

#include <atomic>
#include <cstddef>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace tacit::app::service {

/// A bounded number of threads that serve one connection each, and a bounded queue of connections that wait. For a
/// connection beyond both bounds, the callback runs with `turning_away()` true. One thread is made at once, and the
/// others when connections need them. If the system has no room for another stack, the existing threads continue.
/// Thread safe.
class ConnectionPool final : public httplib::TaskQueue {
 public:
  ConnectionPool(std::size_t most_threads, std::size_t most_waiting);
  ~ConnectionPool() override;
  void enqueue(std::function<void()> connection) override;
  /// Serves the waiting connections, and joins the threads.
  void shutdown() override;

  /// True if the calling thread must answer its connection that there is no room.
  static bool turning_away();
  /// The number of connections that wait for a thread. Idle connections may make room for them.
  static std::size_t waiting() { return waiting_; }

 private:
  /// Makes a thread if all are busy and the bound allows one. Returns false if there is no thread at all.
  bool make_room();
  void make_thread();
  void serve();
  static std::atomic<std::size_t> waiting_;
  const std::size_t most_threads_;
  std::atomic<std::size_t> idle_{0};
  tbb::concurrent_bounded_queue<std::function<void()>> connections_;  // an empty one ends the thread that takes it
  std::mutex mutex_;                                                  // of threads_
  std::vector<std::jthread> threads_;
};

}  // namespace tacit::app::service
