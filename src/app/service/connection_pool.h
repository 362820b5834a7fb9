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

/// The threads that serve connections, one each, and the connections that wait for one: both are bounded. Of what comes
/// beyond that, the callback is run with `turning_away()` true. One thread is made at once, the others when connections
/// need them; where the system has no room for another stack, those that there are go on. Thread safe.
class ConnectionPool final : public httplib::TaskQueue {
 public:
  ConnectionPool(std::size_t most_threads, std::size_t most_waiting);
  ~ConnectionPool() override;
  void enqueue(std::function<void()> connection) override;
  /// Serves what waits, and joins the threads.
  void shutdown() override;

  /// Of the thread that asks: its connection is to be told that there is no room.
  static bool turning_away();
  /// Connections that wait for a thread: those that are idle may make room.
  static std::size_t waiting() { return waiting_; }

 private:
  /// Makes a thread if all are busy and there may be more. False if there is none at all.
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
