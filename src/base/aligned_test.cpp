#include "base/aligned.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <initializer_list>
#include <memory>
#include <new>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "base/kept_spans.h"
#include "base/mebibyte_for_test.h"
#include "base/process_memory.h"
#include "base/refusal_for_test.h"

namespace tacit::base {
namespace {

constexpr std::size_t kLine = 64;

std::uintptr_t address(const void* block) { return reinterpret_cast<std::uintptr_t>(block); }

TEST(Aligned, BlocksLieOnCacheLines) {
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{1000}, kMiB, 2 * kMiB, 5 * kMiB + 1}) {
    void* block = allocate_aligned(size);
    EXPECT_EQ(address(block) % kLine, 0u) << size;
    deallocate_aligned(block, size);
  }
}

TEST(Aligned, LargeBlocksBeginInDifferentSetsOfTheCaches) {
  for (const std::size_t size : {kMiB, 8 * kMiB}) {
    release_kept_memory();
    constexpr std::size_t kBlocks = 16;
    std::vector<void*> blocks;
    std::set<std::size_t> lines, pages;
    for (std::size_t i = 0; i < kBlocks; ++i) {
      blocks.push_back(allocate_aligned(size));
      std::memset(blocks.back(), 1, size);
      lines.insert(address(blocks.back()) % kPage / kLine);
      pages.insert(address(blocks.back()) % (32 * kPage) / kPage);
    }
    EXPECT_EQ(lines.size(), kBlocks) << size;
    // The pages of huge blocks are contiguous, so that they choose the set of the second cache.
    if (size >= 2 * kMiB) {
      EXPECT_EQ(pages.size(), kBlocks) << size;
    }
    for (void* block : blocks) deallocate_aligned(block, size);
  }
}

/// Whether both begin in the same memory: they differ by less than what offsets differ by.
bool is_same(const void* block, const void* other) {
  constexpr std::size_t kOffsets = 32 * (kPage + kLine);
  return address(block) < address(other) + kOffsets && address(other) < address(block) + kOffsets;
}

TEST(Aligned, ALargeBlockIsReusedForTheNextOfItsSize) {
  for (const std::size_t size : {kMiB, 2 * kMiB, 5 * kMiB}) {
    release_kept_memory();
    void* block = allocate_aligned(size);
    deallocate_aligned(block, size);
    void* next = allocate_aligned(size);
    EXPECT_TRUE(is_same(next, block)) << size;
    deallocate_aligned(next, size);
  }
}

TEST(Aligned, ALargeBlockStaysAsLargeAsItIsWhenSmallerOnesUsedIt) {
  release_kept_memory();
  void* const first = allocate_aligned(10 * kMiB);
  deallocate_aligned(first, 10 * kMiB);
  for (std::size_t size = 10 * kMiB; size >= 5 * kMiB; size -= kMiB / 2)
    deallocate_aligned(allocate_aligned(size), size);
  void* const again = allocate_aligned(10 * kMiB);
  EXPECT_TRUE(is_same(again, first));
  deallocate_aligned(again, 10 * kMiB);
  release_kept_memory();
}

TEST(Aligned, BlocksOfASizeThatIsStillAskedForOutliveThoseThatAreNot) {
  release_kept_memory();
  std::vector<void*> old;
  for (std::size_t bytes = 0; bytes < kMostKeptBytes; bytes += 16 * kMiB) old.push_back(allocate_aligned(16 * kMiB));
  for (void* block : old) deallocate_aligned(block, 16 * kMiB);
  void* block = allocate_aligned(8 * kMiB);
  deallocate_aligned(block, 8 * kMiB);
  void* again = allocate_aligned(8 * kMiB);
  EXPECT_TRUE(is_same(again, block));
  deallocate_aligned(again, 8 * kMiB);
  release_kept_memory();
}

/// Pages that the process fetched so far.
long faults() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_minflt;
}

