#include "graph/slots/judge_owners.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/refusal_for_test.h"
#include "graph/passes/sketch.h"
#include "params/owner_flood.h"

namespace tacit::graph::passes {
namespace {

using testing::HasSubstr;

const ForOwners kThreeOfFive{.parts = params::OwnerParts(5, 3), .promise = {}};

/// Returns what is said of an output of `width` numbers whose flood has this deviation. Every sample is `numbers`, and
/// its negative.
std::string said(const std::vector<double>& numbers, double flood, layout::Fill fill = layout::Fill::zero) {
  const auto width = static_cast<std::int64_t>(numbers.size());
  Sketch s;
  s.output(s.input({1, width}));
  ClientParts parts;
  parts.after = std::move(s.graph);
  program::ClientInterface client;
  client.outputs.push_back({.name = "y",
                            .layout = layout::Layout::row_major({1, width}, 16).filled(fill),
                            .unit = 2,
                            .noise = flood / 2 / params::owners_flood(1, 10, {})});
  std::vector<Numbers> exact;
  for (const double sign : {1.0, -1.0}) {
    std::vector<double> sample = numbers;
    for (double& number : sample) number *= sign;
    exact.push_back({sample});
  }
  return base::refusal([&] { judge_owners(client, parts, exact, kThreeOfFive); });
}

TEST(JudgeOwners, RefusesFloodsThatChangeLabels) {
  // The two numbers are 2 apart, and their floods differ by 1.4 deviations.
  EXPECT_EQ(said({1, -1}, 0.2), base::kNotRefused);
  const std::string refusal = said({1, -1}, 4);
  EXPECT_THAT(refusal, HasSubstr("output 'y': 3 of 5 owners would decrypt it with a flood of deviation 4 (10 parts"));
  EXPECT_THAT(refusal, HasSubstr("% of the labels of the samples"));
}

TEST(JudgeOwners, RefusesFloodsThatHideNumbers) {
  // One number ranges from -1 to 1: a 16th of its range is 0.125.
  EXPECT_EQ(said({1}, 0.12), base::kNotRefused);
  EXPECT_THAT(said({1}, 0.13), HasSubstr("hides numbers that range over 2"));
}

TEST(JudgeOwners, RefusesOutputsBesideWhichOtherValuesLie) {
  EXPECT_THAT(said({1, -1}, 0.1, layout::Fill::unknown), HasSubstr("hold other values beside the output"));
}

}  // namespace
}  // namespace tacit::graph::passes
