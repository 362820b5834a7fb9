#include "runtime/crew.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/refusal_for_test.h"
#include "runtime/shared_memory.h"
#include "runtime/thread_ranks_for_test.h"

namespace tacit::runtime {
namespace {

using testing::HasSubstr;

TEST(Crew, OrdersAreKnownByTheirNumbers) {
  EXPECT_EQ(static_cast<int>(Order::leave), 0);
  EXPECT_EQ(static_cast<int>(Order::prepare_slots), 1);
  EXPECT_EQ(static_cast<int>(Order::run), 2);
  EXPECT_EQ(static_cast<int>(Order::prepare_integers), 3);
}

TEST(Crew, AnOrderIsItsNumberAndItsBytes) {
  ThreadRanks::run(3, [](Communicator& self) {
    const std::vector<std::uint8_t> bytes{7, 8, 9};
    if (self.rank() == 0) {
      give_order(self, Order::run, bytes);
      give_order(self, Order::leave);
      return;
    }
    std::vector<std::byte> message;
    self.broadcast(message);
    EXPECT_EQ(message, (std::vector{std::byte{2}, std::byte{7}, std::byte{8}, std::byte{9}}));
    self.broadcast(message);
    EXPECT_EQ(message, std::vector{std::byte{0}});
  });
}

TEST(Crew, WhatCannotBeCarriedOutIsRefused) {
  const auto told = [](Order order) {
    std::string why;
    ThreadRanks::run(2, [&](Communicator& self) {
      if (self.rank() == 0)
        give_order(self, order);
      else
        why = base::refusal([&] { serve(self); });
    });
    return why;
  };
  EXPECT_EQ(told(Order::leave), base::kNotRefused);
  EXPECT_EQ(told(Order::run), "an order of rank 0: there is no program (byte 1 of 1)");
  EXPECT_EQ(told(static_cast<Order>(4)), "an order of rank 0: it is none of this version (byte 1 of 1)");
}

/// What rank 0 says of two ranks that were started so.
std::string difference(const std::vector<std::string>& versions, const std::vector<std::string>& arguments) {
  std::string why;
  ThreadRanks::run(static_cast<int>(versions.size()), [&](Communicator& self) {
    const auto rank = static_cast<std::size_t>(self.rank());
    const auto compare = [&] { require_alike(self, versions[rank], arguments[rank]); };
    if (rank == 0)
      why = base::refusal<base::Error>(compare);
    else
      compare();
  });
  return why;
}

TEST(Crew, RanksThatDifferAreNamedWithWhatTheyAre) {
  EXPECT_EQ(difference({"1", "1"}, {"a", "a"}), base::kNotRefused);
  EXPECT_EQ(difference({"1", "2"}, {"a", "b"}),
            "rank 1 runs tacit 2 and rank 0 1; start the same program on all ranks");
  EXPECT_EQ(difference({"1", "1", "1"}, {"a", "a", "b"}),
            "rank 2 was started with other arguments than rank 0, 'b'; start all ranks with one command");
  const std::string longest(256, 'v'), most(1048576, 'a');
  EXPECT_EQ(difference({longest, longest}, {most, most}), base::kNotRefused);
  EXPECT_THAT(difference({longest, longest + "v"}, {"", ""}),
              HasSubstr("what rank 1 says of itself: a text of 257 bytes does not fit"));
  EXPECT_THAT(difference({"1", "1"}, {most, most + "a"}),
              HasSubstr("what rank 1 says of itself: a text of 1048577 bytes does not fit"));
}

TEST(Crew, AProcessAloneIsRank0Of1AndKeepsItsBytes) {
  OneRank alone;
  EXPECT_EQ(alone.rank(), 0);
  EXPECT_EQ(alone.size(), 1);
  EXPECT_EQ(Communicator::Message{}.to, 0);
  EXPECT_EQ(Communicator::Room{}.from, 0);
  const std::vector<std::byte> bytes{std::byte{1}, std::byte{2}};
  EXPECT_EQ(scatter(alone, {bytes}), bytes);
  EXPECT_EQ(gather(alone, bytes), std::vector<std::vector<std::byte>>(1, bytes));
  for (const auto& part : {alone.split(5), alone.on_this_machine()}) {
    EXPECT_EQ(part->rank(), 0);
    EXPECT_EQ(part->size(), 1);
  }
  EXPECT_EQ(world().rank(), 0);
  EXPECT_EQ(world().size(), 1);
  EXPECT_EQ(base::refusal<base::Error>([&] { require_alike(alone, "1", "a"); }), base::kNotRefused);
}

TEST(Crew, SharedMemoryIsNoneWhereNoneIsAskedForOrThereIsNoRoom) {
  OneRank alone;
  EXPECT_TRUE(share_memory(alone, 0).bytes.empty());
  EXPECT_TRUE(share_memory(alone, std::size_t{1} << 63).bytes.empty());
  EXPECT_EQ(share_memory(alone, 1).bytes.size(), 1U);
}

}  // namespace
}  // namespace tacit::runtime
