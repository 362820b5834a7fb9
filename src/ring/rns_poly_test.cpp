#include "ring/rns_poly.h"

#include <gtest/gtest.h>

#include <numeric>

namespace tacit::ring {
namespace {

TEST(RnsPoly, RowsAreAlignedSkewedAndIndependent) {
  NttPoly poly(64, 3);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(poly.limb(i)) % 64, 0u);
    for (std::uint64_t& word : poly.limb_span(i)) word = i;
  }
  EXPECT_EQ(poly.limb(1) - poly.limb(0), 64 + 8);
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_EQ(std::accumulate(poly.limb(i), poly.limb(i) + 64, std::uint64_t{0}), 64 * i);
}

TEST(RnsPoly, CopiesMovesAndClears) {
  CoefficientPoly poly(8, 2);
  poly.zero();
  poly.limb(0)[7] = 5;
  poly.limb(1)[0] = 9;
  CoefficientPoly copy = poly;
  poly.limb(0)[7] = 6;
  EXPECT_EQ(copy.limb(0)[7], 5u);
  EXPECT_EQ(copy.limb(1)[0], 9u);
  const CoefficientPoly moved = std::move(copy);
  EXPECT_EQ(moved.limb(0)[7], 5u);
  poly.zero();
  EXPECT_EQ(poly.limb(1)[0], 0u);
  poly.limb(1)[7] = 3;
  poly.wipe();
  EXPECT_EQ(poly.limb(1)[7], 0u);
  EXPECT_EQ(NttPoly().limbs(), 0u);
}

}  // namespace
}  // namespace tacit::ring
