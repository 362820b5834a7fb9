#include "base/memory_budget.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tacit::base {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TEST(MemoryBudget, LeavesWhatIsNotReserved) {
  EXPECT_EQ(MemoryBudget{}.available(), UINT64_MAX);
  EXPECT_EQ((MemoryBudget{100, 30}.available()), 70u);
  EXPECT_EQ((MemoryBudget{100, 130}.available()), 0u);
}

TEST(MemoryBudget, AShortfallNamesBudgetNeedAndWayOut) {
  constexpr std::uint64_t kMiB = 1 << 20;
  EXPECT_THAT((MemoryBudget{512 * kMiB, 100 * kMiB}.shortfall("the keys of 'm' need", 1900.0 * kMiB)),
              AllOf(HasSubstr("the keys of 'm' need 1.9 GiB"), HasSubstr("the program itself 100 MiB"),
                    HasSubstr("budget is 512 MiB"), HasSubstr("allow 2.1 GiB (--memory)")));
}

}  // namespace
}  // namespace tacit::base
