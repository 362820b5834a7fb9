#include "base/process_memory.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdlib>
#include <new>
#include <stdexcept>
#include <system_error>
#include <vector>

namespace tacit::base {
namespace {

TEST(ProcessMemory, ALimitOnDataLeavesWhatIsNotTaken) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the sanitizer's own memory counts against the limit";
#endif
  constexpr rlim_t kLimit = rlim_t{1} << 40;
  constexpr std::uint64_t kBlock = std::uint64_t{64} << 20;
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_DATA, &before), 0);
  EXPECT_EQ(bytes_below_data_limit().has_value(), before.rlim_cur != RLIM_INFINITY);
  rlimit limited = before;
  limited.rlim_cur = std::min(kLimit, before.rlim_max);
  ASSERT_EQ(setrlimit(RLIMIT_DATA, &limited), 0);
  const std::optional<std::uint64_t> left = bytes_below_data_limit();
  const std::vector<char> block(kBlock, 1);
  const std::optional<std::uint64_t> beside_block = bytes_below_data_limit();
  ASSERT_EQ(setrlimit(RLIMIT_DATA, &before), 0);
  ASSERT_TRUE(left && beside_block);
  EXPECT_LT(*left, limited.rlim_cur);
  // A few pages are the file's that is read for it.
  EXPECT_NEAR(static_cast<double>(*left - *beside_block), kBlock, 0x1p20);
}

/// Sets a limit on data below what is in use, and ends with status 0 if nothing is left.
[[noreturn]] void ask_below_what_is_used() {
  rlimit limit{};
  if (getrlimit(RLIMIT_DATA, &limit) != 0) std::_Exit(2);
  limit.rlim_cur = std::min(rlim_t{1} << 40, limit.rlim_max);
  if (setrlimit(RLIMIT_DATA, &limit) != 0) std::_Exit(3);
  if (bytes_below_data_limit() == 0) std::_Exit(4);  // and the memory that asking takes is there for the next time
  limit.rlim_cur = 4096;
  if (setrlimit(RLIMIT_DATA, &limit) != 0) std::_Exit(5);
  std::_Exit(bytes_below_data_limit() == 0 ? 0 : 1);
}

TEST(ProcessMemory, ALimitBelowWhatIsUsedLeavesNothing) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the sanitizer's own memory counts against the limit";
#endif
  EXPECT_EXIT(ask_below_what_is_used(), testing::ExitedWithCode(0), "");
}

TEST(ProcessMemory, WantOfItIsToldFromOtherFailures) {
  EXPECT_TRUE(is_want_of_memory(std::bad_alloc()));
  const std::error_code again = std::make_error_code(std::errc::resource_unavailable_try_again);
  EXPECT_TRUE(is_want_of_memory(std::system_error(again)));
  EXPECT_TRUE(is_want_of_memory(std::runtime_error("pthread_create has failed: Resource temporarily unavailable")));
  EXPECT_FALSE(is_want_of_memory(std::system_error(again, "cannot write to file")));
  EXPECT_FALSE(is_want_of_memory(std::system_error(std::make_error_code(std::errc::permission_denied))));
  EXPECT_FALSE(is_want_of_memory(std::runtime_error("pthread_join has failed")));
}

}  // namespace
}  // namespace tacit::base
