#include "app/command_line.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/command/model_file.h"
#include "tests/command/run_command.h"
#include "tests/command/workspace.h"

namespace tacit::test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;
using ::testing::StartsWith;

TEST(CommandLine, NamesACommandOrIsRefusedInASentence) {
  const auto refused = [](const std::vector<std::string>& arguments) {
    const CommandResult result = run_command(arguments);
    EXPECT_EQ(result.status, app::kBadInput);
    EXPECT_EQ(result.signal, 0);
    EXPECT_THAT(result.out, IsEmpty());
    return result.err;
  };
  EXPECT_EQ(refused({}), "tacit: A subcommand is required; see --help\n");
  EXPECT_EQ(refused({"-x"}), "tacit: A subcommand is required; see --help\n");
  EXPECT_EQ(refused({"frob"}), "tacit: 'frob' is no command of tacit; tacit --help lists them\n");
  EXPECT_EQ(refused({"frob", "--help"}), "tacit: 'frob' is no command of tacit; tacit --help lists them\n");
  EXPECT_EQ(refused({"Run"}), "tacit: 'Run' is no command of tacit; tacit --help lists them\n");
}

TEST(CommandLine, ExplainsItself) {
  const CommandResult version = run_command({"--version"});
  EXPECT_EQ(version.status, 0);
  EXPECT_THAT(version.out, MatchesRegex("tacit [0-9]+\\.[0-9]+\\.[0-9]+ \\(commit [0-9a-z]+\\+?, [0-9a-z]+\\)\n"));
  const CommandResult help = run_command({"--help"});
  EXPECT_EQ(help.status, 0);
  EXPECT_THAT(help.err, IsEmpty());
  for (const char* command : {"run", "compile", "calibrate", "keygen", "encrypt", "evaluate", "serve", "decrypt",
                              "plan", "bench", "merkle", "verify-receipt", "validate"})
    EXPECT_THAT(help.out, HasSubstr(std::string("\n  ") + command + " "));
  // What an option is for stands in a column of its own.
  EXPECT_THAT(run_command({"serve", "--help"}).out,
              HasSubstr("\n  --listen TEXT=127.0.0.1:8443    Address and port; port 0 takes a free one\n"));
  EXPECT_THAT(
      run_command({"plan", "--help"}).out,
      HasSubstr("\n  --threads INT:INT in [0 - 4096]=0\n                                  Threads to use; 0 uses "
                "every processor\n"));
}

// Help states them, and scripts go by them.
TEST(CommandLine, StatusesAreThoseOfTheHelp) {
  EXPECT_EQ(app::kSuccess, 0);
  EXPECT_EQ(app::kInternalError, 1);
  EXPECT_EQ(app::kBadInput, 2);
  EXPECT_EQ(app::kKeyMismatch, 3);
  EXPECT_EQ(app::kValidationFailed, 3);
  EXPECT_EQ(app::kDisagreement, 4);
}

TEST(CommandLine, FailsWhereNobodyCanReadWhatItSays) {
  const CommandResult lost =
      run_program("/bin/sh", {"-c", fmt::format("'{}' bench conv --list > /dev/full", tacit_command())});
  EXPECT_EQ(lost.status, app::kBadInput);
  EXPECT_EQ(lost.err, "tacit: standard output cannot be written\n");
  EXPECT_EQ(run_program("/bin/sh", {"-c", fmt::format("'{}' bench conv --list > /dev/null", tacit_command())}).status,
            0);
}

TEST(CommandLine, JsonIsIndentedAndOfSevenBits) {
  const Workspace workspace;
  workspace.bytes("größe.onnx", model_bytes({.operators = {"Gemm"}}));
  const CommandResult plan =
      run_command({"plan", workspace("größe.onnx"), "--input-range", "-1,1", "--json"}, workspace("."));
  EXPECT_EQ(plan.status, 0) << plan.err;
  EXPECT_THAT(plan.out, StartsWith("{\n  \"model\": \"gr\\u00f6\\u00dfe.onnx\",\n  \"scheme\": \"ckks\",\n"));
  EXPECT_TRUE(plan.out.ends_with("\n}\n"));
}

}  // namespace
}  // namespace tacit::test
