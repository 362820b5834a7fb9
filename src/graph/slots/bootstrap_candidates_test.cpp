#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/refusal_for_test.h"
#include "graph/slots/bootstrap_placement.h"
#include "layout/operators/window.h"

// The values that a placer of bootstraps may refresh, and the levels of cleaning and slices.
namespace tacit::graph::passes {
namespace {

using layout::Index;

ValueId put(Network& network, decltype(Value::operation) operation, Shape shape, const Range& range = {}) {
  const std::string node = fmt::format("n{}", network.values.size());
  return network.add(
      {.operation = std::move(operation), .shape = std::move(shape), .node = node, .op = "Op", .range = range});
}

Affine read(ValueId input) { return {{{input, nullptr}}}; }

std::set<ValueId> can_be_refreshed(const Network& network) {
  const std::optional<FeatureGrid> no_grid;
  const params::CkksLiteral literal = params::named_literal("S8");
  RowSlices slices;
  const BootstrapPlacer placer(network, literal, 0, no_grid, slices);
  std::set<ValueId> result;
  for (ValueId id = 0; id < network.values.size(); ++id)
    if (placer.can_be_refreshed(id)) result.insert(id);
  return result;
}

TEST(BootstrapCandidates, WithoutFunctionsAreAffineOperandsOfProductsWithinOne) {
  const Shape shape{1, 2};
  Network network;
  put(network, Private{}, shape, {-1, 1});
  put(network, read(0), shape, {-1, 0.5});  // 1: a left operand within 1
  put(network, read(0), shape, {-0.5, 1});  // 2: a right one
  put(network, read(0), shape, {-1.001, 0});
  put(network, read(0), shape);  // 4: nobody knows
  put(network, read(0), shape, {-1, 1});
  put(network, Product{1, 2}, shape, {-1, 1});  // 6
  put(network, Product{3, 4}, shape, {-1, 1});
  put(network, Product{6, 0}, shape, {-1, 1});
  put(network, Product{5, 5}, shape, {-1, 1});  // of an output
  network.outputs = {5, 7, 8, 9};
  EXPECT_EQ(can_be_refreshed(network), (std::set<ValueId>{1, 2}));
  // With a function anywhere, its input is the only candidate.
  Function function;
  function.input = 4;
  function.coefficients.assign(4, 1.0);
  put(network, std::move(function), shape);
  EXPECT_EQ(can_be_refreshed(network), (std::set<ValueId>{4}));
}

// An input, a chain of windows, and a function, on a tight grid.
struct OnTightGrid {
  Network network;
  std::optional<FeatureGrid> grid;
  RowSlices slices;
  params::CkksLiteral literal = params::named_literal("S8");

