#include "session/owner/slots/cross_fit.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/refusal_for_test.h"
#include "base/temporary_folder_for_test.h"
#include "graph/passes/deep_network_for_test.h"
#include "graph/reference/run.h"
#include "session/owner/npy.h"
#include "session/owner/small_perceptron_for_test.h"
#include "session/owner/stages_for_test.h"

namespace tacit::session {
namespace {

/// Ten rows, of which those of even and of odd numbers are the same: whatever half of them calibrates covers the rest.
class CrossFitTest : public testing::Test {
 protected:
  CrossFitTest() {
    const auto samples = graph::passes::deep_samples(2, 4, 5);
    std::vector<double> numbers;
    for (std::size_t row = 0; row < 10; ++row) {
      const std::vector<double>& sample = samples[row % 2][0].data;
      numbers.insert(numbers.end(), sample.begin(), sample.end());
      const std::vector<double> scores = graph::reference::run(graph_, samples[row % 2]).at(0).data;
      labels_.push_back(static_cast<double>(std::ranges::max_element(scores) - scores.begin()));
    }
    write_npy(folder_.path() / "x.npy", {10, 4}, std::span<const double>(numbers));
    options_.parameters = small_insecure_literal();
  }
  CrossFit fitted(std::int64_t first, std::int64_t end, std::int64_t parts, std::int64_t most_samples) const {
    const Dataset data({folder_.path() / "x.npy"}, graph_, {});
    return cross_fit("small", graph_, scored_rows(data, first, end, labels_), {parts, most_samples}, options_,
                     base::Progress::silent());
  }
  std::string refusal(std::int64_t first, std::int64_t end, std::int64_t parts, std::int64_t most_samples) const {
    return base::refusal([&] { fitted(first, end, parts, most_samples); });
  }

  const base::TemporaryFolder folder_;
  const graph::Graph graph_ = graph::passes::deep_perceptron(1, 4);
  graph::CompileOptions options_;
  std::vector<double> labels_;
};

TEST_F(CrossFitTest, ScoresEveryRowByANetworkOfTheOthers) {
  for (double& label : labels_)
    if (const auto row = &label - labels_.data(); row < 2 || row >= 8) label = 99;  // of rows that are not scored
  for (const auto& [most, taken] : {std::pair<std::int64_t, std::int64_t>{1000, 4}, {4, 4}, {3, 3}}) {
    const CrossFit result = fitted(2, 8, 3, most);
    ASSERT_EQ(result.parts.size(), 3u);
    for (const CrossFitPart& part : result.parts) {
      EXPECT_EQ(part.inputs, 2);
      EXPECT_EQ(part.samples, taken);
      EXPECT_EQ(part.misses, 0);
      EXPECT_EQ(part.agreeing, 2);
      EXPECT_EQ(part.parameters, "small");
    }
    EXPECT_EQ(result.scores.images(), 6);
    EXPECT_EQ(result.scores.answered(), 6u);
    EXPECT_EQ(result.scores.agreement(), 1);
    EXPECT_EQ(result.scores.accuracy_encrypted(), 1);
    EXPECT_TRUE(result.excesses.empty());
    ASSERT_EQ(result.answers.size(), 6u);
    for (const auto& answer : result.answers) EXPECT_EQ(answer.at(0).data.size(), 3u);
  }
}

TEST_F(CrossFitTest, NeedsTwoPartsAndAnInputForEach) {
  const std::string rest = " inputs are divided into at least 2 parts and at most as many as there are inputs";
  EXPECT_EQ(refusal(2, 8, 1, 10), "--cross-fit 1: 6" + rest);
  EXPECT_EQ(refusal(2, 8, 7, 10), "--cross-fit 7: 6" + rest);
  EXPECT_EQ(refusal(2, 4, 3, 10), "--cross-fit 3: 2" + rest);
  EXPECT_EQ(refusal(2, 8, 2, 0), "--calibrate-count 0 must be at least 1");
}

TEST_F(CrossFitTest, MayHaveAPartAnInputAndASampleEach) {
  const std::string text = refusal(2, 4, 2, 1);
  EXPECT_FALSE(text.starts_with("--cross-fit")) << text;
  EXPECT_FALSE(text.starts_with("--calibrate-count")) << text;
  const CrossFitRequest usual;
  EXPECT_EQ(usual.parts, 5);
  EXPECT_EQ(usual.most_samples, 1000);
  EXPECT_EQ(CrossFitPart{}.samples, 0);
}

TEST_F(CrossFitTest, EveryInputIsAStep) {
  const Dataset data({folder_.path() / "x.npy"}, graph_, {});
  StagesForTest stages;
  cross_fit("small", graph_, scored_rows(data, 2, 8, labels_), {3, 1000}, options_, stages);
  EXPECT_EQ(stages.of("simulating a part"), (StagesForTest::Stage{6, 6}));
}

}  // namespace
}  // namespace tacit::session
