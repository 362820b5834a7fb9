#include "base/aligned.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <new>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "base/process_memory.h"

namespace tacit::base {
namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;

constexpr std::size_t kLine = 64, kPage = 4096;

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

}  // namespace
}  // namespace tacit::base
