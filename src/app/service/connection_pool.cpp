#include "app/service/connection_pool.h"

namespace tacit::app::service {
namespace {
thread_local bool turned_away = false;
}  // namespace

std::atomic<std::size_t> ConnectionPool::waiting_{0};

ConnectionPool::ConnectionPool(std::size_t threads, std::size_t most_waiting) {
  connections_.set_capacity(static_cast<std::ptrdiff_t>(most_waiting));
  try {
    for (std::size_t i = 0; i < threads; ++i) threads_.emplace_back([this] { serve(); });
  } catch (...) {  // the system has no more threads; those that were made wait
    shutdown();
    throw;
  }
}

ConnectionPool::~ConnectionPool() { shutdown(); }

bool ConnectionPool::turning_away() { return turned_away; }

void ConnectionPool::enqueue(std::function<void()> connection) {
  ++waiting_;
  if (connections_.try_push(connection)) return;
  --waiting_;
  turned_away = true;
  connection();
  turned_away = false;
}

void ConnectionPool::shutdown() {
  for (std::size_t i = 0; i < threads_.size(); ++i) connections_.push({});
  threads_.clear();  // once each has ended
}

void ConnectionPool::serve() {
  for (;;) {
    std::function<void()> connection;
    connections_.pop(connection);
    if (!connection) return;
    --waiting_;
    connection();
  }
}

}  // namespace tacit::app::service
