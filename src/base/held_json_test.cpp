#include "base/held_json.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdlib>
#include <new>
#include <string>

#include "base/refusal_for_test.h"

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
namespace {
/// Allocations of this thread that succeed before all others fail; below zero: all succeed.
thread_local long allocations_left = -1;
}  // namespace

[[gnu::noinline]] void* operator new(std::size_t bytes) {
  if (allocations_left == 0) throw std::bad_alloc();
  if (allocations_left > 0) --allocations_left;
  for (;;) {  // as the library's: other tests set a handler
    if (void* const memory = std::malloc(bytes == 0 ? 1 : bytes)) return memory;
    const std::new_handler handler = std::get_new_handler();
    if (handler == nullptr) throw std::bad_alloc();
    handler();
  }
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
#define TACIT_ALLOCATIONS_CAN_FAIL
#endif

namespace tacit::base {
namespace {

constexpr const char* kText =
    R"({"a":[1,-2,3.5,true,null,"a text that is longer than a string holds in itself"],"b":{"c":[[],{},[0,[0]]]}})";

TEST(HeldJson, HoldsWhatIsParsed) {
  const HeldJson held(kText, "it", {});
  EXPECT_EQ(*held, nlohmann::json::parse(kText));
  EXPECT_EQ(held->at("a").at(2), 3.5);
  for (const char* text : {"1", "\"x\"", "[]", "{}", "null"})
    EXPECT_EQ(*HeldJson(text, "it", {}), nlohmann::json::parse(text)) << text;
  EXPECT_EQ(refusal([] { HeldJson("[1,2]", "it", {.values = 2}); }), "it: more than 2 values");
  EXPECT_EQ(refusal([] { HeldJson("[1", "it", {}); }), "it: not JSON, at byte 3");
}

TEST(HeldJson, MovesWithoutACopy) {
  HeldJson held(kText, "it", {});
  const auto* const first = &held->at("a").at(0);
  const HeldJson moved(std::move(held));
  EXPECT_EQ(&moved->at("a").at(0), first);
}

#ifdef TACIT_ALLOCATIONS_CAN_FAIL
// The destructor of the library's own type allocates: in one that runs while memory is short, the process ends.
TEST(HeldJson, EveryAllocationMayFailAndNoneIsNeededToGiveItBack) {
  for (long fails_at = 0;; ++fails_at) {
    bool whole = false;
    allocations_left = fails_at;
    try {
      const HeldJson held(kText, "it", {});
      whole = true;
      allocations_left = 0;  // when it is given back, too
    } catch (const std::bad_alloc&) {
    }
    allocations_left = -1;
    if (whole) {
      EXPECT_GT(fails_at, 20) << "it was built by so many";
      break;
    }
  }
}
#endif

}  // namespace
}  // namespace tacit::base
