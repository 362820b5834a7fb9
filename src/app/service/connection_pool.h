#pragma once

#include <httplib.h>
#include <tbb/concurrent_queue.h>

#include <atomic>
#include <cstddef>
#include <functional>
#include <thread>
#include <vector>

namespace tacit::app::service {

/// The threads that serve connections, one each, and the connections that wait for one: both are bounded. Of what comes
/// beyond that, the callback is run with `turning_away()` true. Thread safe.
class ConnectionPool final : public httplib::TaskQueue {
 public:
  ConnectionPool(std::size_t threads, std::size_t most_waiting);
  ~ConnectionPool() override;
  void enqueue(std::function<void()> connection) override;
  /// Serves what waits, and joins the threads.
  void shutdown() override;

  /// Of the thread that asks: its connection is to be told that there is no room.
  static bool turning_away();
  /// Connections that wait for a thread: those that are idle may make room.
  static std::size_t waiting() { return waiting_; }

 private:
  void serve();
  static std::atomic<std::size_t> waiting_;
  tbb::concurrent_bounded_queue<std::function<void()>> connections_;  // an empty one ends the thread that takes it
  std::vector<std::jthread> threads_;
};

}  // namespace tacit::app::service
