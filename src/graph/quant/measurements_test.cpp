#include "graph/quant/measurements.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "base/refusal_for_test.h"
#include "graph/quant/compiled_for_test.h"
#include "graph/quant/random_trees_for_test.h"
#include "graph/serialize.h"
#include "program/integers/serialize.h"

namespace tacit::graph::quant {
namespace {

using testing::HasSubstr;

/// Everything that a compiled model holds, in a form that can be compared.
auto parts_of(const CompiledIntegers& model) {
  return std::tuple(integers::to_bytes(model.program), integers::to_bytes(model.client), to_bytes(model.parts),
                    params::to_json(model.parameters), model.neighbour_rates, model.warnings, model.far_rows);
}

Measurements measured_on(const Graph& graph, CompileOptions options) {
  options.keep_measurements = true;
  return compile(graph, options).measurements.value();
}

CompileOptions in_place_of_samples(CompileOptions options, const Measurements& measured) {
  options.calibration.clear();
  options.measured = std::make_shared<const Measurements>(measured);
  return options;
}

/// Compiles with samples, and with what they showed.
Measurements expect_same(const Graph& graph, const CompileOptions& options) {
  const Measurements measured = measured_on(graph, options);
  const CompiledIntegers by_samples = compile(graph, options),
                         by_ranges = compile(graph, in_place_of_samples(options, measured));
  EXPECT_EQ(parts_of(by_ranges), parts_of(by_samples));
  EXPECT_FALSE(by_ranges.measurements);
  return measured;
}

Graph product_of_two() {
  passes::Sketch s;
  const TensorId x = s.input({1, 2}), y = s.input({1, 2}, "y");
  const TensorId p = s.node("MatMul", {x, s.constant({2, 2}, {1, -0.5, 0.3, 0.7})}, {1, 2});
  const TensorId q = s.node("MatMul", {y, s.constant({2, 2}, {-0.4, 0.5, 0.9, 0.3})}, {1, 2});
  s.output(s.node("Mul", {p, q}, {1, 2}));
  return s.graph;
}

/// The client divides by a decrypted number, so that a guard needs the error of it.
Graph quotient() {
  passes::Sketch s;
  const TensorId x = s.input({1, 2});
  const TensorId t = s.node("Tanh", {s.node("MatMul", {x, s.constant({2, 2}, {1, -0.5, 0.3, 0.8})}, {1, 2})}, {1, 2});
  const TensorId sums = s.node("Add", {t, s.constant({1, 2}, {4, 5})}, {1, 2});
  s.output(s.node("Reciprocal", {s.node("MatMul", {sums, s.constant({2, 1}, {1, 0.5})}, {1, 1})}, {1, 1}));
  return s.graph;
}

TEST(IntegerMeasurements, GiveTheSameSumsAndTables) {
  CompileOptions options;
  for (const std::size_t count : {std::size_t{20}, std::size_t{300}}) {  // fewer than 256 have wider margins
    options.calibration = samples(two_inputs_with_a_branch_around(), count, 1);
    const Measurements measured = expect_same(two_inputs_with_a_branch_around(), options);
    EXPECT_EQ(measured.samples, count);
    EXPECT_TRUE(measured.grids.empty());
  }
  options.rounding = Rounding::exact;
  options.bits = 4;
  expect_same(two_inputs_with_a_branch_around(), options);
  options.log2_failure = -64;
  options.client_before = false;
  expect_same(two_inputs_with_a_branch_around(), options);
}

TEST(IntegerMeasurements, RowsFarFromAllOthersStayNamed) {
  const Graph graph = two_inputs_with_a_branch_around();
  CompileOptions options;
  options.calibration = samples(graph, 300, 1);
  for (double& number : options.calibration[7][0].data) number *= 1e4;
  const Measurements measured = expect_same(graph, options);
  EXPECT_EQ(measured.samples, 299u);
  ASSERT_EQ(measured.far_rows.rows.size(), 1u);
  EXPECT_EQ(measured.far_rows.rows[0].row, 7);
}

TEST(IntegerMeasurements, ProductsHaveTheRangesOfTheirFactors) {
  CompileOptions options;
  options.calibration = samples(product_of_two(), 60, 1);
  const Measurements measured = expect_same(product_of_two(), options);
  EXPECT_FALSE(measured.factors.empty());
  EXPECT_GT(measured.values.size(), measured.factors.size());
}

TEST(IntegerMeasurements, GuardsOfTheClientKeepTheirErrors) {
  CompileOptions options;
  options.calibration = samples(quotient(), 60, 1);
  const Measurements measured = expect_same(quotient(), options);
  ASSERT_EQ(measured.program.errors.size(), 1u);
  EXPECT_GT(measured.program.errors[0], 0);
  EXPECT_FALSE(measured.program.answer_moves.empty());
  Measurements changed = measured;
  changed.program.errors.clear();
  EXPECT_EQ(
      base::refusal([&] { compile(quotient(), in_place_of_samples(options, changed)); }),
      "the ranges hold errors of 0 outputs, and the program has 1; they were changed: run 'tacit calibrate' again");
}

/// Trees with more thresholds than a grid of 3 bits has borders, which samples choose among, and with decoys at 6 bits,
/// which samples place. Rows miss features.
TEST(IntegerMeasurements, TreesHaveTheSameBordersAndDecoys) {
  for (const bool missing : {false, true})
    for (const int bits : {3, 6}) {
      Draw draw({.missing = missing, .thresholds = 40}, 5);
      const Graph graph = regressor(draw.attributes(), kFeatures, 1);
      CompileOptions options;
      options.calibration = draw.rows(250);
      options.bits = bits;
      const Measurements measured = expect_same(graph, options);
      ASSERT_FALSE(measured.grids.empty());
      EXPECT_EQ(measured.grids[0].bits, bits);
      const std::size_t most = std::size_t{kFeatures} * ((std::size_t{1} << bits) - 1);
      EXPECT_EQ(measured.grids[0].borders.size(), missing ? most - kFeatures : most);
      options.rounding = Rounding::exact;
      expect_same(graph, options);
    }
}

/// Trees that read a sum have no grid. A hundredth of the rows lies beyond the ends of their features.
TEST(IntegerMeasurements, TreesOnSumsHaveTheSameEnds) {
  passes::Sketch s;
  const TensorId x = s.input({1, 3});
  const TensorId sum = s.node("MatMul", {x, s.constant({3, 3}, {1, 0.5, 0, -1, 1, 0.25, 0, 0.5, 1})}, {1, 3});
  s.output(s.node("ai.onnx.ml.TreeEnsembleRegressor", {sum}, {1, 1}, two_trees()));
  CompileOptions options;
  options.calibration = samples(s.graph, 250, 1);
  expect_same(s.graph, options);
}

class IntegerMeasurementsRefusal : public testing::Test {
 protected:
  static CompileOptions options_with_samples() {
    CompileOptions options;
    options.calibration = samples(two_inputs_with_a_branch_around(), 60, 1);
    return options;
  }
  std::string refusal(const CompileOptions& options) const {
    return base::refusal([&] { compile(graph_, options); });
  }
  template <class Change>
  std::string refusal_of_measured(const Change& change) const {
    Measurements changed = measured_;
    change(changed);
    return refusal(in_place_of_samples({}, changed));
  }

