#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/refusal_for_test.h"
#include "graph/onnx/import.h"
#include "graph/onnx/text_model.h"
#include "graph/passes/sketch.h"
#include "graph/quant/compiled_for_test.h"

namespace tacit::graph::quant {
namespace {

using passes::Sketch;
using ::testing::HasSubstr;
using Interval = std::pair<double, double>;

// -- bits -------------------------------------------------------------------------------------------------------------

/// The largest weight of every sum.
std::vector<std::int64_t> largest_weights(const integers::Program& program) {
  std::vector<std::int64_t> found;
  for (const integers::Instruction& made : program.instructions)
    if (const auto* linear = std::get_if<integers::Linear>(&made.operation)) {
      double largest = 0;
      layout::RowEntries entries;
      for (const integers::LinearTerm& term : linear->terms)
        for (layout::Index row = 0; row < layout::element_count(term.op->out_shape()); ++row) {
          entries.clear();
          term.op->append_row(row, entries);
          for (std::size_t k = 0; k < entries.size(); ++k) largest = std::max(largest, std::abs(entries.weights[k]));
        }
      found.push_back(static_cast<std::int64_t>(largest));
    }
  return found;
}

CompiledIntegers compiled_to(const Graph& graph, Rounding rounding, int bits) {
  CompileOptions options;
  options.rounding = rounding;
  options.bits = bits;
  options.input_range = {-1, 1};
  return compile(graph, options);
}

/// Three tables between two sums, of which one counts most in the second.
Graph tables_between_sums() {
  Sketch s;
  const TensorId x = s.input({1, 2});
  const TensorId p = s.node("MatMul", {x, s.constant({2, 3}, {1, -0.5, 0.3, 0.2, 0.7, -1})}, {1, 3});
  s.output(s.node("MatMul", {s.node("Tanh", {p}, {1, 3}), s.constant({3, 1}, {1, -0.15, 0.1})}, {1, 1}));
  return s.graph;
}

/// Inputs have 16 bits and weights on them 12, sign included. Weights on results of tables have as many bits as tables,
/// and at least four. A result has fewer if rounding stays below a box.
TEST(PrecisionOfIntegers, WithoutExactRoundingInputsAreFine) {
  const Graph graph = tables_between_sums();
  for (const auto& [bits, largest] : {std::pair{2, 7}, {4, 7}, {5, 15}, {6, 31}, {8, 63}}) {
    const CompiledIntegers model = compiled_to(graph, Rounding::approximate, bits);
    EXPECT_EQ(model.client.inputs.at(0).quantiser.highest, 65535) << bits;
    const std::vector<std::int64_t> weights = largest_weights(model.program);
    ASSERT_EQ(weights.size(), 2u);
    EXPECT_GE(weights[0], 2047) << bits;
    EXPECT_LE(weights[0], 4094) << bits << ": a step is a power of two";
    EXPECT_EQ(weights[1], largest) << bits;
  }
}

/// Every bit of a sum is a bootstrap: inputs have two bits more than weights, which have as many as tables, from four
/// to six.
TEST(PrecisionOfIntegers, WithExactRoundingSumsAreCoarse) {
  const Graph graph = tables_between_sums();
  for (const auto& [bits, largest] : {std::pair{4, 7}, {5, 15}, {6, 31}, {8, 31}}) {
    const CompiledIntegers model = compiled_to(graph, Rounding::exact, bits);
    EXPECT_EQ(model.client.inputs.at(0).quantiser.highest, 8 * (largest + 1) - 1) << bits;
    const std::vector<std::int64_t> weights = largest_weights(model.program);
    ASSERT_EQ(weights.size(), 2u);
    EXPECT_GE(weights[0], largest) << bits;
    EXPECT_LE(weights[0], 2 * largest) << bits;
    EXPECT_EQ(weights[1], largest) << bits;
  }
}

/// Sums that no table reads cost nothing.
TEST(PrecisionOfIntegers, ExactResultsOfInputsHaveTwelveBitsAndWeightsOfEight) {
  Sketch s;
  s.output(s.node("MatMul", {s.input({1, 2}), s.constant({2, 1}, {1, -0.3})}, {1, 1}));
  for (const int bits : {4, 8}) {
    const CompiledIntegers model = compiled_to(s.graph, Rounding::exact, bits);
    EXPECT_EQ(model.client.inputs.at(0).quantiser.highest, 4095);
    const std::vector<std::int64_t> weights = largest_weights(model.program);
    ASSERT_EQ(weights.size(), 1u);
    EXPECT_GE(weights[0], 127);
    EXPECT_LE(weights[0], 254);
  }
}

// -- what is known of inputs ------------------------------------------------------------------------------------------

/// Returns the interval of the first encrypted input, from the model alone or a range that its user knows. None if
/// samples are needed.
std::optional<Interval> encrypted_of(const std::string& text, bool client_before,
                                     const std::optional<Interval>& given = std::nullopt) {
  CompileOptions options;
  options.bits = 4;
  options.client_before = client_before;
  options.input_range = given;
  const Graph graph = onnx::import_bytes(onnx::text_model_bytes(text), "m.onnx");
  std::optional<Interval> found;
  const std::string refusal = base::refusal([&] {
    const CompiledIntegers model = compile(graph, options);
    const integers::Quantiser& quantiser = model.client.inputs.at(0).quantiser;
    found = Interval{quantiser.offset[0],
                     quantiser.offset[0] + quantiser.scale[0] * static_cast<double>(quantiser.highest)};
  });
  if (!found) {
    EXPECT_THAT(refusal, HasSubstr("give calibration data"));
  }
  return found;
}

/// A network of a table between two sums, which reads `p`.
std::string model_of(const std::string& inputs, const std::string& body) {
  return "m (" + inputs +
         ") => (float[1,2] y) <float[2,3] w = {1, -0.5, 0.25, 0.5, 1, 0.75}, float[3,2] v = {1, -0.5, 0.25, 1, -0.75, "
         "0.5}, float low = {-2}, float high = {3}, int64[2] shape = {1, 2}> { " +
         body + " s = MatMul(p, w) t = Tanh(s) y = MatMul(t, v) }";
}

void expect_interval(const std::optional<Interval>& found, double lowest, double highest) {
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->first, lowest, 1e-6);
  EXPECT_NEAR(found->second, highest, 1e-6 * (highest - lowest));
}

TEST(KnownInputs, TypesOfUpToSixteenBitsAreIntervals) {
  const auto of = [](const std::string& type) {
    return encrypted_of(model_of(type + "[1,2] x", "p = Cast<to = 1>(x)"), false);
  };
  expect_interval(of("uint8"), 0, 255);
  expect_interval(of("int8"), -128, 127);
  expect_interval(of("uint16"), 0, 65535);
  expect_interval(of("int16"), -32768, 32767);
  for (const char* wide : {"int32", "uint32", "int64", "float"}) EXPECT_FALSE(of(wide)) << wide;
}

TEST(KnownInputs, OfSeveralTheIntervalHoldsForAll) {
  const auto of = [](const std::string& first, const std::string& second) {
    return encrypted_of(
        model_of(first + "[1,2] x, " + second + "[1,2] z", "a = Cast<to = 1>(x) b = Cast<to = 1>(z) p = Add(a, b)"),
        false);
  };
  expect_interval(of("uint8", "int8"), -128, 255);
  expect_interval(of("int8", "uint8"), -128, 255);
  EXPECT_FALSE(of("uint8", "int32"));
  EXPECT_FALSE(of("int32", "uint8"));
}

/// The client's Clip bounds the value for all inputs. The given range is the inputs' range, not that of the clipped
/// value.
TEST(KnownInputs, WhatTheClientClipsEndsThere) {
  const Interval wide{-50, 60};
  const std::string clipped = model_of("float[1,2] x", "p = Clip(x, low, high)");
  expect_interval(encrypted_of(clipped, true), -2, 3);
  expect_interval(encrypted_of(clipped, true, wide), -2, 3);
  expect_interval(encrypted_of(model_of("float[2,1] x", "c = Clip(x, low, high) p = Reshape(c, shape)"), true), -2, 3);
  expect_interval(encrypted_of(model_of("float[2,1] x", "c = Clip(x, low, high) p = Transpose(c)"), true), -2, 3);
  EXPECT_FALSE(encrypted_of(model_of("float[1,2] x", "p = Clip(x, low)"), true)) << "open above";
  EXPECT_FALSE(encrypted_of(model_of("float[1,2] x", "c = Clip(x, low, high) p = Exp(c)"), true))
      << "another function of it";
}

/// Between two bounds that are one number there is only this number. If the client has no lower bound, nothing is
/// known.
TEST(KnownInputs, ClipsEndWhereBothOfTheirBoundsSay) {
  // Inputs without width have steps of a share of 1.
  expect_interval(encrypted_of(model_of("float[1,2] x", "p = Clip(x, low, low)"), true), -2, -1);
  EXPECT_FALSE(encrypted_of(model_of("float[1,2] x", "p = Clip(x, , high)"), true)) << "open below";
  EXPECT_FALSE(encrypted_of(model_of("float[1,2] x", "p = Clip(x)"), true)) << "no bound";
  EXPECT_FALSE(encrypted_of(model_of("float[1,2] x", "c = Less(x, low) p = Where(c, low, high)"), true))
      << "bounds of a choice are none of a clip";
}

/// A model with bounds in the wrong order is refused like a model without bounds.
TEST(KnownInputs, ClipsWithoutAnIntervalBetweenTheirBoundsTellNothing) {
  const auto refusal = [](const std::string& clip) {
    CompileOptions options;
    options.bits = 4;
    const Graph graph = onnx::import_bytes(onnx::text_model_bytes(model_of("float[1,2] x", clip)), "m.onnx");
    return base::refusal([&] { compile(graph, options); });
  };
  EXPECT_THAT(refusal("p = Clip(x, low)"), HasSubstr("give calibration data"));
  EXPECT_EQ(refusal("p = Clip(x, high, low)"), refusal("p = Clip(x, low)"));
}

TEST(KnownInputs, AGivenRangeHoldsForInputsThatAreMovedAtMost) {
  const Interval given{-5, 7};
  expect_interval(encrypted_of(model_of("float[2,1] x", "p = Reshape(x, shape)"), true, given), -5, 7);
  EXPECT_FALSE(encrypted_of(model_of("float[1,2] x", "p = Exp(x)"), true, given));
}

/// Samples with one constant input show ranges if another input differs.
TEST(KnownInputs, SamplesDifferWhereOneInputDoes) {
  const Graph graph = two_inputs_with_a_branch_around();
  for (const std::size_t same : {0, 1}) {
    CompileOptions options;
    options.calibration = samples(graph, 20, 1);
    for (auto& sample : options.calibration) sample[same] = options.calibration.front()[same];
    EXPECT_EQ(base::refusal([&] { compile(graph, options); }), base::kNotRefused) << same;
    for (auto& sample : options.calibration) sample = options.calibration.front();
    EXPECT_THAT(base::refusal([&] { compile(graph, options); }), HasSubstr("all 20 calibration samples are the same"));
  }
}

}  // namespace
}  // namespace tacit::graph::quant