  OnTightGrid(Index channels, Index kernel, Index padding, Index stride, Index slots, Index spread = 1,
              int windows = 1) {
    Shape shape{1, channels, 8, 8};
    Index gap = 1;
    grid = FeatureGrid{.kind = GridKind::tight, .slots = slots, .pitch = 8, .cell = 1, .spread = spread};
    grid->maps.push_back({shape, {gap, 1}});
    ValueId x = put(network, Private{}, shape);
    const layout::WindowAxis rows{.kernel = kernel, .stride = stride, .pad_begin = padding, .pad_end = padding};
    for (int i = 0; i < windows; ++i) {
      const Shape in = shape;
      shape[2] = (in[2] + 2 * padding - kernel) / stride + 1;
      gap *= stride;
      auto window =
          std::make_shared<layout::Convolution>(in, shape, std::vector<layout::WindowAxis>{rows, {}}, channels,
                                                std::vector<double>(static_cast<std::size_t>(channels * kernel), 1.0));
      x = put(network, Affine{{{x, std::move(window)}}}, shape);
      grid->maps.push_back({shape, {gap, 1}});
    }
    Function function;
    function.input = x;
    function.coefficients.assign(8, 1.0);
    network.outputs = {put(network, std::move(function), shape)};
    grid->maps.push_back(grid->maps.back());
  }
  BootstrapPlacer placer(int output_level = 0) { return {network, literal, output_level, grid, slices}; }
};

// 64 slots hold the eight rows of a map. 128 slots also hold as many free rows, in which a window may leave numbers.
TEST(BootstrapCandidates, AMapOnATightGridIsCleanedWhereThatSavesItsSlices) {
  const auto kind = [](OnTightGrid at) {
    const BootstrapPlacer placer = at.placer();
    EXPECT_FALSE(placer.cleaned(0));
    EXPECT_FALSE(placer.cleaned(2));
    return std::string(placer.cleaned(1) ? "cleaned" : "as it is") + (placer.sliced(1, 0) ? ", of slices" : "");
  };
  EXPECT_EQ(kind({1, 3, 1, 1, 64}), "as it is, of slices") << "cleaning saves none";
  EXPECT_EQ(kind({1, 3, 1, 1, 128}), "cleaned");
  EXPECT_EQ(kind({1, 1, 0, 1, 128}), "as it is") << "one row reads one row";
  EXPECT_EQ(kind({1, 1, 0, 1, 64}), "as it is");
  EXPECT_EQ(kind({2, 1, 0, 1, 64}), "as it is");
  EXPECT_EQ(kind({2, 1, 0, 1, 128, 2}), "cleaned") << "channels share rows";
  EXPECT_EQ(kind({1, 1, 0, 1, 128, 2}), "as it is") << "one channel shares none";
  EXPECT_EQ(kind({1, 2, 0, 2, 64}), "as it is") << "a row for every second one";
  EXPECT_EQ(kind({1, 3, 0, 2, 64}), "cleaned") << "three rows for eight";
}

TEST(BootstrapCandidates, ASliceTakesALevelAsCleaningDoes) {
  for (const Index slots : {64, 128}) {
    OnTightGrid at(1, 3, 1, 1, slots);
    const BootstrapPlacer placer = at.placer();
    const BootstrapPlacement placement = placer.place().or_refuse();
    EXPECT_FALSE(placement.refreshed[1]);
    EXPECT_EQ(placement.levels, (std::vector<int>{5, 3, 0})) << "a function of three, a map, and a slice";
    EXPECT_EQ(placement.ends, (std::vector<int>{5, 3, 0}));
    EXPECT_EQ(placer.parts(1, 0).size(), slots == 64 ? 3u : 1u);
    EXPECT_FALSE(placer.sliced(1, 1)) << "there is no such operand";
    const BootstrapPlacement early = placer.place({1}).or_refuse();
    const int input = params::chain_of(at.literal).input;
    EXPECT_EQ(early.levels, (std::vector<int>{input + 2, input, 0}));
    EXPECT_EQ(early.ends, (std::vector<int>{input + 2, 3, 0}));
  }
}

// Four windows of two levels each are between the input and the function. S8 has 17 levels for them, and 11 of these
// follow a bootstrap.
TEST(BootstrapCandidates, SlicesAndCleaningAreCountedWhereLevelsRunOut) {
  for (const Index slots : {64, 128}) {
    OnTightGrid at(1, 3, 1, 1, slots, 1, 4);
    const params::BootstrapChain chain = params::chain_of(at.literal);
    const int fresh = params::highest_fresh_level(at.literal);
    int refreshed = 0, left = 0;
    for (int behind = 0; behind + 3 <= chain.output; ++behind) {
      const BootstrapPlacer placer = at.placer(behind);
      EXPECT_EQ(placer.cleaned(4), slots == 128);
      const BootstrapPlacement placement = placer.place().or_refuse();
      const bool expected = behind + 3 + 4 * 2 > fresh;
      EXPECT_EQ(placement.refreshed[4] != 0, expected) << slots << " " << behind;
      EXPECT_EQ(placement.ends[4], behind + 3);
      EXPECT_EQ(placement.levels[0], (expected ? chain.input : behind + 3) + 4 * 2);
      ++(expected ? refreshed : left);
    }
    EXPECT_GT(refreshed, 0);
    EXPECT_GT(left, 0);
  }
}

// A value that is linear in an input may use the levels above those of messages, and no more.
TEST(BootstrapCandidates, LinearMapsOfInputsEndAtTheHighestFreshLevel) {
  const params::CkksLiteral literal = params::named_literal("S8");
  const int fresh = params::highest_fresh_level(literal), output = params::chain_of(literal).output;
  ASSERT_GT(fresh, output);
  const std::optional<FeatureGrid> no_grid;
  const auto placed = [&](int maps, int output_level) {
    Network network;
    ValueId x = put(network, Private{}, {1, 2});
    for (int i = 0; i < maps; ++i) x = put(network, read(x), {1, 2});
    network.outputs = {x};
    RowSlices slices;
    return base::refusal([&] {
      const BootstrapPlacement placement =
          BootstrapPlacer(network, literal, output_level, no_grid, slices).place().or_refuse();
      EXPECT_EQ(placement.levels[0], maps + output_level);
      EXPECT_EQ(placement.ends[x], output_level);
    });
  };
  EXPECT_EQ(placed(fresh, 0), base::kNotRefused);
  EXPECT_EQ(placed(fresh - 2, 2), base::kNotRefused);
  // The last value that is above the messages' levels, and whose way from the input is longer than there are levels.
  const std::string words = fmt::format(
      "what follows node 'n{}' (Op) needs {} levels before the next bootstrap, and parameter set S8 has {} "
      "after one: use a set with more levels, or lower degrees (--max-degree)",
      fresh - output, output + 1, output);
  EXPECT_EQ(placed(fresh + 1, 0), words);
  EXPECT_EQ(placed(fresh - 1, 2), words);
}

// A product reads its operands at the levels of messages.
TEST(BootstrapCandidates, ProductsOfInputsHaveTheLevelsOfMessages) {
  const params::CkksLiteral literal = params::named_literal("S8");
  const int output = params::chain_of(literal).output;
  const std::optional<FeatureGrid> no_grid;
  const auto placed = [&](int behind) {
    Network network;
    put(network, Private{}, {1, 2});
    put(network, read(0), {1, 2}, {-2, 2});
    network.outputs = {put(network, Product{1, 1}, {1, 2})};
    RowSlices slices;
    return base::refusal([&] { BootstrapPlacer(network, literal, behind, no_grid, slices).place().or_refuse(); });
  };
  EXPECT_EQ(placed(output - 1), base::kNotRefused);
  EXPECT_THAT(placed(output),
              testing::HasSubstr(fmt::format("what follows node 'n1' (Op) needs {} levels", output + 1)));
}

}  // namespace
}  // namespace tacit::graph::passes
