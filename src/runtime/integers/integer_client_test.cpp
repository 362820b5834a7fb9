#include "runtime/integers/integer_client.h"

#include <gtest/gtest.h>

namespace tacit::runtime {
namespace {

// The upper half of the torus is below zero; halves are rounded up.
TEST(IntegerOf, RoundsAPhaseToItsNearestStep) {
  const auto phase = [](std::int64_t value) { return static_cast<scheme::tfhe::Torus>(value); };
  EXPECT_EQ(integer_of(phase(5), 0), 5);
  EXPECT_EQ(integer_of(phase(-5), 0), -5);
  EXPECT_EQ(integer_of(phase(5), 1), 3);
  EXPECT_EQ(integer_of(phase(4), 1), 2);
  EXPECT_EQ(integer_of(phase(-5), 1), -2);
  EXPECT_EQ(integer_of(phase(7), 4), 0);
  EXPECT_EQ(integer_of(phase(8), 4), 1);
  EXPECT_EQ(integer_of(phase(23), 4), 1);
  EXPECT_EQ(integer_of(phase(24), 4), 2);
  EXPECT_EQ(integer_of(phase(-8), 4), 0);
  EXPECT_EQ(integer_of(phase(-9), 4), -1);
  EXPECT_EQ(integer_of(phase((std::int64_t{7} << 59) + (std::int64_t{1} << 58) - 1), 59), 7);
  EXPECT_EQ(integer_of(phase((std::int64_t{7} << 59) + (std::int64_t{1} << 58)), 59), 8);
}

}  // namespace
}  // namespace tacit::runtime
