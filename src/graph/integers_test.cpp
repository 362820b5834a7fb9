#include "graph/integers.h"

#include <gtest/gtest.h>

#include <limits>

namespace tacit::graph {
namespace {

TEST(Integers, AreHeldExactlyUpTo2To53) {
  const std::int64_t most = std::int64_t{1} << 53;
  EXPECT_EQ(held(most), 9007199254740992.0);
  EXPECT_EQ(held(-most), -9007199254740992.0);
  EXPECT_EQ(held(most + 1), kLostInteger);  // would round to 2^53
  EXPECT_EQ(held(-most - 1), -kLostInteger);
  EXPECT_EQ(held(std::numeric_limits<std::int64_t>::min()), -kLostInteger);
  EXPECT_EQ(held(std::numeric_limits<std::uint64_t>::max()), kLostInteger);
}

TEST(Integers, WrapAroundInTheirType) {
  EXPECT_EQ(wrapped(300, IntegerType::uint8), 44);
  EXPECT_EQ(wrapped(200, IntegerType::int8), -56);
  EXPECT_EQ(wrapped(bits_of(-1), IntegerType::uint16), 65535);
  EXPECT_EQ(wrapped(std::uint64_t{65537} * 65537, IntegerType::int32), 131073);
  EXPECT_EQ(wrapped(std::uint64_t{1} << 31, IntegerType::int32), -2147483648.0);
  EXPECT_EQ(wrapped(bits_of(-1), IntegerType::uint32), 4294967295.0);
  EXPECT_EQ(wrapped(bits_of(-9), IntegerType::int4), 7);
  EXPECT_EQ(wrapped(bits_of(-1), IntegerType::int64), -1);
  EXPECT_EQ(wrapped(bits_of(-1), IntegerType::uint64), kLostInteger);
}

TEST(Integers, KnowWhatATypeHolds) {
  EXPECT_EQ(range_of(IntegerType::int8).lowest, -128);
  EXPECT_EQ(range_of(IntegerType::int8).highest, 127);
  EXPECT_EQ(range_of(IntegerType::boolean).highest, 1);
  EXPECT_EQ(range_of(IntegerType::uint32).highest, 4294967295.0);
  EXPECT_EQ(range_of(IntegerType::int64).lowest, -kLargestInteger);
  EXPECT_TRUE(range_of(IntegerType::uint64).contains(kLargestInteger));
  EXPECT_FALSE(range_of(IntegerType::uint64).contains(-1));
  EXPECT_EQ(name_of(IntegerType::uint16), "uint16");
}

TEST(Integers, KnowTheirNumbersInTheFormat) {
  EXPECT_EQ(number_of(IntegerType::boolean), 9);
  EXPECT_EQ(integer_type(21), IntegerType::uint4);
  EXPECT_EQ(integer_type(1), std::nullopt);  // float
  for (std::int64_t number = 0; number < 30; ++number)
    if (const auto type = integer_type(number)) {
      EXPECT_EQ(number_of(*type), number) << name_of(*type);
    }
}

}  // namespace
}  // namespace tacit::graph
