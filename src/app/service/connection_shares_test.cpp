#include "app/service/connection_shares.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace tacit::app::service {
namespace {

TEST(ConnectionShares, AreBoundedForEach) {
  ConnectionShares shares(2);
  std::vector<ConnectionShares::Share> annas;
  for (int i = 0; i < 2; ++i) annas.push_back(shares.take("anna").value());
  EXPECT_FALSE(shares.take("anna"));
  EXPECT_TRUE(shares.take("ben"));
  EXPECT_FALSE(shares.take("anna", std::chrono::milliseconds(1)));
  annas.pop_back();
  EXPECT_TRUE(shares.take("anna")) << "it ends with the object";
  std::optional<ConnectionShares::Share> moved = std::move(annas.back());
  annas.clear();
  annas.push_back(shares.take("anna").value());
  EXPECT_FALSE(shares.take("anna"));
  moved = shares.take("ben").value();
  EXPECT_EQ(moved->who(), "ben");
  EXPECT_TRUE(shares.take("anna"));
}

TEST(ConnectionShares, AreWaitedForWithPatience) {
  ConnectionShares shares(1);
  std::optional<ConnectionShares::Share> first = shares.take("anna");
  std::optional<ConnectionShares::Share> second;
  std::thread waiting([&] { second = shares.take("anna", std::chrono::hours(1)); });
  first.reset();
  waiting.join();  // for ever, if nobody told it
  EXPECT_TRUE(second);
}

}  // namespace
}  // namespace tacit::app::service
