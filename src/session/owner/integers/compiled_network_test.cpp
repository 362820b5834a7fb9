#include "session/owner/compiled_network.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/refusal_for_test.h"
#include "graph/quant/compiled_for_test.h"

namespace tacit::session {
namespace {

std::unique_ptr<CompiledNetwork> branched_network() {
  const graph::Graph graph = graph::quant::two_inputs_with_a_branch_around();
  graph::quant::CompileOptions options;
  options.bits = 4;
  options.calibration = graph::quant::samples(graph, 300, 1);
  return network_on_integers(compile_graph_on_integers("branches", graph, options, {}, base::Progress::silent()));
}

TEST(NetworkOnIntegers, SaysWhichElementLiesFarthestBeyondWhatWasCalibrated) {
  const std::unique_ptr<CompiledNetwork> network = branched_network();
  std::vector<std::vector<graph::Tensor>> samples = graph::quant::samples(network->graph(), 2, 1);
  for (auto& sample : samples)
    for (graph::Tensor& tensor : sample) tensor.data.assign(tensor.data.size(), 0);
  for (const auto& found : network->check(0, samples)) EXPECT_FALSE(found) << found->node;
  EXPECT_TRUE(network->excesses().empty());

  // The second input of the second sample leaves its interval, on either side.
  samples[1][1].data = {3, -5};
  const auto found = network->check(10, samples);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_FALSE(found[0]);
  ASSERT_TRUE(found[1]);
  EXPECT_EQ(found[1]->node, "y");
  EXPECT_EQ(found[1]->op, "Input");
  EXPECT_EQ(found[1]->source, IntervalSource::calibration);
  EXPECT_EQ(found[1]->worst, -5);
  EXPECT_EQ(found[1]->input, 11);
  EXPECT_EQ(found[1]->inputs, 1);
  EXPECT_NEAR(found[1]->lowest, -2, 0.01) << "inputs were drawn between -2 and 2";
  EXPECT_NEAR(found[1]->highest, 2, 0.01);
  const std::vector<RangeExcess> all = network->excesses();
  ASSERT_FALSE(all.empty());
  EXPECT_EQ(all.front().node, "y") << "in the order of the layers";
  EXPECT_EQ(all.front().worst, -5);
}

TEST(NetworkOnIntegers, RunsOneInputAtATime) {
  const std::unique_ptr<CompiledNetwork> network = branched_network();
  EXPECT_EQ(network->batch(), 1);
  EXPECT_EQ(network->name(), "branches");
  const nlohmann::ordered_json estimate = network->plan().at("estimate");
  // Choices go by the default machine's time, and people see that of this one.
  EXPECT_GT(estimate.at("seconds"), 0);
  EXPECT_THAT(estimate.at("machine").get<std::string>(), testing::StartsWith("this machine ("));
  // One rank takes the planned time, and two share the bootstraps.
  const params::Interconnect fast{.bits_per_second = 1e12, .latency_seconds = 1e-9};
  const nlohmann::ordered_json one = network->plan_of_ranks(1, fast), two = network->plan_of_ranks(2, fast);
  const auto seconds = estimate.at("run_seconds").get<double>();
  EXPECT_NEAR(one.at("seconds").get<double>(), seconds, 1e-9 * seconds);
  EXPECT_EQ(one.at("sent_bytes"), 0);
  EXPECT_EQ(one.at("rank_bytes"), estimate.at("memory_bytes"));
  EXPECT_LT(two.at("seconds").get<double>(), seconds);
  EXPECT_GT(two.at("sent_bytes"), 0);
  EXPECT_GT(two.at("bootstrap_rounds"), 0);
}

TEST(NetworkOnIntegers, SeesWhatLiesBeyondByLessThanTheIntervalIsWide) {
  const std::unique_ptr<CompiledNetwork> network = branched_network();
  std::vector<std::vector<graph::Tensor>> samples = graph::quant::samples(network->graph(), 1, 1);
  samples[0][0].data = {0, 3.5};
  samples[0][1].data = {0, 0};
  const auto found = network->check(3, samples);
  ASSERT_TRUE(found.at(0));
  EXPECT_EQ(found[0]->node, "x");
  EXPECT_EQ(found[0]->worst, 3.5);
  EXPECT_EQ(found[0]->input, 3);
  EXPECT_LT(found[0]->lowest, 0);
  EXPECT_GT(found[0]->highest, 0);
}

}  // namespace
}  // namespace tacit::session
