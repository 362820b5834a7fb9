#include "graph/passes/function_inputs.h"

#include <gtest/gtest.h>

#include <numeric>

namespace tacit::graph::passes {
namespace {

/// A function of an input with so many elements, over [lowest, highest].
Network one_function(std::int64_t elements, double lowest, double highest) {
  Network network;
  Function function;
  function.input = network.add({Private{}, {1, elements}, "x", "Input", {}});
  function.lowest = lowest;
  function.highest = highest;
  network.outputs = {network.add({function, {1, elements}, "f", "Abs", {}})};
  return network;
}

const Function& function_of(const Network& network) { return std::get<Function>(network.values[1].operation); }

/// Element e of sample s is s + (e + 1/2) / elements.
FunctionInputs inputs_of(const Network& network, std::size_t samples) {
  const auto elements = static_cast<std::size_t>(layout::element_count(network.values[0].shape));
  FunctionInputs inputs(network, samples);
  for (std::size_t first = 0; first < samples; first += kLanes) {
    const std::size_t count = std::min(kLanes, samples - first);
    std::vector<double> numbers(elements * kLanes, 1e9);  // lanes without a sample are not looked at
    for (std::size_t e = 0; e < elements; ++e)
      for (std::size_t lane = 0; lane < count; ++lane)
        numbers[e * kLanes + lane] =
            static_cast<double>(first + lane) + (static_cast<double>(e) + 0.5) / static_cast<double>(elements);
    inputs.note({first, count, 0, numbers});
    inputs.note({first, count, 1, numbers});  // nothing reads the function's results
  }
  return inputs;
}

TEST(FunctionInputs, AreAllWhereThereAreFew) {
  const Network network = one_function(4, 0, 64);
  const approximate::Histogram histogram = inputs_of(network, 37).histogram(network, function_of(network));
  ASSERT_EQ(histogram.size(), 256U);  // a quarter each
  for (std::size_t bin = 0; bin < histogram.size(); ++bin) EXPECT_EQ(histogram[bin], bin < 4 * 37 ? 1 : 0) << bin;
}

TEST(FunctionInputs, AreEvenlySpreadOverManySamplesAndElements) {
  Network network = one_function(1 << 15, 0, 64);
  const FunctionInputs inputs = inputs_of(network, 64);
  const approximate::Histogram histogram = inputs.histogram(network, function_of(network));
  for (std::size_t bin = 0; bin < histogram.size(); ++bin)
    EXPECT_EQ(histogram[bin], bin / 4 % 4 == 0 ? 2048 : 0) << "every fourth of the samples, every fourth element";
  network.values[0].stretch = layout::RepeatedReals(0.5);
  const approximate::Histogram stretched = inputs.histogram(network, function_of(network));
  for (std::size_t bin = 0; bin < histogram.size(); ++bin)
    EXPECT_EQ(stretched[bin], bin < 128 && bin / 2 % 4 == 0 ? 4096 : 0) << bin;
}

TEST(FunctionInputs, OfAFunctionWithAParityCountOnBothSides) {
  Network network = one_function(4, -64, 64);
  const FunctionInputs inputs = inputs_of(network, 16);
  auto& function = std::get<Function>(network.values[1].operation);
  const approximate::Histogram right = inputs.histogram(network, function);
  function.parity = approximate::Parity::even;
  const approximate::Histogram both = inputs.histogram(network, function);
  EXPECT_EQ(std::reduce(right.begin(), right.begin() + 128), 0);
  ASSERT_EQ(both.size(), right.size());
  for (std::size_t bin = 0; bin < both.size(); ++bin) {
    EXPECT_EQ(both[bin], both[both.size() - 1 - bin]);
    EXPECT_EQ(both[bin] > 0, right[bin] > 0 || right[right.size() - 1 - bin] > 0) << bin;
  }
}

TEST(FunctionInputs, AreNoneWithoutSamples) {
  const Network network = one_function(4, 0, 1);
  EXPECT_TRUE(FunctionInputs(network, 0).histogram(network, function_of(network)).empty());
  EXPECT_TRUE(FunctionInputs().histogram(network, function_of(network)).empty());
}

}  // namespace
}  // namespace tacit::graph::passes
