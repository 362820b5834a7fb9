#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/command/workspace.h"
#include "tests/error/refusal.h"

namespace tacit::test {
namespace {

/// A command that ends early for another reason, and what one of its options takes.
struct Bounded {
  std::vector<std::string> command;
  std::string option, below, lowest, highest, above;
};

TEST(OptionBounds, AreWhereHelpSaysTheyAre) {
  const Workspace workspace;
  const std::string nowhere = workspace("none/x");
  const std::vector<std::string> plan{"plan", "none.onnx"}, run{"run", "none.onnx", "--input", "none.npy"},
      simulate{"run", "none.onnx", "--input", "none.npy", "--simulate"},
      ranks{"plan", "none.onnx", "--network", "1Gb,1ms"}, tiles{"plan", "--tiles", "nothing 1x1"},
      serve{"serve", "none", "--tokens", workspace("tokens")}, merkle{"bench", "merkle", "--report", nowhere},
      conv{"bench", "conv", "--case", "nothing"}, packing{"bench", "packing", "--latency", "-1s"},
      cost{"bench", "cost", "--output", nowhere}, ckks{"bench", "ckks", "--filter", "no such benchmark"};
  for (const Bounded& b : std::vector<Bounded>{{plan, "--max-degree", "0", "1", "1023", "1024"},
                                               {plan, "--max-polynomial-error", "-0.1", "0", "1", "1.1"},
                                               {plan, "--bits", "1", "2", "8", "9"},
                                               {ranks, "--ranks", "0", "1", "65536", "65537"},
                                               {tiles, "--items", "0", "1", "1073741824", "1073741825"},
                                               {run, "--threads", "-1", "0", "4096", "4097"},
                                               {simulate, "--cross-fit", "1", "2", "1000", "1001"},
                                               {serve, "--evaluations", "0", "1", "1024", "1025"},
                                               {serve, "--connections", "0", "1", "10000", "10001"},
                                               {serve, "--header-seconds", "0.09", "0.1", "600", "600.1"},
                                               {serve, "--queue", "0", "1", "1000000", "1000001"},
                                               {serve, "--jobs-of-client", "0", "1", "1000000", "1000001"},
                                               {serve, "--keep-hours", "-1", "0", "1000000", "1000001"},
                                               {merkle, "--first", "2", "3", "28", "29"},
                                               {merkle, "--last", "2", "3", "28", "29"},
                                               {merkle, "--smallest-group", "0", "1", "65536", "65537"},
                                               {merkle, "--largest-group", "0", "1", "65536", "65537"},
                                               {merkle, "--repeats", "0", "1", "1000", "1001"},
                                               {merkle, "--longest", "-1", "0", "86400", "86401"},
                                               {merkle, "--seconds", "-1", "0", "3600", "3601"},
                                               {conv, "--depth", "0", "1", "30", "31"},
                                               {conv, "--repeats", "0", "1", "1000", "1001"},
                                               {packing, "--repeats", "0", "1", "1000", "1001"},
                                               {cost, "--seconds", "-1", "0", "60", "61"},
                                               {ckks, "--seconds", "-1", "0", "3600", "3601"}}) {
    const auto with = [&](const std::string& value) {
      std::vector<std::string> arguments = b.command;
      arguments.push_back(b.option + "=" + value);
      return arguments;
    };
    for (const std::string& value : {b.below, b.above})
      expect_refusal(with(value), kBadInput, {b.option, value, " to "});
    for (const std::string& value : {b.lowest, b.highest}) {
      const CommandResult result = run_command(with(value));
      EXPECT_EQ(result.status, kBadInput) << b.option << " " << value;
      for (const char* refused : {"not in range", "give a number from", "give an integer from"})
        EXPECT_THAT(result.err, ::testing::Not(::testing::HasSubstr(refused))) << b.option << " " << value;
    }
  }
}

}  // namespace
}  // namespace tacit::test
