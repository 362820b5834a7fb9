#include "base/private_value.h"

#include <gtest/gtest.h>

namespace tacit::base {
namespace {

TEST(PrivateValue, IsStatedWhereSomebodyAskedOnly) {
  EXPECT_FALSE(private_values_shown());
  EXPECT_EQ(private_value(-2.13671234), "a private value (--verbose shows it)");
  EXPECT_EQ(private_part(" of at most 0.5"), "");
  show_private_values(true);
  EXPECT_EQ(private_value(-2.13671234), "-2.13671");
  EXPECT_EQ(private_value(-2.13671234, 3), "-2.14");
  EXPECT_EQ(private_part(" of at most 0.5"), " of at most 0.5");
  show_private_values(false);
  EXPECT_EQ(private_value(1), "a private value (--verbose shows it)");
}

}  // namespace
}  // namespace tacit::base
