#include <gtest/gtest.h>

#include <map>
#include <set>
#include <vector>

#include "graph/slots/cheapest_placement.h"

// The early refreshes that prices justify.
namespace tacit::graph::passes {
namespace {

/// An input, then `count` layers of a linear map and a function, and scores. ValueSet 1, 3, 5 ... can be refreshed.
Network layers(int count) {
  Network network;
  const auto add = [&](auto operation) {
    Value value;
    value.operation = std::move(operation);
    value.shape = {1, 4};
    return network.add(std::move(value));
  };
  ValueId x = add(Private{});
  for (int layer = 0; layer < count; ++layer) {
    Function function;
    function.input = add(Affine{{{x, nullptr}}, layout::RepeatedReals{0}});
    function.coefficients.assign(2, 1.0);  // a level
    x = add(std::move(function));
  }
  network.outputs = {add(Affine{{{x, nullptr}}, layout::RepeatedReals{0}})};
  return network;
}

using ValueSet = std::set<ValueId>;

/// The values that are refreshed.
ValueSet refreshed_in(const BootstrapPlacement& placement) {
  ValueSet values;
  for (ValueId id = 0; id < placement.refreshed.size(); ++id)
    if (placement.refreshed[id]) values.insert(id);
  return values;
}

/// Returns the values that are worth refreshing early. These sets of refreshed values have these prices, and all others
/// 1000. `asked` receives the number of prices.
ValueSet worth_it(int count, const std::map<ValueSet, double>& prices, int* asked = nullptr) {
  const Network network = layers(count);
  const std::optional<FeatureGrid> no_grid;
  const params::CkksLiteral literal = params::named_literal("S8");
  RowSlices slices;
  const BootstrapPlacer placer(network, literal, 0, no_grid, slices);
  return worth_refreshing_early(placer, [&](const BootstrapPlacement& placement) {
    if (asked != nullptr) ++*asked;
    const auto found = prices.find(refreshed_in(placement));
    return found == prices.end() ? 1000.0 : found->second;
  });
}

// Two layers need no refresh: any is early.
TEST(EarlyRefreshes, AreTakenWhereTheySaveMoreThanAHundredth) {
  EXPECT_EQ(worth_it(2, {{{}, 100}, {{3}, 98.9}}), ValueSet{3});
  EXPECT_EQ(worth_it(2, {{{}, 100}, {{3}, 99.1}}), ValueSet{});
  EXPECT_EQ(worth_it(2, {{{}, 100}, {{3}, 101}}), ValueSet{});
  EXPECT_EQ(worth_it(2, {{{}, 100}, {{1}, 50}, {{3}, 60}}), ValueSet{1}) << "the best";
  EXPECT_EQ(worth_it(2, {{{}, 100}, {{1}, 60}, {{3}, 50}}), ValueSet{3});
}

TEST(EarlyRefreshes, AreAddedOneByOneAndTakenBackWhereThatIsCheaper) {
  EXPECT_EQ(worth_it(3, {{{}, 100}, {{1}, 80}, {{3}, 90}, {{1, 3}, 70}, {{1, 3, 5}, 69.5}}), (ValueSet{1, 3}));
  EXPECT_EQ(worth_it(3, {{{}, 100}, {{1}, 80}, {{3}, 90}, {{1, 3}, 70}, {{1, 3, 5}, 60}}), (ValueSet{1, 3, 5}));
  EXPECT_EQ(worth_it(3, {{{}, 100}, {{1}, 80}, {{3}, 90}, {{1, 3}, 70}, {{3, 5}, 60}, {{1, 3, 5}, 65}}),
            (ValueSet{3, 5}))
      << "the first, which two others make needless";
}

TEST(EarlyRefreshes, AreNotPricedWhereNothingCanBeRefreshedEarlier) {
  int asked = 0;
  EXPECT_EQ(worth_it(0, {}, &asked), ValueSet{});
  EXPECT_EQ(asked, 0);
  EXPECT_EQ(worth_it(1, {}, &asked), ValueSet{});
  EXPECT_EQ(asked, 2) << "none, and the one";
}

}  // namespace
}  // namespace tacit::graph::passes
