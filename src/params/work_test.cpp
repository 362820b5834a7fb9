#include "params/work.h"

#include <gtest/gtest.h>

#include <cstddef>

namespace tacit::params {
namespace {

/// Every part another number, and so are the transforms of every size of a prime.
Work numbered(double first) {
  Work work{.macs = first,
            .key_macs = first + 1,
            .products = first + 2,
            .embeddings = first + 3,
            .touched = first + 4,
            .additions = first + 5,
            .bytes = first + 6};
  for (std::size_t bits = 0; bits < work.transforms.size(); ++bits)
    work.transforms[bits] = first + static_cast<double>(bits) + 7;
  return work;
}

TEST(Work, SumsAndMultiplesAreOfEveryPart) {
  const Work sum = numbered(100) + numbered(1000), multiple = 3 * numbered(100);
  EXPECT_EQ(sum.macs, 1100);
  EXPECT_EQ(sum.key_macs, 1102);
  EXPECT_EQ(sum.products, 1104);
  EXPECT_EQ(sum.embeddings, 1106);
  EXPECT_EQ(sum.touched, 1108);
  EXPECT_EQ(sum.additions, 1110);
  EXPECT_EQ(sum.bytes, 1112);
  EXPECT_EQ(multiple.macs, 300);
  EXPECT_EQ(multiple.key_macs, 303);
  EXPECT_EQ(multiple.products, 306);
  EXPECT_EQ(multiple.embeddings, 309);
  EXPECT_EQ(multiple.touched, 312);
  EXPECT_EQ(multiple.additions, 315);
  EXPECT_EQ(multiple.bytes, 318);
  for (std::size_t bits = 0; bits < 64; ++bits) {
    EXPECT_EQ(sum.transforms[bits], 1100 + 2 * static_cast<double>(bits + 7)) << bits;
    EXPECT_EQ(multiple.transforms[bits], 3 * static_cast<double>(100 + bits + 7)) << bits;
  }
  // The numbers 107 to 170.
  EXPECT_EQ(numbered(100).transform_words(), 64 * (107 + 170) / 2);
  EXPECT_EQ(numbered(100).multiply_accumulates(), 100 + 101 + 102);
}

}  // namespace
}  // namespace tacit::params
