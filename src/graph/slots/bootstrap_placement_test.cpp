#include "graph/slots/bootstrap_placement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "base/refusal_for_test.h"

namespace tacit::graph::passes {
namespace {

const Shape kMap{1, 2, 4, 4};

/// An input, `before` linear maps, a function, and `behind` linear maps.
Network around_a_function(int before, int behind) {
  Network network;
  const auto add = [&](auto operation) {
    return network.add({.operation = std::move(operation), .shape = kMap, .node = "n", .op = "Op", .range = {}});
  };
  const auto maps = [&](ValueId x, int count) {
    for (int i = 0; i < count; ++i) x = add(Affine{{{x, nullptr}}, layout::RepeatedReals{0}});
    return x;
  };
  Function function;
  function.input = maps(add(Private{}), before);
  function.coefficients.assign(8, 1.0);
  network.outputs = {maps(add(std::move(function)), behind)};
  return network;
}

// A map that a function reads is cleaned between guards, which takes a level. It is refreshed if the later levels
// exceed those that fresh inputs have left.
TEST(BootstrapPlacement, AMapIsRefreshedWhereTheLevelsOfInputsDoNotLast) {
  const params::CkksLiteral literal = params::named_literal("S8");
  const params::BootstrapChain chain = params::chain_of(literal);
  const int fresh = params::highest_fresh_level(literal);
  int refreshed = 0, left = 0;
  for (const bool guarded : {false, true})
    for (int before = 1; before + chain.input + 1 <= fresh; ++before)
      for (int behind = 0; behind <= chain.output; ++behind) {
        const Network network = around_a_function(before, behind);
        const auto read = static_cast<ValueId>(before);
        const int level = behind + depth_of_value(network.values[read + 1]), cleaning = guarded ? 1 : 0;
        if (level > chain.output) continue;
        std::optional<FeatureGrid> grid;
        if (guarded)
          grid = FeatureGrid{.kind = GridKind::guarded,
                             .slots = 1024,
                             .pitch = 5,
                             .cell = 2,
                             .maps = std::vector<FeatureMap>(network.values.size(), FeatureMap{kMap, 1})};
        RowSlices slices;
        const BootstrapPlacer placer(network, literal, 0, grid, slices);
        for (ValueId id = 0; id < network.values.size(); ++id) {
          EXPECT_EQ(placer.can_be_refreshed(id), id == read);
          EXPECT_EQ(placer.read_by_function(id), id == read);
          EXPECT_EQ(placer.cleaned(id), guarded && id == read);
          EXPECT_FALSE(placer.sliced(id, 0));
        }
        const BootstrapPlacement placement = placer.place().or_refuse();
        const bool expected = level + cleaning + before > fresh;
        SCOPED_TRACE(std::to_string(before) + " maps before, " + std::to_string(behind) + " behind");
        EXPECT_EQ(placement.refreshed[read] != 0, expected);
        EXPECT_EQ(placement.ends[read], level);
        EXPECT_EQ(placement.levels[read], expected ? chain.input : level);
        EXPECT_EQ(placement.levels[0], placement.levels[read] + before + cleaning);
        ++(expected ? refreshed : left);
        // With `early`, it is refreshed in any case.
        EXPECT_NE(placer.place({read}).or_refuse().refreshed[read], 0);
      }
  EXPECT_GT(refreshed, 0);
  EXPECT_GT(left, 0);
}

TEST(BootstrapPlacement, WhatFollowsABootstrapFitsItsLevels) {
  const params::CkksLiteral literal = params::named_literal("S8");
  const int output = params::chain_of(literal).output;
  const std::optional<FeatureGrid> no_grid;
  const auto placed = [&](int behind, int output_level) {
    const Network network = around_a_function(1, behind);
    RowSlices slices;
    return base::refusal([&] { BootstrapPlacer(network, literal, output_level, no_grid, slices).place().or_refuse(); });
  };
  const int depth = depth_of_value(around_a_function(1, 0).values[2]);
  EXPECT_EQ(placed(output - depth, 0), base::kNotRefused);
  EXPECT_THAT(placed(output - depth + 1, 0),
              testing::HasSubstr("what follows node 'n' (Op) needs " + std::to_string(output + 1) +
                                 " levels before the next bootstrap, and parameter set S8 has " +
                                 std::to_string(output) + " after one"));
  EXPECT_EQ(placed(output - depth - 2, 2), base::kNotRefused);
  EXPECT_THAT(placed(output - depth - 1, 2), testing::HasSubstr("needs " + std::to_string(output + 1) + " levels"));
}

// A sum of an input, which has spare levels, and a function's result, which has few.
TEST(BootstrapPlacement, TheRoomOfASumIsThatOfItsPoorestOperand) {
  const params::CkksLiteral literal = params::named_literal("S8");
  const params::BootstrapChain chain = params::chain_of(literal);
  const std::optional<FeatureGrid> no_grid;
  const auto refreshed = [&](int behind, bool function_first) {
    Network network;
    const auto add = [&](auto operation) {
      return network.add({.operation = std::move(operation), .shape = kMap, .node = "n", .op = "Op", .range = {}});
    };
    const auto series = [&](ValueId input) {
      Function function;
      function.input = input;
      function.coefficients.assign(8, 1.0);  // three levels
      return add(std::move(function));
    };
    const ValueId x = add(Private{});
    const ValueId made = series(add(Affine{{{x, nullptr}}}));
    const ValueId one = function_first ? made : x, other = function_first ? x : made;
    const ValueId sum = add(Affine{{{one, nullptr}, {other, nullptr}}});
    ValueId y = series(sum);
    for (int i = 0; i < behind; ++i) y = add(Affine{{{y, nullptr}}});
    add(Private{1});  // nobody reads it
    network.outputs = {y};
    RowSlices slices;
    const BootstrapPlacement placement = BootstrapPlacer(network, literal, 0, no_grid, slices).place().or_refuse();
    EXPECT_EQ(placement.levels.back(), 0);
    EXPECT_EQ(placement.ends.back(), 0);
    return placement.refreshed[sum] != 0;
  };
  const int spare = chain.output - 3 - 3 - 1;  // behind two series and the sum
  ASSERT_GE(spare, 0);
  for (const bool function_first : {false, true}) {
    EXPECT_FALSE(refreshed(spare, function_first));
    EXPECT_TRUE(refreshed(spare + 1, function_first));
  }
}

}  // namespace
}  // namespace tacit::graph::passes
