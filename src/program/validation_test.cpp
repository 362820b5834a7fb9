#include "program/validation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tacit::program {
namespace {

using ::testing::ElementsAre;

TEST(Validation, AValueIsItsTensorUnlessItSays) {
  const Meaning meaning;
  EXPECT_EQ(meaning.tensor, "");
  EXPECT_THAT(meaning.factors, ElementsAre(1));
  EXPECT_EQ(meaning.offset, 0);
  const Validate check;
  EXPECT_EQ(check.value, 0U);
  EXPECT_EQ(check.detail, Detail::instruction);
  EXPECT_EQ(check.length, 0);
  EXPECT_EQ(check.epsilon, 0);
}

TEST(Validation, TolerancesAreThoseOfDoubles) {
  EXPECT_EQ(kLowestEpsilon, -15);
  EXPECT_EQ(kHighestEpsilon, 15);
}

}  // namespace
}  // namespace tacit::program
