#include "base/secret_memory.h"

#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <initializer_list>
#include <new>
#include <sstream>
#include <string>
#include <vector>

#include "base/machine_memory.h"
#include "base/refusal_for_test.h"

namespace tacit::base {
namespace {

/// The flags that the system tells of the mapping that an address lies in, like "rd wr mr mw me lo dd"; empty where it
/// tells none.
std::string flags_of(const void* address) {
  std::ifstream maps("/proc/self/smaps");
  const auto wanted = reinterpret_cast<std::uintptr_t>(address);
  bool inside = false;
  for (std::string line; std::getline(maps, line);) {
    std::istringstream range(line);
    std::uintptr_t first = 0, last = 0;
    char dash = 0;
    if (range >> std::hex >> first >> dash >> last && dash == '-') inside = first <= wanted && wanted < last;
    if (inside && line.starts_with("VmFlags:")) return line.substr(8) + " ";
  }
  return {};
}

TEST(SecretMemory, IsLockedAndLeftOutOfDumps) {
  const SecretVector<std::uint64_t> secret(100, 7);
  EXPECT_TRUE(std::ranges::all_of(secret, [](std::uint64_t word) { return word == 7; }));
  const std::string flags = flags_of(secret.data());
  if (flags.empty()) GTEST_SKIP() << "this system does not tell the flags of memory";
  EXPECT_NE(flags.find(" dd "), std::string::npos) << flags;
#ifndef __SANITIZE_ADDRESS__  // which makes mlock do nothing
  rlimit limit{};
  getrlimit(RLIMIT_MEMLOCK, &limit);
  if (limit.rlim_cur >= 1 << 16) {
    EXPECT_NE(flags.find(" lo "), std::string::npos) << flags;
  }
#endif
}

TEST(SecretMemory, GoesOnWhereTheSystemLocksNothing) {
  // In a process of its own: a limit cannot be raised again by everybody.
  const pid_t child = fork();
  if (child == 0) {
    const rlimit none{0, 0};
    setrlimit(RLIMIT_MEMLOCK, &none);
    const SecretVector<std::uint64_t> secret(1 << 20, 9);
    _exit(secret.back() == 9 ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST(SecretMemory, RefusesWhatNoMemoryHolds) {
  EXPECT_THROW(allocate_secret(static_cast<std::size_t>(-1)), std::bad_alloc);
  EXPECT_THROW(allocate_secret(std::size_t{1} << 62), std::bad_alloc);
  void* const nothing = allocate_secret(0);
  EXPECT_NE(nothing, nullptr);
  deallocate_secret(nothing, 0);
  deallocate_secret(nullptr, 8);
}

TEST(SecretMemory, ForbidsCoreDumpsUntilTheProcessEnds) {
  const pid_t child = fork();
  if (child == 0) {
    forbid_core_dumps();
    rlimit limit{1, 1};
    getrlimit(RLIMIT_CORE, &limit);
    _exit(prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) == 0 && limit.rlim_cur == 0 && limit.rlim_max == 0 ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

/// What this process has mapped for itself. Asked once before, so that asking takes no more.
double mapped_bytes() { return static_cast<double>(keyed_number("/proc/self/status", "VmData:").value_or(0)) * 1024; }

TEST(SecretMemory, IsOfWholePagesAndNoMore) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  struct Case {
    std::size_t bytes, pages;
  };
  constexpr std::size_t kBlocks = 64;
  for (const Case& each : std::initializer_list<Case>{
           {0, 1}, {1, 1}, {page - 1, 1}, {page, 1}, {page + 1, 2}, {2 * page, 2}, {2 * page + 1, 3}}) {
    std::vector<void*> blocks(kBlocks);
    mapped_bytes();
    const double before = mapped_bytes();
    for (void*& block : blocks) block = allocate_secret(each.bytes);
    // Two thirds of a page each are left for what the heap takes meanwhile.
    EXPECT_NEAR((mapped_bytes() - before) / static_cast<double>(kBlocks * page), static_cast<double>(each.pages), 0.7)
        << each.bytes;
    for (void* block : blocks) deallocate_secret(block, each.bytes);
    EXPECT_NEAR((mapped_bytes() - before) / static_cast<double>(kBlocks * page), 0, 0.7) << each.bytes;
  }
}

TEST(SecretMemory, OfAVectorGoesBackAsAWhole) {
  constexpr std::size_t kBytes = std::size_t{1} << 20;
  mapped_bytes();
  const double before = mapped_bytes();
  {
    const SecretVector<std::uint64_t> secret(kBytes / 8);
    EXPECT_NEAR(mapped_bytes() - before, kBytes, kBytes / 4.0);
  }
  EXPECT_NEAR(mapped_bytes() - before, 0, kBytes / 4.0);
}

TEST(SecretMemory, TellsNumbersOfItemsWhoseBytesHaveNoNumber) {
  SecretAllocator<std::uint64_t> words;
  const auto why = [&](std::size_t count) {
    return refusal<std::bad_alloc>([&] { static_cast<void>(words.allocate(count)); });
  };
  EXPECT_EQ(why((std::size_t{1} << 61) - 1), "std::bad_alloc");
  EXPECT_EQ(why(std::size_t{1} << 61), "std::bad_array_new_length");
  EXPECT_EQ(why((std::size_t{1} << 61) + 1), "std::bad_array_new_length");
  EXPECT_TRUE(words == SecretAllocator<char>());
}

}  // namespace
}  // namespace tacit::base
