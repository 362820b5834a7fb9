#include "session/owner/machine.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

#include "base/cpu.h"
#include "session/sentence.h"

namespace tacit::session {
namespace {

/// The value of the first line of /proc/cpuinfo whose name is this and no other.
std::string first_field(const std::string& name) {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos) continue;
    const std::size_t end = line.substr(0, colon).find_last_not_of(" \t");
    if (end == std::string::npos || line.substr(0, end + 1) != name) continue;
    const std::size_t begin = line.find_first_not_of(" \t", colon + 1);
    if (begin != std::string::npos) return one_line(line.substr(begin));
  }
  return {};
}

TEST(MachineKind, HoldsWhatTheSystemSaysOfItsFirstProcessor) {
  std::string expected(base::isa_name(base::active_isa()));
  for (const char* name : {"vendor_id", "model name", "cpu family", "model", "stepping", "CPU implementer", "CPU part"})
    expected += fmt::format(", {} {}", name, first_field(name));
  EXPECT_EQ(machine_kind(), expected);
}

TEST(MachineName, IsProcessorKernelsAndClock) {
  const std::string processor = first_field("model name");
  const std::string begin =
      fmt::format("{}, {}, ", processor.empty() ? "unknown processor" : processor, base::isa_name(base::active_isa()));
  const std::string name = machine_name();
  ASSERT_EQ(name.substr(0, begin.size()), begin);
  EXPECT_THAT(name.substr(begin.size()), testing::MatchesRegex("[0-9]+\\.[0-9][0-9] GHz"));
}

/// In MiB, of the first processor, in whatever unit the system has them.
TEST(LargestCache, IsThatOfTheSystemsFiles) {
  double largest = 0;
  for (int index = 0; index < 8; ++index) {
    std::ifstream file(fmt::format("/sys/devices/system/cpu/cpu0/cache/index{}/size", index));
    std::string text;
    if (!(file >> text)) continue;
    const double number = std::stod(text);
    if (text.ends_with('K')) largest = std::max(largest, number / 1024);
    if (text.ends_with('M')) largest = std::max(largest, number);
    if (text.ends_with('G')) largest = std::max(largest, number * 1024);
  }
  EXPECT_DOUBLE_EQ(largest_cache_mib(), largest);
}

TEST(MachineName, TellsTheClockInGigahertz) {
  const std::string name = machine_name();
  const std::size_t begin = name.rfind(", ");
  ASSERT_NE(begin, std::string::npos);
  const double gigahertz = std::stod(name.substr(begin + 2));
  EXPECT_GT(gigahertz, 0.1);
  EXPECT_LT(gigahertz, 20);
}

}  // namespace
}  // namespace tacit::session
