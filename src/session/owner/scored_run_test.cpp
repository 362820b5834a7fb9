#include "session/owner/scored_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/refusal_for_test.h"
#include "graph/passes/deep_network_for_test.h"

namespace tacit::session {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// A network of four inputs, compiled on samples within [-1, 1].
std::unique_ptr<CompiledNetwork> perceptron(std::int64_t batch) {
  CompileRequest request;
  request.model = std::filesystem::path("net.onnx");
  request.graph = graph::passes::deep_perceptron(1, 4);
  request.calibration = graph::passes::deep_samples(80, 4, 5);
  request.options.batch = batch;
  return make_compiled_network(std::move(request), base::Progress::silent());
}

struct Told final : ScoreObserver {
  std::vector<std::size_t> answered, missed;
  std::vector<std::string> reasons;
  void on_answer(std::size_t i, const std::vector<graph::Tensor>&, const Scoreboard&, double) override {
    answered.push_back(i);
  }
  void on_miss(std::size_t i, const std::string& why) override {
    missed.push_back(i);
    reasons.push_back(why);
  }
};

/// Input 1 is not finite, input 3 lies far outside.
ScoredInputs five(const std::vector<std::vector<graph::Tensor>>& good) {
  return {.first = 10,
          .count = 5,
          .sample =
              [&good](std::size_t i) {
                std::vector<graph::Tensor> sample = good.at(i);
                if (i == 1) throw base::InputError("it is broken");
                if (i == 3)
                  for (double& x : sample[0].data) x = 1e4;
                return sample;
              },
          .label = [](std::size_t) { return std::optional(0.0); }};
}

TEST(ScoredRun, ABrokenInputIsAMissOfItAlone) {
  const auto good = graph::passes::deep_samples(5, 4, 6);
  for (const std::int64_t batch : {1, 4}) {
    const auto network = perceptron(batch);
    Told told;
    const ScoredRun run = score(*network, five(good), {}, told, base::Progress::silent());
    EXPECT_THAT(told.answered, ElementsAre(0, 2, 4)) << batch;
    EXPECT_THAT(told.missed, ElementsAre(1, 3)) << batch;
    EXPECT_EQ(told.reasons[0], "input 11 has no answer: it is broken");
    EXPECT_THAT(told.reasons[1], HasSubstr("input 13"));
    EXPECT_EQ(run.misses[0], std::nullopt);
    EXPECT_EQ(run.misses[1], told.reasons[0]);
    EXPECT_THAT(run.scores.missed(), ElementsAre(11, 13));
    EXPECT_EQ(run.scores.answered(), 3u);
    EXPECT_DOUBLE_EQ(run.scores.agreement(), 0.6);
    EXPECT_FALSE(run.excesses.empty());
    EXPECT_LT(run.scores.max_abs_error(), 0.1);
  }
}

TEST(ScoredRun, InputsOfWhichNoneIsTakenAreRefused) {
  const auto network = perceptron(1);
  Told told;
  const ScoredInputs none{
      .count = 2, .sample = [](std::size_t) -> std::vector<graph::Tensor> { throw base::InputError("it is broken"); }};
  EXPECT_EQ(base::refusal([&] { score(*network, none, {}, told, base::Progress::silent()); }), "it is broken");
}

}  // namespace
}  // namespace tacit::session
