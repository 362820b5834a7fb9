#include "app/service/connection_pool.h"

#include <new>
#include <system_error>

namespace tacit::app::service {
namespace {
thread_local bool turned_away = false;
}  // namespace

std::atomic<std::size_t> ConnectionPool::waiting_{0};

ConnectionPool::ConnectionPool(std::size_t most_threads, std::size_t most_waiting) : most_threads_(most_threads) {
  connections_.set_capacity(static_cast<std::ptrdiff_t>(most_waiting));
}

ConnectionPool::~ConnectionPool() { shutdown(); }

bool ConnectionPool::turning_away() { return turned_away; }

void ConnectionPool::enqueue(std::function<void()> connection) {
  ++waiting_;
  if (make_room() && connections_.try_push(connection)) return;
  --waiting_;
  turned_away = true;
  connection();
  turned_away = false;
}

bool ConnectionPool::make_room() {
  const std::lock_guard lock(mutex_);
  if (threads_.size() < most_threads_ && idle_ < waiting_) {
    try {
      threads_.emplace_back([this] { serve(); });
    } catch (const std::system_error&) {  // no room for its stack: the connection waits for one that there is
    } catch (const std::bad_alloc&) {
    }
  }
  return !threads_.empty();
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
    --idle_;  // before `waiting_`: a thread too many is no harm, one too few would keep a connection waiting
    if (!connection) return;
    --waiting_;
    connection();
  }
}

}  // namespace tacit::app::service
