#include "app/service/connection_pool.h"

#include <fmt/format.h>

#include <exception>
#include <new>
#include <system_error>

namespace tacit::app::service {
namespace {
thread_local bool turned_away = false;

/// Requests that fail are answered. What comes here had no memory for an answer: its connection is closed.
void serve_one(const std::function<void()>& connection) {
  try {
    connection();
  } catch (const std::exception& error) {
    fmt::print(stderr, "tacit: a connection was given up: {}\n", error.what());
  }
}
}  // namespace

std::atomic<std::size_t> ConnectionPool::waiting_{0};

ConnectionPool::ConnectionPool(std::size_t most_threads, std::size_t most_waiting) : most_threads_(most_threads) {
  connections_.set_capacity(static_cast<std::ptrdiff_t>(most_waiting));
  make_thread();
}

ConnectionPool::~ConnectionPool() { shutdown(); }

bool ConnectionPool::turning_away() { return turned_away; }

void ConnectionPool::enqueue(std::function<void()> connection) {
  ++waiting_;
  try {
    if (make_room() && connections_.try_push(connection)) return;
  } catch (const std::bad_alloc&) {  // no room in the queue either
  }
  --waiting_;
  turned_away = true;
  serve_one(connection);
  turned_away = false;
}

bool ConnectionPool::make_room() {
  const std::lock_guard lock(mutex_);
  // Read before `idle_`: a thread that takes one in between makes this a thread too many, never one too few.
  const std::size_t waiting = waiting_;
  if (threads_.size() < most_threads_ && idle_ < waiting) make_thread();
  return !threads_.empty();
}

void ConnectionPool::make_thread() {
  try {
    threads_.emplace_back([this] { serve(); });
  } catch (const std::system_error&) {  // no room for its stack: connections wait for the threads that there are
  } catch (const std::bad_alloc&) {
  }
}

void ConnectionPool::shutdown() {
  const std::lock_guard lock(mutex_);
  for (std::size_t i = 0; i < threads_.size(); ++i) connections_.push({});
  threads_.clear();  // once each has ended
}

void ConnectionPool::serve() {
  for (;;) {
    std::function<void()> connection;
    ++idle_;
    connections_.pop(connection);
    --idle_;  // before `waiting_`, for the same reason
    if (!connection) return;
    --waiting_;
    serve_one(connection);
  }
}

}  // namespace tacit::app::service