/// Faults of a second round of what an evaluation does: large blocks of falling sizes come and go beside much that
/// stays.
long faults_of_falling_sizes() {
  std::vector<void*> held;
  for (int i = 0; i < 40; ++i) {
    held.push_back(allocate_aligned(16 * kMiB));
    std::memset(held.back(), 1, 16 * kMiB);
  }
  const auto round = [] {
    for (std::size_t size = 24 * kMiB; size >= kMiB; size -= kMiB) {
      std::vector<void*> blocks;
      for (int i = 0; i < 4; ++i) {
        blocks.push_back(allocate_aligned(size));
        std::memset(blocks.back(), 1, size);
      }
      for (void* block : blocks) deallocate_aligned(block, size);
    }
  };
  round();
  const long before = faults();
  round();
  const long after = faults();
  for (void* block : held) deallocate_aligned(block, 16 * kMiB);
  release_kept_memory();
  return after - before;
}

TEST(Aligned, OtherThreadsReuseMemoryAsTheMainOneDoes) {
  // 2.4 GB are written in a round. Each page of 4 KiB fetched anew would be a fault: 590,000, or 1,200 huge ones.
  release_kept_memory();
  EXPECT_LT(faults_of_falling_sizes(), 200);
  long of_thread = 0;
  std::thread([&] { of_thread = faults_of_falling_sizes(); }).join();
  EXPECT_LT(of_thread, 200);
}

TEST(Aligned, WhatIsKeptShrinksWithWhatIsInUse) {
  release_kept_memory();
  const std::uint64_t before = resident_bytes();
  std::vector<void*> blocks;
  for (int i = 0; i < 40; ++i) {
    blocks.push_back(allocate_aligned(16 * kMiB));
    std::memset(blocks.back(), 1, 16 * kMiB);
  }
  for (void* block : blocks) deallocate_aligned(block, 16 * kMiB);
  EXPECT_LT(resident_bytes(), before + kMostKeptBytes + 8 * kMiB);
  release_kept_memory();
  EXPECT_LT(resident_bytes(), before + 8 * kMiB);
}

/// Writable private memory of this process, which RLIMIT_DATA bounds.
std::size_t data_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.rfind("VmData:", 0) == 0) return std::stoull(line.substr(7)) * 1024;
  return 0;
}

constexpr std::size_t kKept = kMostKeptBytes / 2;

/// Gives a block back, forbids this process more memory, and asks for other blocks. Status 0 if they are there.
template <class Ask>
[[noreturn]] void ask_where_only_kept_memory_is_left(const Ask& ask) {
  deallocate_aligned(allocate_aligned(kKept), kKept);
  rlimit limit{};
  limit.rlim_cur = limit.rlim_max = data_bytes() + kKept / 8;
  if (setrlimit(RLIMIT_DATA, &limit) != 0) std::_Exit(2);
  try {
    ask();
  } catch (const std::bad_alloc&) {
    std::_Exit(1);
  }
  std::_Exit(0);
}

TEST(Aligned, KeptBlocksAreGivenUpBeforeAnAllocationFails) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "the sanitizer's own memory counts against the limit";
#endif
  EXPECT_EXIT(ask_where_only_kept_memory_is_left([] { allocate_aligned(kKept / 2); }), testing::ExitedWithCode(0), "");
  const auto small_blocks = [] {
    for (int i = 0; i < 128; ++i) allocate_aligned(kKept / 256);
  };
  EXPECT_EXIT(ask_where_only_kept_memory_is_left(small_blocks), testing::ExitedWithCode(0), "");
  const auto block_of_operator_new = [] {
    std::set_new_handler([] {
      if (!give_up_kept_memory()) throw std::bad_alloc();
    });
    static std::unique_ptr<char[]> held;
    held.reset(new char[kKept / 2]);
  };
  EXPECT_EXIT(ask_where_only_kept_memory_is_left(block_of_operator_new), testing::ExitedWithCode(0), "");
}

constexpr std::size_t kSmallestLarge = std::size_t{256} << 10;

