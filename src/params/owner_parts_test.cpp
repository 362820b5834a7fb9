#include "params/owner_parts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <set>

#include "base/refusal_for_test.h"

namespace tacit::params {
namespace {

using ::testing::HasSubstr;

std::set<std::size_t> held_together(const OwnerParts& parts, unsigned owners) {
  std::set<std::size_t> held;
  for (int owner = 0; owner < parts.owners(); ++owner)
    if ((owners >> owner & 1) != 0)
      for (const std::size_t part : parts.held_by(owner)) held.insert(part);
  return held;
}

TEST(OwnerParts, AnyThresholdOfOwnersHoldAllPartsAndFewerLackOne) {
  for (const auto& [owners, threshold, count] :
       {std::tuple{2, 2, 2U}, {3, 3, 3U}, {3, 2, 3U}, {5, 3, 10U}, {9, 5, 126U}, {10, 3, 45U}, {10, 10, 10U}}) {
    const OwnerParts parts(owners, threshold);
    ASSERT_EQ(parts.parts(), count);
    for (unsigned subset = 0; subset < 1U << owners; ++subset) {
      const std::size_t held = held_together(parts, subset).size(),
                        size = static_cast<std::size_t>(std::popcount(subset));
      if (size >= static_cast<std::size_t>(threshold)) {
        EXPECT_EQ(held, count) << owners << " " << threshold;
      }
      if (size + 1 == static_cast<std::size_t>(threshold)) {
        EXPECT_EQ(held + 1, count) << "exactly one is missing";
      }
    }
  }
}

TEST(OwnerParts, EveryOwnerLeadsSomePartsThatItHolds) {
  for (int owners = 2; owners <= 126; ++owners)
    for (int threshold = 2; threshold <= owners; ++threshold) {
      if (threshold > 2 && threshold < owners && (owners > 10 || (owners == 10 && threshold > 3 && threshold < 9)))
        continue;
      const OwnerParts parts(owners, threshold);
      std::size_t led = 0;
      for (int owner = 0; owner < owners; ++owner) {
        const std::vector<std::size_t> own = parts.led_by(owner);
        EXPECT_FALSE(own.empty());
        for (const std::size_t part : own) EXPECT_TRUE(parts.holds(owner, part));
        led += own.size();
      }
      EXPECT_EQ(led, parts.parts());
    }
}

TEST(OwnerParts, OthersThanTheLeaderAreGivenItsParts) {
  const OwnerParts parts(5, 3);
  for (int owner = 0; owner < 5; ++owner) {
    std::set<std::size_t> known;
    for (const std::size_t part : parts.led_by(owner)) known.insert(part);
    for (int leader = 0; leader < 5; ++leader)
      if (leader != owner) {
        for (const std::size_t part : parts.given(leader, owner)) EXPECT_TRUE(known.insert(part).second);
      }
    EXPECT_EQ(known.size(), 6U);
  }
}

TEST(OwnerParts, RefusesGroupsThatCannotBe) {
  EXPECT_THAT(base::refusal([] { OwnerParts(3, 4); }), HasSubstr("cannot need 4 of them"));
  EXPECT_THAT(base::refusal([] { OwnerParts(3, 1); }), HasSubstr("every owner decrypt alone"));
  EXPECT_THAT(base::refusal([] { OwnerParts(10, 5); }), HasSubstr("more than 126 parts"));
  EXPECT_THAT(base::refusal([] { OwnerParts(127, 2); }), HasSubstr("more than 126 parts"));
}

}  // namespace
}  // namespace tacit::params
