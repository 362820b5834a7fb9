#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/command/run_command.h"

namespace tacit::test {
namespace {

/// What an option of a command is without it.
struct Default {
  const char *option, *value;
};
struct CommandDefaults {
  std::vector<std::string> command;
  std::vector<Default> defaults;
};

// What help shows is what holds: both are the same number.
TEST(HelpDefaults, AreTheNumbersThatAreWrittenDown) {
  const std::vector<Default> compiled{{"--threads", "0"},
                                      {"--scale", "1"},
                                      {"--pad", "0"},
                                      {"--calibrate-first", "0"},
                                      {"--calibrate-count", "1000"},
                                      {"--scheme", "ckks"},
                                      {"--bits", "6"},
                                      {"--failure", "2\\^-128"},
                                      {"--rounding", "approximate"},
                                      {"--max-polynomial-error", "0\\.1"},
                                      {"--batch", "1"},
                                      {"--share-statistical-bits", "30"},
                                      {"--share-decryptions", "1024"},
                                      {"--client-before", "on"}};
  const std::vector<CommandDefaults> commands{
      {{"compile"}, compiled},
      {{"plan"}, compiled},
      {{"plan"}, {{"--objective", "latency"}}},
      {{"run"}, compiled},
      {{"run"}, {{"--first", "0"}, {"--output-format", "npy"}}},
      {{"validate"}, compiled},
      {{"validate"}, {{"--first", "0"}, {"--validate", "nn"}, {"--epsilon", "-4"}}},
      {{"calibrate"}, {{"--first", "0"}, {"--count", "1000"}, {"--threads", "0"}, {"--scale", "1"}}},
      {{"encrypt"}, {{"--first", "0"}, {"--scale", "1"}, {"--pad", "0"}, {"--threads", "0"}}},
      {{"decrypt"}, {{"--share-statistical-bits", "30"}, {"--share-decryptions", "1024"}, {"--output-format", "npy"}}},
      {{"serve"},
       {{"--listen", "127\\.0\\.0\\.1:8443"},
        {"--evaluations", "2"},
        {"--connections", "128"},
        {"--header-seconds", "10"},
        {"--most-input", "256MiB"},
        {"--queue", "1000"},
        {"--queue-bytes", "4GiB"},
        {"--jobs-of-client", "1000"},
        {"--keep-hours", "24"},
        {"--keys-of-client", "64GiB"},
        {"--keys-on-disk", "512GiB"}}},
      {{"merkle", "root"}, {{"--hash", "rescue-prime-c\\.1"}, {"--leaf", "sha256"}, {"--chunk", "1MiB"}}},
      {{"bench", "ckks"}, {{"--seconds", "0\\.3"}, {"--threads", "1"}}},
      {{"bench", "tfhe"}, {{"--seconds", "0\\.5"}, {"--threads", "1"}}},
      {{"bench", "conv"}, {{"--depth", "3"}, {"--repeats", "3"}, {"--threads", "0"}}},
      {{"bench", "cost"}, {{"--seconds", "0\\.4"}, {"--threads", "1"}}},
      {{"bench", "packing"}, {{"--repeats", "5"}, {"--threads", "1"}, {"--latency", "0\\.2s"}}},
      {{"bench", "merkle"},
       {{"--first", "16"},
        {"--last", "23"},
        {"--smallest-group", "32"},
        {"--largest-group", "512"},
        {"--seconds", "0\\.3"},
        {"--threads", "0"},
        {"--repeats", "1"},
        {"--longest", "60"}}}};
  for (const auto& [command, defaults] : commands) {
    std::vector<std::string> arguments = command;
    arguments.emplace_back("--help");
    const CommandResult help = run_command(arguments);
    EXPECT_EQ(help.status, 0) << command.back();
    for (const auto& [option, value] : defaults)
      EXPECT_THAT(help.out, ::testing::ContainsRegex(fmt::format("\n +{} [^\n]*[^ ]={}[ \n]", option, value)))
          << command.back();
  }
}

// An option that a command always refuses is not among those that it shows.
TEST(HelpOptions, OfCalibrateAreThoseThatItTakes) {
  const std::string all = run_command({"compile", "--help"}).out, of_ranges = run_command({"calibrate", "--help"}).out;
  for (const std::string option : {"--bits", "--failure", "--rounding"})
    EXPECT_THAT(of_ranges, ::testing::HasSubstr("\n    " + option + " ")) << option;
  for (const std::string option : {"--shard", "--passes", "--max-error"}) {
    EXPECT_THAT(all, ::testing::HasSubstr("\n    " + option + " "));
    EXPECT_THAT(of_ranges, ::testing::Not(::testing::HasSubstr(option))) << option;
    const CommandResult given = run_command({"calibrate", "m.onnx", "--input", "x.npy", "-o", "r.json", option, "4"});
    EXPECT_EQ(given.status, 2);
    EXPECT_THAT(given.err, ::testing::HasSubstr(option)) << "the sentence names what was not expected";
  }
}

}  // namespace
}  // namespace tacit::test