  const Graph graph_ = two_inputs_with_a_branch_around();
  const Measurements measured_ = measured_on(graph_, options_with_samples());
};

TEST_F(IntegerMeasurementsRefusal, AnotherModelAndOtherChoicesByName) {
  const CompileOptions fits = in_place_of_samples({}, measured_);
  EXPECT_EQ(refusal(fits), base::kNotRefused);
  Graph other = graph_;
  other.constants[0].data[3] += 1e-9;
  EXPECT_THAT(base::refusal([&] { compile(other, fits); }), HasSubstr("measured on another model"));
  const auto expect = [&](const auto& change, const std::string& sentence) {
    CompileOptions options = fits;
    change(options);
    EXPECT_THAT(refusal(options), HasSubstr(sentence));
  };
  expect([](CompileOptions& o) { o.bits = 4; }, "measured for --bits 6, and this compilation has 4: give the same");
  expect([](CompileOptions& o) { o.rounding = Rounding::exact; },
         "--rounding approximate, and this compilation has exact");
  expect([](CompileOptions& o) { o.log2_failure = -40; }, "--failure 2^-128, and this compilation has 2^-40");
  expect([](CompileOptions& o) { o.parameters = params::named_tfhe_literal("T8"); }, "--parameters chosen by price");
  expect([](CompileOptions& o) { o.client_before = false; }, "--client-before on, and this compilation has off");
  expect([](CompileOptions& o) { o.keep_private = {"MatMul0"}; },
         "--keep-private [], and this compilation has [MatMul0]");
  expect([](CompileOptions& o) { o.passes.skipped = {"fold"}; }, "leave out no pass");
  expect([&](CompileOptions& o) { o.calibration = samples(graph_, 3, 1); }, "not both");
}

TEST_F(IntegerMeasurementsRefusal, NothingIsMeasuredWithoutSamples) {
  CompileOptions options;
  options.input_range = {-1, 1};
  options.keep_measurements = true;
  EXPECT_THAT(refusal(options), HasSubstr("ranges are measured on samples: give calibration data"));
  options.calibration = samples(graph_, 20, 1);
  options.passes.skipped = {"fold"};
  EXPECT_THAT(refusal(options), HasSubstr("leave out no pass"));
}

TEST_F(IntegerMeasurementsRefusal, ElementsThatTheNetworkDoesNotHave) {
  EXPECT_THAT(refusal_of_measured([](Measurements& m) { m.values.pop_back(); }),
              HasSubstr("values, and the network has"));
  EXPECT_THAT(refusal_of_measured([](Measurements& m) { m.values[0].node = "elsewhere"; }),
              HasSubstr("value 0 has 2 elements and belongs to node"));
  EXPECT_THAT(refusal_of_measured([](Measurements& m) { m.values[0].ranges.pop_back(); }),
              HasSubstr("value 0 has 2 elements and belongs to node"));
  EXPECT_THAT(refusal_of_measured([](Measurements& m) { m.values[0].means.push_back(0); }),
              HasSubstr("value 0 has 2 elements and belongs to node"));
  EXPECT_THAT(refusal_of_measured([](Measurements& m) { m.values[0].ranges[1] = {}; }), HasSubstr("element 1 of node"));
  EXPECT_THAT(refusal_of_measured([](Measurements& m) {
                m.grids.push_back({0, 6, {1, 2}, {1, 2, 3}});
              }),
              HasSubstr("a grid of 6 bits for input 0 is not one of it"));
}

TEST_F(IntegerMeasurementsRefusal, AProgramThatWasNotMeasured) {
  const std::string sentence = "the ranges say nothing about the program that they lead to";
  EXPECT_THAT(refusal_of_measured([](Measurements& m) { m.program.digest[0] ^= 1; }), HasSubstr(sentence));
  EXPECT_THAT(refusal_of_measured([](Measurements& m) { m.program.neighbour_rates.pop_back(); }), HasSubstr(sentence));
  EXPECT_THAT(refusal_of_measured([](Measurements& m) { m.values[0].ranges[0].highest *= 2; }), HasSubstr(sentence));
}

/// The range of the inputs is a part of the program. Without one, that of the file is taken.
TEST_F(IntegerMeasurementsRefusal, AnotherRangeOfTheInputs) {
  CompileOptions options = options_with_samples();
  options.input_range = {-2, 2};
  const Measurements measured = measured_on(graph_, options);
  EXPECT_EQ(measured.input_range, options.input_range);
  EXPECT_EQ(refusal(in_place_of_samples(options, measured)), base::kNotRefused);
  options.input_range = {-4, 4};
  EXPECT_THAT(refusal(in_place_of_samples(options, measured)), HasSubstr("(--input-range) is another"));
}

TEST_F(IntegerMeasurementsRefusal, GridsThatAreNotThoseOfTheTrees) {
  Draw draw({.thresholds = 40}, 5);
  const Graph graph = regressor(draw.attributes(), kFeatures, 1);
  CompileOptions options;
  options.calibration = draw.rows(60);
  options.bits = 3;
  const Measurements measured = measured_on(graph, options);
  const auto refused = [&](const auto& change) {
    Measurements changed = measured;
    change(changed.grids.at(0));
    return base::refusal([&] { compile(graph, in_place_of_samples(options, changed)); });
  };
  const auto is_not = HasSubstr("a grid of 3 bits for input 0 is not one of it");
  EXPECT_THAT(refused([](MeasuredGrid& grid) { grid.borders.pop_back(); }), is_not);
  EXPECT_THAT(refused([](MeasuredGrid& grid) { grid.points.push_back(0); }), is_not);
  EXPECT_THAT(refused([](MeasuredGrid& grid) { std::swap(grid.borders[0], grid.borders[6]); }), is_not);
  EXPECT_THAT(refused([](MeasuredGrid& grid) { grid.borders[0] -= 1e-12; }),
              HasSubstr("say nothing about the program"));
  EXPECT_THAT(refused([](MeasuredGrid& grid) { grid.input = 1; }), HasSubstr("for input 1 is not one of it"));
}

}  // namespace
}  // namespace tacit::graph::quant
