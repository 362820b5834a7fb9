#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "base/refusal_for_test.h"
#include "graph/slots/cheapest_lowering.h"
#include "layout/sparse_rows.h"
#include "params/bootstrap_chain.h"
#include "program/slots/levels.h"

// The decision to bootstrap when the user gives no set, and the set that is taken.
namespace tacit::graph::passes {
namespace {

const ProgramNames kDeepNames{"deep", {"x"}, {"y"}};

/// `layers` squares of dense maps, on `size` numbers. Each map after the first of a layer takes a separate level.
Network deep_squares(int layers, std::int64_t size, int maps = 1) {
  const Shape shape{1, size};
  const auto dense =
      std::make_shared<layout::SparseRows>(shape, shape, [&](layout::Index row, layout::RowEntries& all) {
        for (layout::Index column = 0; column < size; ++column)
          all.add(column, (1 + 0.01 * static_cast<double>((7 * row + 13 * column) % 11)) / static_cast<double>(size));
      });
  Network network;
  const auto add = [&](auto operation) {
    return network.add({.operation = std::move(operation), .shape = shape, .node = "n", .op = "Op", .range = {-1, 1}});
  };
  ValueId x = add(Private{});
  for (int layer = 0; layer < layers; ++layer) {
    for (int map = 0; map < maps; ++map) x = add(Affine{{{x, dense}}});
    x = add(Product{x, x});
  }
  network.outputs = {x};
  return network;
}

/// The seconds by tried set, from the explained lines of name, ring, seconds and bytes.
struct Trial {
  Lowered lowered;
  std::map<std::string, double> seconds;
  std::size_t lines = 0;

  double least(bool bootstraps) const {
    double result = INFINITY;
    for (const auto& [name, of_set] : seconds)
      if ((name.find("S") != std::string::npos) == bootstraps) result = std::min(result, of_set);
    return result;
  }
};

CompileOptions on_samples() {
  CompileOptions options;
  options.calibration = {{{{1, 2}, {0.5, 1}, false}}};
  options.passes.skipped = {"less-memory"};
  return options;
}

Trial trial_of(const Network& network) {
  CompileOptions options = on_samples();
  std::string text;
  options.passes.explained = {"search"};
  options.passes.explain = [&](const std::string&, const std::string& said) { text += said; };
  Trial run;
  run.lowered = cheapest_lowering(network, options, kDeepNames, {}, 0, base::Progress::silent()).or_refuse();
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.find(" GB: ") == std::string::npos) continue;  // what could not be lowered to
    ++run.lines;
    run.seconds[line.substr(0, line.find(" (N"))] = std::stod(line.substr(line.find("): ") + 3));
  }
  return run;
}

// A set whose highest levels nothing reaches is taken without these levels.
TEST(ChosenBootstraps, ANetworkTooDeepForLevelsHasTheCheapestSetWithoutSpareLevels) {
  for (const int maps : {1, 2}) {
    const Network network = deep_squares(maps == 1 ? 30 : 20, 2, maps);
    ASSERT_FALSE(literal_for(kLargestLogN, {depth_of(network), false, 10}));
    const Trial run = trial_of(network);
    EXPECT_EQ(run.seconds.size(), run.lines) << "each is tried once";
    const std::string& taken = run.lowered.literal.name;
    ASSERT_TRUE(run.lowered.literal.bootstrap);
    EXPECT_EQ(run.seconds.at(taken), run.least(true));
    const std::string base = taken.substr(0, taken.find(' '));
    const params::CostTable costs;
    const int reached = slots::message_levels_needed(
        Lowering(network, kDeepNames, costs).lower(params::named_literal(base)).or_refuse().program);
    if (reached < params::chain_of(params::named_literal(base)).output) {
      EXPECT_EQ(taken, base + " to level " + std::to_string(reached));
      EXPECT_EQ(params::chain_of(run.lowered.literal).output, reached);
    } else {
      EXPECT_EQ(taken, base);
    }
  }
}

// Only the largest ring has thirty levels.
TEST(ChosenBootstraps, WhereLevelsAreEnoughTheCheaperOfBothIsTaken) {
  for (const std::int64_t size : {2, 256}) {
    const Network network = deep_squares(15, size);
    ASSERT_FALSE(literal_for(15, {30, false, 10}));
    const Trial run = trial_of(network);
    ASSERT_TRUE(run.seconds.contains("N16-d30"));
    ASSERT_GE(run.seconds.size(), 2u);
    EXPECT_EQ(run.lowered.literal.bootstrap.has_value(), run.least(true) < run.least(false)) << size;
  }
}

TEST(ChosenBootstraps, WhatFitsNeitherLevelsNorMemoryIsRefusedByWhatItLacks) {
  const Network network = deep_squares(30, 2);
  CompileOptions small = on_samples(), unknown;
  small.memory.bytes = 1000;
  const auto said = [&](const CompileOptions& options) {
    return base::refusal(
        [&] { cheapest_lowering(network, options, kDeepNames, {}, 0, base::Progress::silent()).or_refuse(); });
  };
  EXPECT_THAT(said(small), testing::HasSubstr("keys, weights and ciphertexts of model 'deep' need"));
  EXPECT_THAT(said(unknown), testing::HasSubstr("the network needs 60 levels"));
}

}  // namespace
}  // namespace tacit::graph::passes
