#include "graph/passes/function_inputs.h"

#include <gtest/gtest.h>

#include <numeric>

namespace tacit::graph::passes {
namespace {

/// A network with one function over [lowest, highest] of an input with `elements` elements.
Network one_function(std::int64_t elements, double lowest, double highest) {
  Network network;
  Function function;
  function.input = network.add({Private{}, {1, elements}, "x", "Input", {}});
  function.lowest = lowest;
  function.highest = highest;
  network.outputs = {network.add({function, {1, elements}, "f", "Abs", {}})};
  return network;
}

const Function& first_function(const Network& network) { return std::get<Function>(network.values[1].operation); }

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
  const approximate::Histogram histogram = inputs_of(network, 37).histogram(network, first_function(network));
  ASSERT_EQ(histogram.size(), 256U);  // a quarter each
  for (std::size_t bin = 0; bin < histogram.size(); ++bin) EXPECT_EQ(histogram[bin], bin < 4 * 37 ? 1 : 0) << bin;
}

TEST(FunctionInputs, AreEvenlySpreadOverManySamplesAndElements) {
  Network network = one_function(1 << 15, 0, 64);
  const FunctionInputs inputs = inputs_of(network, 64);
  const approximate::Histogram histogram = inputs.histogram(network, first_function(network));
  for (std::size_t bin = 0; bin < histogram.size(); ++bin)
    EXPECT_EQ(histogram[bin], bin / 4 % 4 == 0 ? 2048 : 0) << "every fourth of the samples, every fourth element";
  network.values[0].stretch = layout::RepeatedReals(0.5);
  const approximate::Histogram stretched = inputs.histogram(network, first_function(network));
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
  EXPECT_TRUE(FunctionInputs(network, 0).histogram(network, first_function(network)).empty());
  EXPECT_TRUE(FunctionInputs().histogram(network, first_function(network)).empty());
}

TEST(FunctionInputs, OfASingleElementOrASingleSampleAreNoted) {
  const Network one_element = one_function(1, 0, 64);
  const approximate::Histogram of_samples =
      inputs_of(one_element, 8).histogram(one_element, first_function(one_element));
  ASSERT_EQ(of_samples.size(), 256U);
  for (std::size_t bin = 0; bin < 256; ++bin)
    EXPECT_EQ(of_samples[bin], bin < 32 && bin % 4 == 2 ? 1 : 0) << bin << ": s + 1/2, in bins of a quarter";
  const Network one_sample = one_function(4, 0, 64);
  const approximate::Histogram of_elements = inputs_of(one_sample, 1).histogram(one_sample, first_function(one_sample));
  ASSERT_EQ(of_elements.size(), 256U);
  for (std::size_t bin = 0; bin < 256; ++bin) EXPECT_EQ(of_elements[bin], bin < 4 ? 1 : 0) << bin;
}

// Bins of a 16th over [8, 24]: 8 of the samples are below, and 13 above.
TEST(FunctionInputs, BesideTheIntervalCountAtItsEnds) {
  const Network network = one_function(4, 8, 24);
  const approximate::Histogram histogram = inputs_of(network, 37).histogram(network, first_function(network));
  ASSERT_EQ(histogram.size(), 256U);
  EXPECT_EQ(histogram.front(), 4 * 8);
  EXPECT_EQ(histogram.back(), 4 * 13);
  for (std::size_t bin = 1; bin < 255; ++bin) EXPECT_EQ(histogram[bin], bin % 4 == 2 ? 1 : 0) << bin;
}

// For 16 samples, 8192 of 8193 elements are noted. The element of sample s that is left out is 7919 s, modulo 8193,
// before the last.
TEST(FunctionInputs, OfEverySampleLeaveOutOtherElements) {
  const auto noted = [](std::size_t sample, std::size_t element) {
    const Network network = one_function(8193, 0, 2);
    std::vector<double> numbers(8193 * kLanes, 0.25);
    numbers[element * kLanes + sample] = 1.75;
    FunctionInputs inputs(network, kLanes);
    inputs.note({0, kLanes, 0, numbers});
    const approximate::Histogram histogram = inputs.histogram(network, first_function(network));
    EXPECT_EQ(std::reduce(histogram.begin(), histogram.end()), 8192 * 16);
    return histogram[224] == 1;
  };
  struct Element {
    std::size_t sample, element;
  };
  for (const auto& [sample, element] : {Element{0, 8192}, Element{1, 273}, Element{2, 547}, Element{15, 4109}}) {
    SCOPED_TRACE(testing::Message() << "sample " << sample << ", element " << element);
    EXPECT_FALSE(noted(sample, element));
    EXPECT_TRUE(noted(sample, element - 1));
  }
}

}  // namespace
}  // namespace tacit::graph::passes
