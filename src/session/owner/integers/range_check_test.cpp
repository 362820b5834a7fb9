#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "program/integers/small_program_for_test.h"
#include "session/owner/compiled_network.h"

namespace tacit::session {
namespace {

/// Two sums, x0 + 2 x1 - x2 + 4 and 3 x2, of 0 to 9 each, which a table reads. They stand for 0.5 v - 1 and 0.25 v + 2;
/// inputs are whole numbers from 0 to 5, the last one twice as large.
std::unique_ptr<CompiledNetwork> two_sums(std::int64_t lowest = 0, std::int64_t highest = 9) {
  IntegerCompilation compilation;
  graph::quant::CompiledIntegers& model = compilation.model;
  model.program = integers::small_program();
  model.program.instructions[0].highest = 5;
  model.program.instructions[1].lowest = lowest;
  model.program.instructions[1].highest = highest;
  model.meanings.resize(model.program.instructions.size());
  model.meanings[1].scale = layout::RepeatedReals::of(std::vector{0.5, 0.25});
  model.meanings[1].offset = layout::RepeatedReals::of(std::vector{-1.0, 2.0});
  integers::ClientInput input;
  input.name = std::string("x");
  input.shape = {1, 3};
  input.step = model.program.instructions[0].step;
  input.quantiser.scale = layout::RepeatedReals::of(std::vector{1.0, 1.0, 2.0});
  input.quantiser.highest = 5;
  model.client.inputs.push_back(input);
  model.parts.before.tensors.push_back({"x", {1, 3}});
  model.parts.before.inputs = model.parts.before.outputs = {0};
  return network_on_integers(std::move(compilation));
}

std::vector<graph::Tensor> sample_of(std::vector<double> x) { return {graph::Tensor{{1, 3}, std::move(x), false}}; }

void expect_beyond(const RangeExcess& excess, const std::string& op, const std::string& node, double lowest,
                   double highest, double worst, std::int64_t input) {
  EXPECT_EQ(excess.op, op);
  EXPECT_EQ(excess.node, node);
  EXPECT_EQ(excess.source, IntervalSource::calibration);
  EXPECT_DOUBLE_EQ(excess.lowest, lowest);
  EXPECT_DOUBLE_EQ(excess.highest, highest);
  EXPECT_DOUBLE_EQ(excess.worst, worst);
  EXPECT_EQ(excess.input, input);
}

TEST(NetworkOnIntegers, SumsThatTablesReadAreToldInTheirUnits) {
  const std::unique_ptr<CompiledNetwork> network = two_sums();
  // 1 and 9; 13 and 0; -1 and 15; 9 and 0.
  const std::vector<std::vector<graph::Tensor>> samples{sample_of({0, 0, 6}), sample_of({3, 3, 0}),
                                                        sample_of({0, 0, 10}), sample_of({5, 0, 0})};
  const auto found = network->check(30, samples);
  ASSERT_EQ(found.size(), 4u);
  EXPECT_FALSE(found[0]);
  ASSERT_TRUE(found[1]);
  expect_beyond(*found[1], "linear", "sums", -1, 3.5, 5.5, 31);
  ASSERT_TRUE(found[2]);
  expect_beyond(*found[2], "linear", "sums", 2, 4.25, 5.75, 32);
  EXPECT_FALSE(found[3]) << "at the end of the interval";
  const std::vector<RangeExcess> all = network->excesses();
  ASSERT_EQ(all.size(), 1u);
  expect_beyond(all[0], "linear", "sums", 2, 4.25, 5.75, 32);
  EXPECT_EQ(all[0].inputs, 2);
}

TEST(NetworkOnIntegers, SumsMayLieBelowTheirInterval) {
  const std::unique_ptr<CompiledNetwork> network = two_sums(2);
  const std::vector<std::vector<graph::Tensor>> samples{sample_of({1, 0, 6}), sample_of({0, 0, 6})};
  const auto found = network->check(0, samples);
  EXPECT_FALSE(found.at(0)) << "2 and 9";
  ASSERT_TRUE(found.at(1)) << "1 and 9";
  expect_beyond(*found[1], "linear", "sums", 0, 3.5, -0.5, 1);
}

/// By the share of its interval that an element lies beyond.
TEST(NetworkOnIntegers, InputsAreToldByTheElementThatLiesFarthestBeyond) {
  const auto excess = [](std::vector<double> x) {
    const std::unique_ptr<CompiledNetwork> network = two_sums();
    const std::vector<std::vector<graph::Tensor>> samples{sample_of(std::move(x))};
    network->check(5, samples);
    return network->excesses().front();
  };
  expect_beyond(excess({-2, 0, 13}), "Input", "x", 0, 5, -2, 5);   // 0.4 and 0.3
  expect_beyond(excess({-2, 0, 15}), "Input", "x", 0, 10, 15, 5);  // 0.4 and 0.5
  expect_beyond(excess({7, 9, 0}), "Input", "x", 0, 5, 9, 5);
  EXPECT_EQ(excess({3, 3, 10.5}).op, "linear") << "less than half a step is rounding";
}

TEST(NetworkOnIntegers, OfElementsThatLieEquallyFarBeyondTheFirstIsTold) {
  const std::unique_ptr<CompiledNetwork> network = two_sums();
  const std::vector<std::vector<graph::Tensor>> samples{sample_of({-2, 7, 0}), sample_of({2, 5, 8})};
  const auto found = network->check(40, samples);
  ASSERT_EQ(found.size(), 2u);
  ASSERT_TRUE(found[0]);
  expect_beyond(*found[0], "Input", "x", 0, 5, -2, 40);
  EXPECT_EQ(found[0]->inputs, 1);
  ASSERT_TRUE(found[1]) << "both sums are 12";
  expect_beyond(*found[1], "linear", "sums", -1, 3.5, 5, 41);
  EXPECT_EQ(found[1]->inputs, 1);
}

/// An interval of one number: sums of 4 and 0, of 5 and 3, and of 4 and 3 lie 9, 10 and 9 beyond it.
TEST(NetworkOnIntegers, SumsBeyondANegativeNumberAreComparedByHowFar) {
  const std::unique_ptr<CompiledNetwork> network = two_sums(-5, -5);
  const std::vector<std::vector<graph::Tensor>> samples{sample_of({0, 0, 0}), sample_of({2, 0, 2}),
                                                        sample_of({1, 0, 2})};
  for (const auto& found : network->check(0, samples)) EXPECT_TRUE(found);
  const std::vector<RangeExcess> all = network->excesses();
  ASSERT_EQ(all.size(), 1u);
  expect_beyond(all[0], "linear", "sums", -3.5, -3.5, 1.5, 1);
  EXPECT_EQ(all[0].inputs, 3);
}

}  // namespace
}  // namespace tacit::session
