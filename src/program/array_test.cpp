#include "program/array.h"

#include <gtest/gtest.h>

#include <memory>

namespace tacit::program {
namespace {

TEST(View, WholeArraysAreReadInOrder) {
  const View view = View::whole(std::make_shared<Array>(5, 3));
  EXPECT_EQ(view.rank, 1);
  EXPECT_EQ(view.count(), 5);
  EXPECT_EQ(view.level(), 3);
  for (layout::Index i = 0; i < 5; ++i) EXPECT_EQ(view.at(i), i);
}

TEST(View, PositionsAreRowMajorOverTheDimensions) {
  View view;
  EXPECT_EQ(view.rank, 0);
  EXPECT_EQ(view.count(), 1) << "without a dimension there is one member";
  EXPECT_EQ(view.at(0), 0);
  view.offset = 2;
  view.add_dimension(2, 20);
  view.add_dimension(3, 5);
  view.add_dimension(2, 1);
  EXPECT_EQ(view.rank, 3);
  EXPECT_EQ(view.count(), 12);
  layout::Index position = 0;
  for (layout::Index i = 0; i < 2; ++i)
    for (layout::Index j = 0; j < 3; ++j)
      for (layout::Index k = 0; k < 2; ++k) EXPECT_EQ(view.at(position++), 2 + 20 * i + 5 * j + k);
}

TEST(View, HasUpToTwelveDimensions) {
  EXPECT_EQ(View::kMaxRank, 12);
  View view;
  for (int d = 0; d < 12; ++d) view.add_dimension(2, layout::Index{1} << d);
  EXPECT_EQ(view.count(), 4096);
  EXPECT_EQ(view.at(0), 0);
  EXPECT_EQ(view.at(1), 2048);
  EXPECT_EQ(view.at(2048), 1);
  EXPECT_EQ(view.at(4095), 4095);
}

}  // namespace
}  // namespace tacit::program
