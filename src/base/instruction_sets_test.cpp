#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <set>
#include <sstream>
#include <string>
#include <string_view>

#include "base/cpu.h"
#include "base/refusal_for_test.h"

namespace tacit::base {
namespace {

/// In a process of its own, where nobody has asked before.
[[noreturn]] void tell_set_for(const char* forced) {
  if (forced == nullptr)
    unsetenv("TACIT_ISA");
  else
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

TEST(InstructionSets, AreTheBestWhereTheEnvironmentNamesNone) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const Isa best = isa_supported(Isa::avx512ifma) ? Isa::avx512ifma
                   : isa_supported(Isa::avx2)     ? Isa::avx2
                                                  : Isa::portable;
  const std::string whole = fmt::format("^{}$", isa_name(best));
  EXPECT_EXIT(tell_set_for(""), testing::ExitedWithCode(0), whole);
  EXPECT_EXIT(tell_set_for(nullptr), testing::ExitedWithCode(0), whole);
}

/// The words that Linux tells of the first processor behind this name; none where it tells nothing.
std::set<std::string> words_of_processor(std::string_view name) {
  std::ifstream processors("/proc/cpuinfo");
  for (std::string line; std::getline(processors, line);) {
    if (!line.starts_with(name)) continue;
    std::istringstream words(line.substr(line.find(':') + 1));
    return {std::istream_iterator<std::string>(words), {}};
  }
  return {};
}

TEST(InstructionSets, AreThoseThatTheSystemFinds) {
  const std::set<std::string> flags = words_of_processor("flags");
  if (flags.empty()) GTEST_SKIP() << "this system tells nothing of its processor";
  const auto has = [&](std::initializer_list<const char*> names) {
    return std::ranges::all_of(names, [&](const char* name) { return flags.contains(name); });
  };
  EXPECT_EQ(isa_supported(Isa::avx2), has({"avx2", "fma"}));
  EXPECT_EQ(isa_supported(Isa::avx512ifma),
            has({"avx512f", "avx512dq", "avx512vl", "avx512bw", "avx512ifma", "aes", "vaes"}));
}

TEST(InstructionSets, AreHalvedByZen3And4) {
  const std::set<std::string> vendor = words_of_processor("vendor_id"), family = words_of_processor("cpu family");
  if (vendor.empty() || family.empty()) GTEST_SKIP() << "this system tells nothing of its processor";
  EXPECT_EQ(halves_wide_vectors(), vendor.contains("AuthenticAMD") && family.contains("25"));
}

TEST(InstructionSets, HaveNames) {
  EXPECT_EQ(isa_name(Isa::portable), "portable");
  EXPECT_EQ(isa_name(Isa::avx2), "avx2");
  EXPECT_EQ(isa_name(Isa::avx512ifma), "avx512ifma");
  EXPECT_TRUE(isa_supported(Isa::portable));
}

}  // namespace
}  // namespace tacit::base
