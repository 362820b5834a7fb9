#include "params/gadget.h"

#include <gtest/gtest.h>

namespace tacit::params {
namespace {

// Digits of q_0 q_1, q_2 q_3 q_4 and q_5; level 5 is the top.
TEST(Gadget, CountsDigitsAndRowsByLevel) {
  const Gadget gadget{.digits = {2, 3, 1}, .special_primes = {1, 2, 2, 3, 3, 4}};
  const double counts[] = {1, 1, 2, 2, 2, 3}, special[] = {1, 2, 2, 3, 3, 4}, rows[] = {2, 4, 5, 7, 8, 10};
  for (int level = 0; level <= 5; ++level) {
    EXPECT_EQ(gadget.count(level), counts[level]) << level;
    EXPECT_EQ(gadget.special(level), special[level]) << level;
    EXPECT_EQ(gadget.extended(level), rows[level]) << level;
  }
  // Above the set as if more primes like its last one followed.
  EXPECT_EQ(gadget.special(6), 4);
  EXPECT_EQ(gadget.special(9), 4);
  EXPECT_EQ(gadget.extended(9), 14);
  EXPECT_EQ(gadget.count(9), 3);
}

}  // namespace
}  // namespace tacit::params
