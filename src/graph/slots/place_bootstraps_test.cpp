#include "graph/slots/place_bootstraps.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <set>
#include <utility>

#include "base/error.h"
#include "graph/approximate/chebyshev.h"
#include "graph/compile.h"
#include "graph/passes/deep_network_for_test.h"
#include "graph/reference/run.h"
#include "graph/slots/check_magnitudes.h"
#include "layout/operators/window.h"
#include "params/bootstrap_schedule.h"
#include "params/small_ring_for_test.h"
#include "program/slots/clear_program.h"
#include "program/slots/levels.h"
#include "program/slots/noise_model.h"
#include "program/slots/operation_prices.h"

namespace tacit::graph::passes {
namespace {

constexpr std::int64_t kWidth = 8;

CompileOptions deep_options(std::optional<params::CkksLiteral> literal = {}) {
  CompileOptions result;
  result.calibration = deep_samples(100, kWidth, 5);
  result.parameters = std::move(literal);
  result.max_degree = 31;
  return result;
}

std::size_t bootstraps(const slots::Program& program) {
  return static_cast<std::size_t>(std::count_if(
      program.instructions.begin(), program.instructions.end(), [](const slots::Instruction& instruction) {
        return std::holds_alternative<slots::Bootstrap>(instruction.operation);
      }));
}

TEST(PlaceBootstraps, ADeepPerceptronIsCompiledForASetThatBootstraps) {
  const Graph graph = deep_perceptron(12, kWidth);
  const CompiledModel model = compile(graph, deep_options());
  ASSERT_TRUE(model.parameters.bootstrap.has_value());
  EXPECT_FALSE(model.parameters.insecure);
  EXPECT_GE(bootstraps(model.program), 3u);
  // The set has no spare message level.
  EXPECT_EQ(params::chain_of(model.parameters).output, slots::message_levels_needed(model.program));
  EXPECT_LE(bootstraps(model.program), 11u);
}

TEST(PlaceBootstraps, TheSineIsTakenInByTheSeriesThatFollows) {
  const Graph graph = deep_perceptron(12, kWidth);
  const CompiledModel model = compile(graph, deep_options(params::insecure_on_small_ring("S8", 11)));
  const std::size_t count = bootstraps(model.program);
  EXPECT_GE(count, 5u);  // six levels a layer, eight between bootstraps
  for (const slots::Instruction& instruction : model.program.instructions) {
    const auto* bootstrap = std::get_if<slots::Bootstrap>(&instruction.operation);
    if (!bootstrap) continue;
    EXPECT_EQ(bootstrap->schedule.form, params::BootstrapForm::folded);
    EXPECT_EQ(model.program.value(bootstrap->inputs[0]).level, 3);
    EXPECT_LE(instruction.level, bootstrap->schedule.output_level);
  }
  // Every bootstrap ends as low as its readers allow. A layer takes six levels above the three at which the next one
  // starts. After the last bootstrap there are six levels, and one for the scores.
  std::set<int> levels;
  for (const slots::Instruction& instruction : model.program.instructions)
    if (const auto* bootstrap = std::get_if<slots::Bootstrap>(&instruction.operation)) {
      levels.insert(bootstrap->schedule.output_level);
      EXPECT_EQ(bootstrap->schedule.chain.skipped, 11 - bootstrap->schedule.output_level);
    }
  EXPECT_EQ(*levels.rbegin(), 9);
  EXPECT_LE(levels.size(), 2u);
  // Without the sine's inverse the error of one layer alone would be 1e-4; with it only the series are left.
  const slots::ClearProgram clear_run(model.program);
  const slots::NoiseModel model_of_noise =
      slots::modelled_noise(model.program, params::CkksParameters::check(model.parameters));
  std::uint64_t seed = 9;
  double worst = 0, noise = 0, largest = 0;
  for (const auto& sample : deep_samples(20, kWidth, 77)) {
    const std::vector<double> expected = reference::run(graph, sample).at(0).data;
    const program::ClientOutput& output = model.client.outputs.at(0);
    const auto clear = from_units(output, clear_run.run({sample[0].data}).at(0));
    const auto simulated = from_units(
        output, clear_run.run({sample[0].data}, {}, slots::ClearProgram::Noise{model_of_noise, seed++}).at(0));
    for (std::size_t i = 0; i < expected.size(); ++i) {
      worst = std::max(worst, std::abs(clear[i] - expected[i]));
      noise = std::max(noise, std::abs(simulated[i] - clear[i]));
      largest = std::max(largest, std::abs(expected[i]));
    }
  }
  EXPECT_LT(worst, 0.1 * largest);
  EXPECT_GT(noise, 1e-9);
  EXPECT_LT(noise, 1e-3 * largest);
}

TEST(PlaceBootstraps, ALowerLevelAndAPairAreCheaper) {
  const params::CkksLiteral literal = params::named_literal("S15");
  const slots::OperationPrices prices(literal, {});
  const params::BootstrapSchedule high = params::plan_bootstrap(literal),
                                  low = params::plan_bootstrap(literal, {.output_level = 8});
  // Slots to coefficients, at low levels, cost the same for both.
  EXPECT_LT(prices.bootstraps(low, 1), 0.75 * prices.bootstraps(high, 1));
  EXPECT_LT(prices.bootstraps(high, 2), 1.5 * prices.bootstraps(high, 1));
  EXPECT_NEAR(prices.bootstraps(high, 5), 2 * prices.bootstraps(high, 2) + prices.bootstraps(high, 1), 1e-9);
}

TEST(PlaceBootstraps, OperandsMustBeKnownToLieInTheInterval) {
  const params::CkksLiteral literal = params::insecure_on_small_ring("S8", 11);
  const layout::Layout layout = layout::Layout::row_major({4}, 1024);
  Lowered lowered{.literal = literal, .normalised = {}, .program = {}, .cost = {}, .places = {}};
  lowered.program = {.name = "p", .slots = 1024, .instructions = {}};
  const auto check = [&](double bound, params::BootstrapForm form) {
    lowered.program.instructions = {{slots::Input{"x"}, layout, "x", "x", bound, 3, 0},
                                    {slots::Bootstrap{{0}, params::plan_bootstrap(literal, {.form = form})}, layout,
                                     "refreshed", "refreshed", 1, 8, 0}};
    check_magnitudes({}, lowered, true);
  };
  EXPECT_NO_THROW(check(1, params::BootstrapForm::linear));
  EXPECT_NO_THROW(check(0, params::BootstrapForm::folded));
  EXPECT_THAT([&] { check(1.25, params::BootstrapForm::linear); },
              ::testing::ThrowsMessage<base::InputError>(
                  ::testing::HasSubstr("node 'refreshed': a bootstrap takes values in [-1, 1], and the calibrated "
                                       "range of its operand reaches 1.25")));
  EXPECT_THAT([&] { check(0, params::BootstrapForm::linear); },
              ::testing::ThrowsMessage<base::InputError>(::testing::HasSubstr("of its operand is not known")));
}

TEST(PlaceBootstraps, ShallowNetworksAreNotBootstrapped) {
  const CompiledModel model =
      compile(deep_perceptron(1, kWidth), deep_options(params::insecure_on_small_ring("S8", 11)));
  EXPECT_EQ(bootstraps(model.program), 0u);
}

TEST(PlaceBootstraps, ANetworkWithoutFunctionsIsRefreshedBeforeItsProducts) {
  Sketch s;
  TensorId x = s.input({1, 2});
  for (int i = 0; i < 12; ++i) {
    x = s.node("MatMul", {x, s.constant({2, 2}, {0.5, 0.25, -0.25, 0.5})}, {1, 2});
    x = s.node("Mul", {x, x}, {1, 2});
    x = s.node("Add", {x, s.constant({1, 2}, {0.5, -0.75})}, {1, 2});
  }
  s.output(x);
  CompileOptions asked = deep_options(params::insecure_on_small_ring("S8", 11));
  asked.calibration = deep_samples(100, 2, 5);
  const CompiledModel model = compile(s.graph, asked);
  EXPECT_GE(bootstraps(model.program), 2u);
  const slots::ClearProgram exact(model.program);
  const std::vector<Tensor> sample = deep_samples(1, 2, 6)[0];
  const auto clear = from_units(model.client.outputs[0], exact.run({sample[0].data}).at(0));
  const std::vector<double> expected = reference::run(s.graph, sample).at(0).data;
  for (std::size_t i = 0; i < 2; ++i) EXPECT_NEAR(clear[i], expected[i], 1e-4);
}

/// Returns the series that stands behind a folded bootstrap for this one. The network is an input, a map, and the
/// series of it, which is refreshed.
std::vector<double> unbent(const params::CkksLiteral& literal, const std::vector<double>& series) {
  Network network;
  const auto add = [&](auto operation) {
    return network.add({.operation = std::move(operation), .shape = {1, 8}, .node = "n", .op = "Op", .range = {-1, 1}});
  };
  add(Private{});
  add(Affine{{{0, nullptr}}});
  Function function;
  function.input = 1;
  function.coefficients = series;
  network.outputs = {add(std::move(function))};
  const std::optional<FeatureGrid> no_grid;
  RowSlices slices;
  const BootstrapPlacer placer(network, literal, 0, no_grid, slices);
  ContractionPlans contractions;
  const Refreshed made =
      place_bootstraps(network, literal, no_grid, placer, placer.place({1}).or_refuse(), contractions);
  EXPECT_EQ(made.network.values.size(), 4u);
  return std::get<Function>(made.network.values.at(3).operation).coefficients;
}

TEST(PlaceBootstraps, ASeriesOfAnyDegreeIsUnbent) {
  const params::CkksLiteral literal = params::insecure_on_small_ring("S8", 11);
  const params::BootstrapSchedule schedule = params::plan_bootstrap(literal, {.form = params::BootstrapForm::folded});
  for (const int degree : {1, 3, 7, 31}) {
    std::vector<double> series;
    for (int k = 0; k <= degree; ++k) series.push_back(k % 2 == 1 ? 1.0 / (k + 1) : 0);
    const std::vector<double> made = unbent(literal, series);
    ASSERT_EQ(made.size(), series.size());
    for (std::size_t k = 0; k < made.size(); k += 2) EXPECT_EQ(made[k], 0) << "an odd series stays odd";
    for (double x = -1; x <= 1; x += 0.0625)
      EXPECT_NEAR(approximate::evaluate(made, schedule.result(x)), approximate::evaluate(series, x), 5e-4)
          << degree << " " << x;
  }
}

// Beyond 1 a series of degree 510 grows by 10^12, and the series in y must not follow it there.
TEST(PlaceBootstraps, ASeriesOfHighDegreeIsUnbentWithoutExploding) {
  const params::CkksLiteral literal = params::insecure_on_small_ring("S8", 11);
  const params::BootstrapSchedule schedule = params::plan_bootstrap(literal, {.form = params::BootstrapForm::folded});
  const approximate::Samples relu = [](std::span<const double> points) {
    std::vector<double> values;
    for (const double x : points) values.push_back(std::max(x - 0.05, 0.0));
    return values;
  };
  for (const int degree : {14, 62, 126, 254, 510}) {
    const std::vector<double> series = approximate::interpolate(relu, degree), made = unbent(literal, series);
    for (const double c : made) EXPECT_LT(std::abs(c), 1) << degree;
    double worst = 0;
    for (int k = 0; k <= 4000; ++k) {
      const double x = k / 2000.0 - 1;
      worst =
          std::max(worst, std::abs(approximate::evaluate(made, schedule.result(x)) - approximate::evaluate(series, x)));
    }
    EXPECT_LT(worst, 5e-5) << degree;
  }
}

// Eight rows of four columns, of which a window of three rows reads all, the first seven and the last seven.
TEST(PlaceBootstraps, APartThatReadsAllRowsNeedsNoSlice) {
  const params::CkksLiteral literal = params::insecure_on_small_ring("S8", 11);
  const Shape shape{1, 1, 8, 4};
  const layout::WindowAxis rows{.kernel = 3, .pad_begin = 1, .pad_end = 1};
  const auto window = std::make_shared<layout::Convolution>(shape, shape, std::vector<layout::WindowAxis>{rows, {}}, 1,
                                                            std::vector<double>(3, 1.0));
  Network network;
  network.add({.operation = Private{}, .shape = shape, .node = "x", .op = "Input", .range = {}});
  network.outputs = {
      network.add({.operation = Affine{{{0, window}}}, .shape = shape, .node = "w", .op = "Conv", .range = {}})};
  std::optional<FeatureGrid> grid = FeatureGrid{.kind = GridKind::tight, .slots = 32, .pitch = 4, .cell = 1};
  grid->maps.assign(2, {shape, {1, 1}});
  RowSlices slices;
  const BootstrapPlacer placer(network, literal, 0, grid, slices);
  ContractionPlans contractions;
  const Refreshed made = place_bootstraps(network, literal, grid, placer, placer.place().or_refuse(), contractions);
  ASSERT_EQ(made.network.values.size(), 4u) << "two slices beside what there was";
  std::vector<std::int64_t> heights;
  for (const AffineTerm& term : std::get<Affine>(made.network.values.back().operation).terms)
    heights.push_back(made.network.values[term.input].shape[2]);
  EXPECT_EQ(heights, (std::vector<std::int64_t>{8, 7, 7}));
  EXPECT_EQ(made.origins, (std::vector<ValueId>{0, 1, 1, 1}));
}

}  // namespace
}  // namespace tacit::graph::passes
