#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/command/run_command.h"

namespace tacit::test {

inline constexpr int kBadInput = 2, kKeyMismatch = 3;

/// Expects that the command ends with `status`, not by a signal, after exactly one sentence on standard error that
/// holds every one of `parts`.
inline void expect_refusal(const std::vector<std::string>& arguments, int status,
                           const std::vector<std::string>& parts) {
  const CommandResult result = run_command(arguments);
  EXPECT_EQ(result.signal, 0) << result.err;
  EXPECT_EQ(result.status, status) << result.out << result.err;
  const std::string line = result.last_error_line();
  EXPECT_EQ(line.rfind("tacit: ", 0), 0u) << result.err;
  std::size_t sentences = 0;
  for (std::size_t at = result.err.find("tacit: "); at != std::string::npos; at = result.err.find("tacit: ", at + 1))
    sentences += at == 0 || result.err[at - 1] == '\n' ? 1 : 0;
  EXPECT_EQ(sentences, 1u) << result.err;
  EXPECT_EQ(line.find("internal"), std::string::npos) << line;
  EXPECT_GT(line.size(), 30u) << line;
  for (const std::string& part : parts) EXPECT_THAT(line, ::testing::HasSubstr(part));
}

}  // namespace tacit::test
