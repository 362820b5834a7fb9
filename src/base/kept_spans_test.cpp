#include "base/kept_spans.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <cstring>

#include "base/machine_memory.h"

namespace tacit::base {
namespace {

/// Pages of which some are kept and unmapped in the tests.
std::uintptr_t mapped(std::size_t pages) {
  void* const memory = mmap(nullptr, pages * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  EXPECT_NE(memory, MAP_FAILED);
  return reinterpret_cast<std::uintptr_t>(memory);
}

bool is_mapped(std::uintptr_t page) {
  unsigned char resident = 0;
  return mincore(reinterpret_cast<void*>(page), kPage, &resident) == 0;
}

TEST(KeptSpans, TheSmallestThatIsLargeEnoughIsTakenAndItsRestStays) {
  const std::uintptr_t at = mapped(20);
  KeptSpans spans;
  EXPECT_EQ(spans.take(kPage), 0u);
  spans.keep(at, 8 * kPage);
  spans.keep(at + 9 * kPage, 3 * kPage);
  EXPECT_EQ(spans.take(9 * kPage), 0u);
  EXPECT_EQ(spans.take(2 * kPage), at + 9 * kPage);
  EXPECT_EQ(spans.bytes(), 9 * kPage);
  EXPECT_EQ(spans.take(kPage), at + 11 * kPage);
  EXPECT_EQ(spans.take(8 * kPage), at);
  EXPECT_EQ(spans.bytes(), 0u);
  munmap(reinterpret_cast<void*>(at), 20 * kPage);
}

TEST(KeptSpans, NeighboursAreJoinedInAnyOrder) {
  const std::uintptr_t at = mapped(4);
  for (const auto& order :
       {std::array{0, 1, 2, 3}, std::array{3, 2, 1, 0}, std::array{0, 2, 1, 3}, std::array{1, 3, 0, 2}}) {
    KeptSpans spans;
    for (const int page : order) spans.keep(at + static_cast<std::size_t>(page) * kPage, kPage);
    EXPECT_EQ(spans.bytes(), 4 * kPage);
    EXPECT_EQ(spans.take(4 * kPage), at) << order[0] << order[1];
    EXPECT_EQ(spans.take(kPage), 0u);
  }
  munmap(reinterpret_cast<void*>(at), 4 * kPage);
}

TEST(KeptSpans, WhatWasKeptLongestGoesFirst) {
  const std::uintptr_t at = mapped(8);
  KeptSpans spans;
  spans.keep(at + 4 * kPage, 2 * kPage);
  spans.keep(at, 2 * kPage);
  spans.trim(4 * kPage);
  EXPECT_EQ(spans.bytes(), 4 * kPage);
  spans.trim(3 * kPage + 1);  // whole pages go
  EXPECT_EQ(spans.bytes(), 3 * kPage);
  EXPECT_TRUE(is_mapped(at + 4 * kPage));
  EXPECT_FALSE(is_mapped(at + 5 * kPage));
  // A neighbour makes the span young again.
  spans.keep(at + 3 * kPage, kPage);
  spans.trim(2 * kPage);
  EXPECT_FALSE(is_mapped(at));
  EXPECT_TRUE(is_mapped(at + 3 * kPage));
  spans.trim(0);
  EXPECT_EQ(spans.bytes(), 0u);
  EXPECT_FALSE(is_mapped(at + 3 * kPage));
  munmap(reinterpret_cast<void*>(at), 8 * kPage);
}

TEST(KeptSpans, APageGoesForTheLastByteThatIsTooMuch) {
  const auto trim = [] {
    alarm(20);  // ends what would go round for ever
    KeptSpans spans;
    spans.keep(mapped(4), 4 * kPage);
    spans.trim(4 * kPage - 1);
    std::_Exit(spans.bytes() == 3 * kPage ? 0 : 1);
  };
  EXPECT_EXIT(trim(), testing::ExitedWithCode(0), "");
}

/// Splits a mapping into single pages until the system allows no more mappings.
void take_all_mappings(std::size_t most) {
  const std::uintptr_t at = mapped(2 * most);
  for (std::size_t page = 1; page < 2 * most; page += 2)
    if (mprotect(reinterpret_cast<void*>(at + page * kPage), kPage, PROT_READ) != 0) return;
}

TEST(KeptSpans, PagesGoWhereTheSystemRefusesToUnmapThem) {
  const std::uint64_t most = keyed_number("/proc/sys/vm/max_map_count", "").value_or(0);
  if (most == 0 || most > 70000) GTEST_SKIP() << "this system allows more mappings than a test should make";
  const auto trim = [&] {
    const std::uintptr_t at = mapped(6);
    auto* const bytes = reinterpret_cast<char*>(at);
    std::memset(bytes, 1, 6 * kPage);
    KeptSpans spans;
    spans.keep(at + kPage, 3 * kPage);
    take_all_mappings(most);
    // In the middle of a mapping: without these pages there would be one more.
    spans.trim(kPage);
    const bool gone = bytes[2 * kPage] == 0 && bytes[4 * kPage - 1] == 0;
    const bool stays = bytes[2 * kPage - 1] == 1 && bytes[4 * kPage] == 1;
    std::_Exit(gone && stays && spans.bytes() == kPage ? 0 : 1);
  };
  EXPECT_EXIT(trim(), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace tacit::base