TEST(Aligned, BlocksOf256KibibytesOrMoreAreKept) {
  struct Case {
    std::size_t bytes;
    bool kept;
  };
  for (const Case& each : std::initializer_list<Case>{{kSmallestLarge, true},
                                                      {kSmallestLarge - kLine + 1, true},  // as many lines
                                                      {kSmallestLarge - kLine, false},
                                                      {1, false},
                                                      {0, false}}) {
    release_kept_memory();
    deallocate_aligned(allocate_aligned(each.bytes), each.bytes);
    EXPECT_EQ(give_up_kept_memory(), each.kept) << each.bytes;
  }
}

TEST(Aligned, SmallBlocksLeaveWhatIsKept) {
  release_kept_memory();
  deallocate_aligned(allocate_aligned(kMiB), kMiB);
  void* const small = allocate_aligned(100);
  EXPECT_TRUE(give_up_kept_memory());
  deallocate_aligned(small, 100);
}

TEST(Aligned, LargeBlocksAreOfWholePiecesOf64Kibibytes) {
  struct Case {
    std::size_t kept, asked;
    bool same;
  };
  constexpr std::size_t kPiece = std::size_t{64} << 10;
  for (const Case& each : std::initializer_list<Case>{{kSmallestLarge, kSmallestLarge, true},
                                                      {kSmallestLarge + 1, kSmallestLarge + kPiece, true},
                                                      {kSmallestLarge + kPiece, kSmallestLarge + 1, true},
                                                      {kSmallestLarge + 1, kSmallestLarge, false},
                                                      {kSmallestLarge + kPiece + 1, kSmallestLarge + kPiece, false}}) {
    release_kept_memory();
    deallocate_aligned(allocate_aligned(each.kept), each.kept);
    void* const block = allocate_aligned(each.asked);
    EXPECT_EQ(give_up_kept_memory(), !each.same) << each.kept << " " << each.asked;  // a rest, or all of it
    deallocate_aligned(block, each.asked);
  }
  release_kept_memory();
}

TEST(Aligned, EveryLargeBlockBeginsOneLineFurtherAndFrom2MebibytesOnAPageToo) {
  struct Case {
    std::size_t bytes, cycle, step;
  };
  for (const Case& each : std::initializer_list<Case>{{kSmallestLarge, kPage, kLine},
                                                      {2 * kMiB - kSmallestLarge, kPage, kLine},
                                                      {2 * kMiB, 32 * kPage, kPage + kLine},
                                                      {3 * kMiB, 32 * kPage, kPage + kLine}}) {
    std::vector<void*> blocks;
    for (int i = 0; i < 6; ++i) blocks.push_back(allocate_aligned(each.bytes));
    for (std::size_t i = 1; i < blocks.size(); ++i)
      EXPECT_EQ((address(blocks[i]) - address(blocks[i - 1])) % each.cycle, each.step) << each.bytes << " " << i;
    for (void* block : blocks) deallocate_aligned(block, each.bytes);
  }
  release_kept_memory();
}

TEST(Aligned, ALargeBlockTakesTwoPagesMoreThanItHolds) {
  release_kept_memory();
  deallocate_aligned(allocate_aligned(kMiB), kMiB);
  void* const block = allocate_aligned(kSmallestLarge);
  void* const next =
      allocate_aligned(kSmallestLarge);  // in the rest of what was kept, one line further or at its start
  const std::size_t between = address(next) - address(block), taken = kSmallestLarge + 2 * kPage;
  EXPECT_TRUE(between == taken + kLine || between == taken + kLine - kPage) << between;
  deallocate_aligned(block, kSmallestLarge);
  deallocate_aligned(next, kSmallestLarge);
  release_kept_memory();
}

TEST(Aligned, EveryThreadMayGiveUpWhatOthersKept) {
  release_kept_memory();
  deallocate_aligned(allocate_aligned(kMiB), kMiB);
  bool any = false;
  std::thread([&] { any = give_up_kept_memory(); }).join();
  EXPECT_TRUE(any);
}

