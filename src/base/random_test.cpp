#include "base/random.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace tacit::base {
namespace {

TEST(Csprng, SameSeedAndStreamGiveTheSameWordsHoweverTheyAreDrawn) {
  Seed seed{};
  seed[0] = 7;
  Csprng one(seed, 3), many(seed, 3);
  std::vector<std::uint64_t> words(2000);
  many.fill(words);
  for (const std::uint64_t word : words) EXPECT_EQ(one.next(), word);
}

TEST(Csprng, StreamsAndSeedsDiffer) {
  Seed a{}, b{};
  b[31] = 1;
  EXPECT_EQ((std::set<std::uint64_t>{Csprng(a, 0).next(), Csprng(a, 1).next(), Csprng(b, 0).next()}).size(), 3u);
}

TEST(Csprng, BeginsAnotherStreamWhereverItWas) {
  Csprng random(Seed{7}, 3);
  for (const std::size_t drawn : {0, 1, 511, 512, 700}) {
    for (std::size_t i = 0; i < drawn; ++i) random.next();
    random.begin_stream(drawn);
    Csprng fresh(Seed{7}, drawn);
    for (int i = 0; i < 600; ++i) ASSERT_EQ(random.next(), fresh.next()) << drawn << " " << i;
  }
}

TEST(Csprng, TheSystemGivesAnotherStreamEveryTime) {
  EXPECT_NE(Csprng::from_system().next(), Csprng::from_system().next());
  EXPECT_NE(public_seed(), public_seed());
  EXPECT_NE(public_seed(), system_seed());
}

TEST(Csprng, BelowStaysInRangeAndReachesBothEnds) {
  Csprng random(system_seed());
  std::set<std::uint64_t> seen;
  for (int i = 0; i < 1000; ++i) seen.insert(random.below(5));
  EXPECT_EQ(seen, (std::set<std::uint64_t>{0, 1, 2, 3, 4}));
}

TEST(Csprng, BelowOneTakesOneWordLikeBelowAnyPowerOfTwo) {
  for (const std::uint64_t bound : {1, 2, 1024}) {
    Csprng random(Seed{5}), words(Seed{5});
    for (int i = 0; i < 100; ++i) EXPECT_EQ(random.below(bound), words.next() % bound);
    EXPECT_EQ(random.next(), words.next()) << bound;
  }
}

}  // namespace
}  // namespace tacit::base
