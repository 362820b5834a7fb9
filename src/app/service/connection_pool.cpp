#include "app/service/connection_pool.h"

#include <utility>

namespace tacit::app::service {
namespace {
thread_local bool turned_away = false;
}  // namespace

std::atomic<std::size_t> ConnectionPool::waiting_{0};

ConnectionPool::ConnectionPool(std::size_t threads, std::size_t most_waiting) : most_waiting_(most_waiting) {
  for (std::size_t i = 0; i < threads; ++i) threads_.emplace_back([this] { serve(); });
}

ConnectionPool::~ConnectionPool() { shutdown(); }

bool ConnectionPool::turning_away() { return turned_away; }

void ConnectionPool::enqueue(std::function<void()> connection) {
  {
    const std::lock_guard lock(mutex_);
    if (connections_.size() < most_waiting_) {
      connections_.push_back(std::move(connection));
      waiting_ = connections_.size();
      changed_.notify_one();
      return;
    }
  }
  turned_away = true;
  connection();
  turned_away = false;
}

void ConnectionPool::shutdown() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  threads_.clear();  // once each has ended
}

void ConnectionPool::serve() {
  for (;;) {
    std::function<void()> connection;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return stopping_ || !connections_.empty(); });
      if (connections_.empty()) return;
      connection = std::move(connections_.front());
      connections_.pop_front();
      waiting_ = connections_.size();
    }
    connection();
  }
}

}  // namespace tacit::app::service
