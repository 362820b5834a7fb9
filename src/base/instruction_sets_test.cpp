#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

#include "base/cpu.h"
#include "base/refusal_for_test.h"

namespace tacit::base {
namespace {

/// In a process of its own, where nobody has asked before.
[[noreturn]] void tell_set_for(const char* forced) {
  setenv("TACIT_ISA", forced, 1);
  std::string name;
  const std::string refused = refusal([&] { name = isa_name(active_isa()); });
  std::fputs(name.empty() ? refused.c_str() : name.c_str(), stderr);
  std::_Exit(0);
}

TEST(InstructionSets, AreNamedByTheEnvironment) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(tell_set_for("portable"), testing::ExitedWithCode(0), "^portable$");
  EXPECT_EXIT(tell_set_for("sse9"), testing::ExitedWithCode(0),
              "TACIT_ISA=sse9: expected portable, avx2 or avx512ifma");
  const Isa best = isa_supported(Isa::avx512ifma) ? Isa::avx512ifma
                   : isa_supported(Isa::avx2)     ? Isa::avx2
                                                  : Isa::portable;
  EXPECT_EXIT(tell_set_for(""), testing::ExitedWithCode(0), std::string(isa_name(best)));
  EXPECT_EXIT(tell_set_for("avx2"), testing::ExitedWithCode(0),
              isa_supported(Isa::avx2) ? "^avx2$" : "this processor lacks these instructions; unset it");
}

TEST(InstructionSets, HaveNames) {
  EXPECT_EQ(isa_name(Isa::portable), "portable");
  EXPECT_EQ(isa_name(Isa::avx2), "avx2");
  EXPECT_EQ(isa_name(Isa::avx512ifma), "avx512ifma");
  EXPECT_TRUE(isa_supported(Isa::portable));
}

}  // namespace
}  // namespace tacit::base
