#include "layout/known_positions.h"

#include <gtest/gtest.h>

namespace tacit::layout {
namespace {

TEST(KnownPositions, AreHeldOnceALayout) {
  KnownPositions known;
  const Layout wide = Layout::row_major({3, 5}, 64), narrow = Layout::row_major({3, 5}, 8);
  const KnownPositions::Positions first = known.of(wide), second = known.of(narrow);
  EXPECT_EQ(*first, wide.positions());
  EXPECT_EQ(*second, narrow.positions());
  EXPECT_NE(*first, *second);
  EXPECT_EQ(known.of(wide), first);
  EXPECT_EQ(known.of(narrow), second);
}

}  // namespace
}  // namespace tacit::layout
