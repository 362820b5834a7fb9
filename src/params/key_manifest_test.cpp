#include "params/key_manifest.h"

#include <gtest/gtest.h>

namespace tacit::params {
namespace {

TEST(KeyManifest, AsksForNothingAtFirst) {
  const KeyManifest none;
  EXPECT_EQ(none.relinearise_level, -1);
  EXPECT_EQ(none.conjugate_level, -1);
  EXPECT_TRUE(none.rotations.empty());
  EXPECT_TRUE(none.raised_rotations.empty());
  EXPECT_FALSE(none.rotation_primes.top);
}

TEST(KeyManifest, AUnionHasTheLargerLevelOfEach) {
  const KeyManifest a{
      .relinearise_level = 3, .conjugate_level = 5, .rotations = {{1, 2}, {4, 6}}, .raised_rotations = {{0, 9}}},
      b{.relinearise_level = 4,
        .conjugate_level = 2,
        .rotations = {{1, 3}, {4, 5}, {8, 1}},
        .raised_rotations = {{0, 8}, {16, 7}}};
  KeyManifest both = a, other = b;
  both.merge(b);
  EXPECT_EQ(both.relinearise_level, 4);
  EXPECT_EQ(both.conjugate_level, 5);
  EXPECT_EQ(both.rotations, (std::map<std::int64_t, int>{{1, 3}, {4, 6}, {8, 1}}));
  EXPECT_EQ(both.raised_rotations, (std::map<std::int64_t, int>{{0, 9}, {16, 7}}));
  other.merge(a);
  EXPECT_EQ(other, both);
}

TEST(KeyManifest, OfTwoTopsTheHigherServesBothAndAllPrimesServeAny) {
  const auto manifest = [](std::optional<int> top) {
    return KeyManifest{.rotations = {{1, 2}}, .rotation_primes = {top}};
  };
  const auto top_of = [](KeyManifest a, const KeyManifest& b) {
    a.merge(b);
    return a.rotation_primes.top;
  };
  EXPECT_EQ(top_of(manifest(3), manifest(5)), 5);
  EXPECT_EQ(top_of(manifest(5), manifest(3)), 5);
  EXPECT_EQ(top_of(manifest(5), manifest({})), std::nullopt);
  EXPECT_EQ(top_of(manifest({}), manifest(5)), std::nullopt);
  // What rotates nothing says nothing about the primes of rotations.
  EXPECT_EQ(top_of({}, manifest(5)), 5);
  EXPECT_EQ(top_of(manifest(5), {}), 5);
}

TEST(KeyManifest, PrimesOfRotationsReachTheirTop) {
  const RotationPrimes primes{4};
  EXPECT_EQ(primes.at(3), primes);
  EXPECT_EQ(primes.at(4), primes);
  EXPECT_EQ(primes.at(5), RotationPrimes{});
  EXPECT_EQ(RotationPrimes{}.at(0), RotationPrimes{});
}

TEST(KeyManifest, ARotationThatIsNeededAgainKeepsItsHighestLevel) {
  std::map<std::int64_t, int> rotations;
  need_rotation(rotations, 7, 2);
  EXPECT_EQ(rotations.at(7), 2);
  need_rotation(rotations, 7, 4);
  need_rotation(rotations, 7, 3);
  EXPECT_EQ(rotations, (std::map<std::int64_t, int>{{7, 4}}));
}

}  // namespace
}  // namespace tacit::params
