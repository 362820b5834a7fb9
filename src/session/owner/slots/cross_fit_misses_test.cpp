#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/temporary_folder_for_test.h"
#include "graph/passes/deep_network_for_test.h"
#include "session/owner/npy.h"
#include "session/owner/slots/cross_fit.h"
#include "session/owner/small_perceptron_for_test.h"

namespace tacit::session {
namespace {

using testing::ElementsAre;

/// Rows 2 to 7 are scored in three parts. Row 5 reaches three times as far as any other, so that only networks that are
/// calibrated on it answer it: not that of its own part, the first.
TEST(CrossFitMisses, AreRowsBeyondWhatTheOthersCalibrate) {
  const auto samples = graph::passes::deep_samples(2, 4, 5);
  const auto reach = [](const std::vector<double>& numbers) {
    double most = 0;
    for (const double x : numbers) most = std::max(most, std::abs(x));
    return most;
  };
  const std::vector<double>&first = samples[0][0].data, &second = samples[1][0].data;
  const std::vector<double>& farther = reach(first) > reach(second) ? first : second;
  std::vector<double> numbers;
  for (std::size_t row = 0; row < 9; ++row)
    for (std::size_t i = 0; i < 4; ++i)
      numbers.push_back(row == 5 ? 3 * farther[i] : row % 2 == 0 ? first[i] : second[i]);
  const base::TemporaryFolder folder;
  write_npy(folder.path() / "x.npy", {9, 4}, std::span<const double>(numbers));
  const graph::Graph graph = graph::passes::deep_perceptron(1, 4);
  const Dataset data({folder.path() / "x.npy"}, graph, {});
  graph::CompileOptions options;
  options.parameters = small_insecure_literal();
  options.max_error = 1;
  const CrossFit result =
      cross_fit("small", graph, scored_rows(data, 2, 8, {}), {3, 100}, options, base::Progress::silent());
  ASSERT_EQ(result.parts.size(), 3u);
  EXPECT_EQ(result.parts[0].misses, 1);
  EXPECT_LE(result.parts[0].agreeing, 1);
  for (const std::size_t part : {1, 2}) EXPECT_EQ(result.parts[part].misses, 0);
  std::int64_t agreeing = 0;
  for (const CrossFitPart& part : result.parts) {
    EXPECT_EQ(part.inputs, 2);
    EXPECT_EQ(part.samples, 4);
    agreeing += part.agreeing;
  }
  EXPECT_EQ(result.scores.images(), 6);
  EXPECT_EQ(result.scores.answered(), 5u);
  EXPECT_THAT(result.scores.missed(), ElementsAre(5));
  EXPECT_THAT(result.misses.at(3).value(), testing::HasSubstr("input 5"));
  EXPECT_TRUE(result.answers.at(3).empty());
  EXPECT_DOUBLE_EQ(result.scores.agreement(), static_cast<double>(agreeing) / 6);
  EXPECT_FALSE(result.scores.accuracy_plain()) << "nobody gave labels";
  ASSERT_FALSE(result.excesses.empty());
  for (const RangeExcess& excess : result.excesses) EXPECT_EQ(excess.input, 5) << excess.node;
}

}  // namespace
}  // namespace tacit::session
