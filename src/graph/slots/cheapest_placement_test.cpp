#include "graph/slots/cheapest_placement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "graph/compile.h"
#include "graph/passes/deep_network_for_test.h"
#include "graph/reference/run.h"
#include "params/small_ring_for_test.h"
#include "program/slots/clear_program.h"

namespace tacit::graph::passes {
namespace {

constexpr std::int64_t kNarrow = 8, kWide = 4096;

/// An input, then `layers` layers of an affine value and a function of three levels, which are alternately narrow and
/// wide, and then scores.
Network alternating(int layers, bool wide_first) {
  Network network;
  const auto add = [&](auto operation, std::int64_t width) {
    Value value;
    value.operation = std::move(operation);
    value.shape = {1, width};
    return network.add(std::move(value));
  };
  ValueId x = add(Private{}, kNarrow);
  for (int layer = 0; layer < layers; ++layer) {
    const std::int64_t width = (layer % 2 == 0) == wide_first ? kWide : kNarrow;
    x = add(Affine{{{x, nullptr}}, layout::RepeatedReals{0}}, width);
    Function function;
    function.input = x;
    function.coefficients.assign(8, 1.0);
    x = add(std::move(function), width);
  }
  network.outputs = {add(Affine{{{x, nullptr}}, layout::RepeatedReals{0}}, 3)};
  return network;
}

/// One second per refreshed element.
double elements(const Network& network, const BootstrapPlacement& placement) {
  double sum = 0;
  for (ValueId id = 0; id < network.values.size(); ++id)
    if (placement.refreshed[id]) sum += static_cast<double>(network.values[id].shape[1]);
  return sum;
}

// S8 has eight levels between bootstraps, for two layers of four levels.
TEST(CheapestPlacement, OneEarlyRefreshMovesAllBeforeItToTheNarrowLayers) {
  const params::CkksLiteral literal = params::named_literal("S8");
  const std::optional<FeatureGrid> no_grid;
  for (const bool wide_first : {false, true}) {
    const Network network = alternating(12, wide_first);
    RowSlices slices;
    const BootstrapPlacer placer(network, literal, 0, no_grid, slices);
    const auto price = [&](const BootstrapPlacement& placement) { return elements(network, placement); };
    const BootstrapPlacement cheapest = placer.place(worth_refreshing_early(placer, price)).or_refuse();
    for (ValueId id = 0; id < network.values.size(); ++id)
      EXPECT_TRUE(!cheapest.refreshed[id] || network.values[id].shape[1] == kNarrow) << id;
    EXPECT_LE(price(cheapest), 6 * kNarrow);
    EXPECT_GE(price(cheapest), 4 * kNarrow);
  }
}

TEST(CheapestPlacement, TheLatestRefreshesStayWhereAllCostTheSame) {
  const Network network = alternating(12, true);
  RowSlices slices;
  const std::optional<FeatureGrid> no_grid;
  const params::CkksLiteral literal = params::named_literal("S8");
  const BootstrapPlacer placer(network, literal, 0, no_grid, slices);
  EXPECT_TRUE(worth_refreshing_early(placer, [](const BootstrapPlacement& placement) {
                return static_cast<double>(std::ranges::count(placement.refreshed, 1));
              }).empty());
}

TEST(CheapestPlacement, LevelsFollowAnEarlyRefresh) {
  const Network network = alternating(4, true);  // values 1, 3, 5 and 7 are read by functions
  RowSlices slices;
  const std::optional<FeatureGrid> no_grid;
  const params::CkksLiteral literal = params::named_literal("S8");
  const BootstrapPlacer placer(network, literal, 0, no_grid, slices);
  const BootstrapPlacement latest = placer.place().or_refuse(), early = placer.place({7}).or_refuse();
  EXPECT_EQ(latest.levels[7], 4);
  EXPECT_FALSE(latest.refreshed[7]);
  EXPECT_TRUE(early.refreshed[7]);
  EXPECT_EQ(early.ends[7], 4);    // of its bootstrap: a function and the scores' map
  EXPECT_EQ(early.levels[7], 3);  // where slots to coefficients begin
  EXPECT_EQ(early.levels[5], 7);
}

std::int64_t refreshed_ciphertexts(const slots::Program& program) {
  std::int64_t sum = 0;
  for (const slots::Instruction& instruction : program.instructions)
    if (std::holds_alternative<slots::Bootstrap>(instruction.operation)) sum += instruction.layout.ciphertexts();
  return sum;
}

// On S15 two layers of degree 31 fit between bootstraps.
TEST(CheapestPlacement, ACompiledNetworkRefreshesItsNarrowLayersAndIsAsRight) {
  CompileOptions options;
  options.calibration = deep_samples(40, kNarrow, 5);
  options.max_degree = 31;
  options.parameters = params::insecure_on_small_ring("S15", 11);  // a wide layer takes four ciphertexts
  struct Case {
    std::vector<std::int64_t> widths;
    std::int64_t latest;  // ciphertexts that the latest bootstraps refresh
  };
  for (const auto& [widths, ciphertexts] :
       {Case{{8, 4096, 8, 4096, 8, 4096, 8}, 2}, Case{{8, 8, 4096, 8, 4096, 8, 4096}, 8}}) {
    const Graph graph = deep_perceptron(widths);
    CompileOptions late = options;
    late.passes.skipped = {"place-by-price"};
    const CompiledModel model = compile(graph, options), latest = compile(graph, late);
    EXPECT_EQ(refreshed_ciphertexts(model.program), 2);
    EXPECT_EQ(refreshed_ciphertexts(latest.program), ciphertexts);
    const slots::ClearProgram early_run(model.program), late_run(latest.program);
    for (const auto& sample : deep_samples(5, kNarrow, 77)) {
      const std::vector<double> expected = reference::run(graph, sample).at(0).data;
      const auto of_early = from_units(model.client.outputs[0], early_run.run({sample[0].data}).at(0));
      const auto of_late = from_units(latest.client.outputs[0], late_run.run({sample[0].data}).at(0));
      for (std::size_t i = 0; i < expected.size(); ++i) {
        EXPECT_NEAR(of_early[i], expected[i], 0.05);
        EXPECT_NEAR(of_late[i], expected[i], 0.05);
      }
    }
  }
}

// Functions read the values 1, 3, 5 and 7. Value 5 is refreshed in any case.
TEST(CheapestPlacement, AGainIsMoreThanAHundredthAndOfEqualOnesTheFirst) {
  const Network network = alternating(4, true);
  RowSlices slices;
  const std::optional<FeatureGrid> no_grid;
  const params::CkksLiteral literal = params::named_literal("S8");
  const BootstrapPlacer placer(network, literal, 0, no_grid, slices);
  const BootstrapPlacement latest = placer.place().or_refuse();
  ASSERT_EQ(latest.refreshed, (std::vector<char>{0, 0, 0, 0, 0, 1, 0, 0, 0, 0}));
  const auto early_for = [&](double seconds) {
    return worth_refreshing_early(placer, [&](const BootstrapPlacement& placement) {
      return placement.refreshed[1] != 0 || placement.refreshed[7] != 0 ? seconds : 100.0;
    });
  };
  EXPECT_EQ(early_for(98.9), std::set<ValueId>{1});
  EXPECT_EQ(early_for(99), std::set<ValueId>{}) << "a hundredth is within what prices are off by";
}

}  // namespace
}  // namespace tacit::graph::passes
