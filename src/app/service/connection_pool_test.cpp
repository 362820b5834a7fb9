#include "app/service/connection_pool.h"

#include <gtest/gtest.h>

#include <latch>
#include <mutex>
#include <set>

namespace tacit::app::service {
namespace {

TEST(ConnectionPool, ServesAsManyAtOnceAsItHasThreads) {
  std::latch all(3);
  std::mutex mutex;
  std::set<std::thread::id> threads;
  ConnectionPool pool(3, 3);
  for (int i = 0; i < 3; ++i)
    pool.enqueue([&] {
      all.arrive_and_wait();  // for ever, if two of them shared a thread
      const std::lock_guard lock(mutex);
      threads.insert(std::this_thread::get_id());
    });
  all.wait();
  pool.shutdown();
  EXPECT_EQ(threads.size(), 3U);
  EXPECT_FALSE(threads.contains(std::this_thread::get_id()));
}

TEST(ConnectionPool, TurnsAwayWhatHasNoPlaceAndServesWhatWaits) {
  std::latch begun(1), go_on(1);
  std::atomic<int> served{0};
  ConnectionPool pool(1, 2);
  pool.enqueue([&] {
    begun.count_down();
    go_on.wait();
    if (!ConnectionPool::turning_away()) ++served;
  });
  begun.wait();
  EXPECT_EQ(ConnectionPool::waiting(), 0U);
  for (std::size_t i = 1; i <= 2; ++i) {
    pool.enqueue([&] {
      if (!ConnectionPool::turning_away()) ++served;
    });
    EXPECT_EQ(ConnectionPool::waiting(), i);
  }
  int turned_away = 0;
  pool.enqueue([&] {
    EXPECT_TRUE(ConnectionPool::turning_away());
    ++turned_away;
  });
  EXPECT_EQ(turned_away, 1) << "by the thread that accepts, at once";
  EXPECT_FALSE(ConnectionPool::turning_away());
  EXPECT_EQ(ConnectionPool::waiting(), 2U);
  EXPECT_EQ(served, 0);
  go_on.count_down();
  pool.shutdown();
  EXPECT_EQ(served, 3);
  EXPECT_EQ(ConnectionPool::waiting(), 0U);
}

TEST(ConnectionPool, AConnectionThatFailsTakesNoThreadWithIt) {
  std::latch served(1);
  ConnectionPool pool(1, 2);
  pool.enqueue([] { throw std::bad_alloc(); });
  pool.enqueue([&] { served.count_down(); });
  served.wait();  // for ever, if the only thread had ended
  pool.shutdown();
  EXPECT_EQ(ConnectionPool::waiting(), 0U);
}

}  // namespace
}  // namespace tacit::app::service
