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

TEST(ConnectionShares, WhoHasTheMostGivesWayOneAfterAnother) {
  ConnectionShares shares(8);
  std::vector<ConnectionShares::Share> annas, bens;
  EXPECT_FALSE(shares.gives_way("anna"));
  annas.push_back(shares.take("anna").value());
  EXPECT_FALSE(shares.gives_way("anna")) << "a single one is nobody's burden";
  for (int i = 0; i < 2; ++i) annas.push_back(shares.take("anna").value());
  for (int i = 0; i < 2; ++i) bens.push_back(shares.take("ben").value());
  EXPECT_FALSE(shares.gives_way("ben")) << "anna has more";
  EXPECT_TRUE(shares.gives_way("anna"));
  EXPECT_FALSE(shares.gives_way("anna")) << "the first is to end before";
  annas.pop_back();
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  EXPECT_TRUE(shares.gives_way("ben")) << "as many as anna";
}

}  // namespace
}  // namespace tacit::app::service
