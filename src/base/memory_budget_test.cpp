#include "base/memory_budget.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "base/byte_size.h"
#include "base/error.h"
#include "base/mebibyte_for_test.h"

namespace tacit::base {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TEST(MemoryBudget, LeavesWhatIsNotReserved) {
  EXPECT_EQ(MemoryBudget{}.available(), UINT64_MAX);
  EXPECT_EQ((MemoryBudget{100, 30}.available()), 70u);
  EXPECT_EQ((MemoryBudget{100, 130}.available()), 0u);
}

TEST(MemoryBudget, WhatIsHeldAlreadyIsNotReservedTwice) {
  const MemoryBudget budget{100, 30, MemoryBudget::Source::free};
  EXPECT_EQ(budget.with_held(20).available(), 90u);
  EXPECT_EQ(budget.with_held(20).source, MemoryBudget::Source::free);
  EXPECT_EQ(budget.with_held(31).available(), 100u);
  EXPECT_EQ((MemoryBudget{100, 0}.with_held(20).available()), 100u);  // a bound that counts all of the work
}

TEST(MemoryBudget, AShortfallNamesBudgetNeedAndWayOut) {
  EXPECT_THAT((MemoryBudget{512 * kMiB, 100 * kMiB}.shortfall("the keys of 'm' need", 1900.0 * kMiB)),
              AllOf(HasSubstr("the keys of 'm' need 1.9 GiB"), HasSubstr("the program itself 100 MiB"),
                    HasSubstr("budget is 512 MiB"), HasSubstr("allow 2.1 GiB (--memory)")));
  EXPECT_THAT((MemoryBudget{512 * kMiB, 0, MemoryBudget::Source::machine}.shortfall("it needs", 1024.0 * kMiB)),
              AllOf(HasSubstr("it needs 1.0 GiB, and this machine has 512 MiB"), HasSubstr("1.1 GiB (--memory)")));
  EXPECT_THAT((MemoryBudget{512 * kMiB, 0, MemoryBudget::Source::free}.shortfall("it needs", 1024.0 * kMiB)),
              AllOf(HasSubstr("512 MiB are free on this machine"), HasSubstr("1.1 GiB in spite of it (--memory)")));
}

TEST(MemoryBudget, WhatAShortfallAdvisesIsEnough) {
  constexpr double kGiB = 1 << 30;
  for (double work = 0.9 * kGiB; work < 200 * kGiB; work *= 1.07) {
    const std::string sentence = MemoryBudget::of(1 << 30).shortfall("it needs", work);
    const std::string behind = "allow ";
    const std::size_t at = sentence.find(behind) + behind.size();
    const std::uint64_t advised = parse_byte_size(sentence.substr(at, sentence.find(" (--memory)") - at));
    EXPECT_NO_THROW(MemoryBudget::of(advised).require("it needs", work)) << sentence;
  }
}

TEST(MemoryBudget, RequiresThatLessIsNeededThanThereIs) {
  const MemoryBudget budget{100, 30};
  EXPECT_NO_THROW(budget.require("it needs", 69));
  EXPECT_THROW(budget.require("it needs", 70), InputError);
  EXPECT_NO_THROW(MemoryBudget{}.require("it needs", 1e18));
}

TEST(MemoryBudget, OfAMachineDoesNotDependOnTheMoment) {
  const MemoryBudget machine = MemoryBudget::of_machine();
  ASSERT_TRUE(machine.limited());
  const std::vector<char> held(std::size_t{64} << 20, 1);
  const MemoryBudget again = MemoryBudget::of_machine();
  EXPECT_EQ(again.bytes, machine.bytes);
  EXPECT_EQ(again.reserved, machine.reserved);
  const MemoryBudget free = MemoryBudget::of_free_memory();
  EXPECT_GT(free.available(), 0u);
  EXPECT_LE(free.available(), machine.bytes);
  EXPECT_EQ(free.source, MemoryBudget::Source::free);
}

TEST(MemoryBudget, AShortfallNamesEveryByteOfTheProgram) {
  EXPECT_THAT((MemoryBudget{100, 1}.shortfall("it needs", 99)),
              HasSubstr("it needs 99 B, the program itself 1 B, and the memory budget is 100 B"));
  EXPECT_THAT((MemoryBudget{100, 0}.shortfall("it needs", 100)), HasSubstr("it needs 100 B, and the memory"));
  EXPECT_EQ(MemoryBudget{}.reserved, 0u);
}

TEST(MemoryBudget, AShortfallRoundsAWholeGibibyteUpInItsOwnUnit) {
  constexpr double kGiB = 1 << 30;
  // With the sixteenth for tables it is 1 GiB. Half a digit of it is 0.05 GiB, and half a MiB would be lost.
  EXPECT_THAT((MemoryBudget{1, 0}.shortfall("it needs", kGiB * 15 / 16)), HasSubstr("allow 1.1 GiB (--memory)"));
}

}  // namespace
}  // namespace tacit::base