TEST(Aligned, AnEighthOfWhatIsInUseIsKeptAnd64MebibytesOnTopOfTheMost) {
  release_kept_memory();
  data_bytes();  // its own buffers are there from now on
  const std::size_t before = data_bytes();
  const auto mebibytes = [&] {
    const double bytes = static_cast<double>(data_bytes()) - static_cast<double>(before);
    return bytes / static_cast<double>(kMiB);
  };
  // Nothing of these is touched. Each takes an eighth of a mebibyte more.
  constexpr std::size_t kHeld = 256 * kMiB, kSome = 128 * kMiB, kMore = 160 * kMiB;
  void* const held = allocate_aligned(kHeld);
  EXPECT_NEAR(mebibytes(), 256, 0.6);
  deallocate_aligned(allocate_aligned(kSome), kSome);
  EXPECT_NEAR(mebibytes(), 256 + 64 + 256.0 / 8, 0.6);
  void* const more = allocate_aligned(kMore);  // now as much as ever is in use
  EXPECT_NEAR(mebibytes(), 256 + 160 + 64, 0.6);
  deallocate_aligned(more, kMore);
  EXPECT_NEAR(mebibytes(), 256 + 64 + 256.0 / 8, 0.6);
  deallocate_aligned(held, kHeld);
  EXPECT_NEAR(mebibytes(), 64, 0.6);
  release_kept_memory();
  EXPECT_NEAR(mebibytes(), 0, 0.6);
}

TEST(AlignedAllocators, TakeAndGiveBackTheBytesOfTheirItems) {
  release_kept_memory();
  AlignedAllocator<std::uint64_t> words;
  words.deallocate(words.allocate(kSmallestLarge / 8), kSmallestLarge / 8);
  void* const block = allocate_aligned(kSmallestLarge);
  EXPECT_FALSE(give_up_kept_memory());  // it is the block of the words
  deallocate_aligned(block, kSmallestLarge);
  release_kept_memory();
}

TEST(AlignedAllocators, TellNumbersOfItemsWhoseBytesHaveNoNumber) {
  AlignedAllocator<std::uint64_t> words;
  const auto why = [&](std::size_t count) {
    return refusal<std::bad_alloc>([&] { static_cast<void>(words.allocate(count)); });
  };
  EXPECT_EQ(why((std::size_t{1} << 61) - 1), "std::bad_alloc");
  EXPECT_EQ(why(std::size_t{1} << 61), "std::bad_array_new_length");
}

TEST(AlignedAllocators, AreAllTheSame) { EXPECT_TRUE(AlignedAllocator<int>() == AlignedAllocator<double>()); }

/// Forbids this process more memory, and takes what its heap still has, to the last bytes.
void take_all_memory() {
  rlimit limit{};
  limit.rlim_cur = limit.rlim_max = data_bytes();
  if (setrlimit(RLIMIT_DATA, &limit) != 0) std::_Exit(2);
  for (std::size_t size = kMiB; size >= 16; size -= size > 1024 ? size / 2 : 16) {
    void* volatile taken = nullptr;
    do taken = std::malloc(size);
    while (taken != nullptr);
  }
}

/// Status 0 if a block goes back to the system where nothing is left to remember it.
[[noreturn]] void give_back_without_memory() {
  alarm(20);  // a lock that is taken twice would never be had
  release_kept_memory();
  void* const block = allocate_aligned(kMiB);
  std::set_new_handler([] {
    if (!give_up_kept_memory()) throw std::bad_alloc();
  });
  take_all_memory();
  deallocate_aligned(block, kMiB);
  if (give_up_kept_memory()) std::_Exit(1);
  std::memset(allocate_aligned(kMiB), 1, kMiB);  // there is room for it again
  std::_Exit(0);
}

TEST(Aligned, BlocksGoBackToTheSystemWhereNothingIsLeftToRememberThem) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the sanitizer's own memory counts against the limit";
#endif
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // a heap that other tests have not used
  EXPECT_EXIT(give_back_without_memory(), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace tacit::base
