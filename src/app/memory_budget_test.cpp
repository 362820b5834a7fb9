#include "app/memory_budget.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/process_memory.h"

namespace tacit::app {
namespace {

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

/// All that this process may have, in blocks that nobody gives back.
void take_all_memory() {
  for (std::size_t size = std::size_t{1} << 26; size >= 16; size /= 2)
    while (void* const block = std::malloc(size)) static_cast<volatile char*>(block)[0] = 1;
}

nlohmann::json numbers(int count) {
  nlohmann::json list = nlohmann::json::array();
  for (int i = 0; i < count; ++i) list.push_back(i);
  return list;
}

constexpr int kSurvived = 7;

void enforce_little() { enforce_memory_budget(base::resident_bytes() + (std::uint64_t{256} << 20)); }

[[noreturn]] void give_back_an_object() {
  enforce_little();
  {
    const nlohmann::json answer{{"error", "why"}, {"list", numbers(200)}};
    take_all_memory();
  }
  std::_Exit(kSurvived);
}

[[noreturn]] void give_back_a_long_list() {
  enforce_little();
  try {
    const nlohmann::json list = numbers(4096);
    take_all_memory();
    throw std::runtime_error("out of memory");
  } catch (const std::runtime_error&) {
  }
  std::_Exit(kSurvived);
}

[[noreturn]] void ask_for_much_and_little() {
  enforce_little();
  take_all_memory();
  bool refused = false;
  try {
    const std::string text(5000, 'x');
  } catch (const std::bad_alloc&) {
    refused = true;
  }
  std::_Exit(refused && std::string(4000, 'x').size() == 4000 ? kSurvived : 1);
}

// The destructor of nlohmann::json asks for memory, and where it gets none the process ends.
TEST(MemoryBudgetDeathTest, AnObjectOfJsonCanBeGivenBackWhenMemoryHasRunOut) {
  EXPECT_EXIT(give_back_an_object(), testing::ExitedWithCode(kSurvived), "");
}

TEST(MemoryBudgetDeathTest, AnExceptionMayGiveBackALongList) {
  EXPECT_EXIT(give_back_a_long_list(), testing::ExitedWithCode(kSurvived), "");
}

TEST(MemoryBudgetDeathTest, TheReserveIsForSmallRequestsAlone) {
  EXPECT_EXIT(ask_for_much_and_little(), testing::ExitedWithCode(kSurvived), "");
}

#endif

}  // namespace
}  // namespace tacit::app
