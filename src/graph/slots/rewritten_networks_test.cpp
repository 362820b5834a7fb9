#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "graph/approximate/chebyshev.h"
#include "graph/slots/place_bootstraps.h"
#include "layout/operators/window.h"
#include "params/bootstrap_schedule.h"

// Networks with the refreshes, the cleaned maps and the slices of a placement, value by value.
namespace tacit::graph::passes {
namespace {

using layout::Index;
using Ids = std::vector<ValueId>;

ValueId append(Network& network, decltype(Value::operation) operation, Shape shape, const Range& range = {}) {
  return network.add({.operation = std::move(operation),
                      .shape = std::move(shape),
                      .node = std::string("n").append(std::to_string(network.values.size())),
                      .op = "Op",
                      .range = range});
}

Affine reads(ValueId input) { return {{{input, nullptr}}}; }

Function series(ValueId input, std::vector<double> coefficients) {
  Function function;
  function.input = input;
  function.coefficients = std::move(coefficients);
  return function;
}

/// With the latest refreshes, and those of `early`, on S8.
Refreshed rewritten(const Network& network, const std::optional<FeatureGrid>& grid, const std::set<ValueId>& early) {
  const params::CkksLiteral literal = params::named_literal("S8");
  RowSlices slices;
  const BootstrapPlacer placer(network, literal, 0, grid, slices);
  ContractionPlans contractions;
  return place_bootstraps(network, literal, grid, placer, placer.place(early).or_refuse(), contractions);
}

const Affine& affine_of(const Refreshed& made, ValueId id) {
  return std::get<Affine>(made.network.values.at(id).operation);
}

TEST(RewrittenNetworks, ARefreshStandsBetweenAValueAndItsReaders) {
  // Halves, of even degrees alone.
  std::vector<double> coefficients(16, 0);
  for (std::size_t k = 0; k < coefficients.size(); k += 2) coefficients[k] = std::ldexp(1, -static_cast<int>(k));
  Network network;
  append(network, Private{}, {1, 4});
  append(network, reads(0), {1, 4}, {-0.5, 0.75});
  append(network, series(1, coefficients), {1, 4});
  append(network, series(0, coefficients), {1, 4});
  network.outputs = {append(network, Affine{{{2, nullptr}, {3, nullptr}}}, {1, 4})};
  for (const bool refreshed : {false, true}) {
    const Refreshed made = rewritten(network, {}, refreshed ? std::set<ValueId>{1} : std::set<ValueId>{});
    EXPECT_FALSE(made.grid.has_value());
    if (!refreshed) {
      EXPECT_EQ(made.names, (Ids{0, 1, 2, 3, 4}));
      EXPECT_EQ(made.origins, (Ids{0, 1, 2, 3, 4}));
      EXPECT_EQ(made.network.outputs, Ids{4});
      EXPECT_EQ(std::get<Function>(made.network.values[2].operation).coefficients, coefficients);
      continue;
    }
    EXPECT_EQ(made.names, (Ids{0, 1, 3, 4, 5}));
    EXPECT_EQ(made.origins, (Ids{0, 1, 1, 2, 3, 4}));
    EXPECT_EQ(made.network.outputs, Ids{5});
    const Value& value = made.network.values[2];
    const auto& refresh = std::get<Refresh>(value.operation);
    EXPECT_EQ(refresh.input, 1u);
    EXPECT_TRUE(refresh.folded);
    EXPECT_EQ(refresh.from_level, params::chain_of(params::named_literal("S8")).input);
    EXPECT_EQ(value.node, "n1");
    EXPECT_EQ(value.range, (Range{-0.5, 0.75}));
    EXPECT_EQ(value.shape, (Shape{1, 4}));
    const auto &behind = std::get<Function>(made.network.values[3].operation),
               &beside = std::get<Function>(made.network.values[4].operation);
    EXPECT_EQ(behind.input, 2u);
    EXPECT_EQ(beside.input, 0u);
    EXPECT_EQ(beside.coefficients, coefficients) << "nothing is refreshed in front of it";
    // The series of the refreshed value includes the inverse of the sine.
    const params::BootstrapSchedule schedule =
        params::plan_bootstrap(params::named_literal("S8"), {.form = params::BootstrapForm::folded});
    ASSERT_EQ(behind.coefficients.size(), coefficients.size());
    double bent = 0, straight = 0;
    for (double x = -1; x <= 1; x += 0.125) {
      const double exact = approximate::evaluate(coefficients, x), y = schedule.result(x);
      bent = std::max(bent, std::abs(approximate::evaluate(coefficients, y) - exact));
      straight = std::max(straight, std::abs(approximate::evaluate(behind.coefficients, y) - exact));
    }
    EXPECT_GT(bent, 1e-6);
    EXPECT_LT(straight, bent / 10);
    for (std::size_t k = 1; k < coefficients.size(); k += 2) EXPECT_EQ(behind.coefficients[k], 0) << k;
    for (std::size_t k = 2; k < coefficients.size(); k += 2) EXPECT_NE(behind.coefficients[k], coefficients[k]) << k;
  }
}

TEST(RewrittenNetworks, ProductsReadWhatIsNotFolded) {
  Network network;
  append(network, Private{}, {1, 4});
  append(network, reads(0), {1, 4}, {-1, 1});
  append(network, Product{1, 1}, {1, 4});
  network.outputs = {append(network, reads(2), {1, 4})};
  const Refreshed made = rewritten(network, {}, {1});
  EXPECT_EQ(made.names, (Ids{0, 1, 3, 4}));
  EXPECT_FALSE(std::get<Refresh>(made.network.values.at(2).operation).folded);
  const auto& product = std::get<Product>(made.network.values.at(3).operation);
  EXPECT_EQ(product.left, 2u);
  EXPECT_EQ(product.right, 2u);
}

FeatureGrid guarded(std::vector<FeatureMap> maps) {
  return {.kind = GridKind::guarded, .slots = 4096, .pitch = 18, .cell = 1, .maps = std::move(maps)};
}

// Maps of 16, of 8 and of 8 columns lead to one of 8, and a function reads it.
Network sum_of_maps(Index batch) {
  const Shape wide{batch, 1, 8, 16}, narrow{batch, 1, 8, 8};
  Network network;
  append(network, Private{}, wide);
  append(network, Private{1}, narrow);
  append(network, Private{2}, narrow);
  append(network, Affine{{{0, nullptr}, {1, nullptr}, {2, nullptr}}, layout::RepeatedReals(3)}, narrow, {-1, 1});
  network.outputs = {append(network, series(3, {0, 1}), narrow)};
  return network;
}

std::optional<FeatureGrid> guarded_grid(Index batch) {
  const Shape wide{batch, 1, 8, 16}, narrow{batch, 1, 8, 8};
  return guarded({{wide, {1, 1}}, {narrow, {1, 2}}, {narrow, {1, 2}}, {narrow, {1, 2}}, {narrow, {1, 2}}});
}

TEST(RewrittenNetworks, AMapOfOneSampleIsCleanedByTheIdentity) {
  const Refreshed made = rewritten(sum_of_maps(1), guarded_grid(1), {});
  ASSERT_EQ(made.network.values.size(), 6u);
  EXPECT_EQ(made.names, (Ids{0, 1, 2, 3, 5})) << "the sum itself, before it is cleaned";
  EXPECT_EQ(made.origins, (Ids{0, 1, 2, 3, 3, 4}));
  EXPECT_EQ(affine_of(made, 3).terms.size(), 3u);
  EXPECT_TRUE(affine_of(made, 3).bias.all_equal(3));
  const Affine& clean = affine_of(made, 4);
  ASSERT_EQ(clean.terms.size(), 1u);
  EXPECT_EQ(clean.terms[0].input, 3u);
  EXPECT_TRUE(clean.terms[0].op->diagonal()->all_equal(1));
  EXPECT_TRUE(clean.bias.all_equal(0)) << "it is added once";
  EXPECT_EQ(made.network.values[4].range, (Range{-1, 1}));
  EXPECT_EQ(std::get<Function>(made.network.values[5].operation).input, 4u);
  EXPECT_EQ(made.network.outputs, Ids{5});
  ASSERT_EQ(made.grid->maps.size(), 6u);
  EXPECT_EQ(made.grid->maps[0].gaps, layout::Layout::Gaps(1, 1));
  EXPECT_EQ(made.grid->maps[0].shape, (Shape{1, 1, 8, 16}));
  for (std::size_t id = 1; id < 6; ++id) {
    EXPECT_EQ(made.grid->maps[id].gaps, layout::Layout::Gaps(1, 2)) << id;
    EXPECT_EQ(made.grid->maps[id].shape, (Shape{1, 1, 8, 8})) << id;
  }
}

TEST(RewrittenNetworks, MapsOfABatchAreSummedByTheirWidths) {
  const Refreshed made = rewritten(sum_of_maps(2), guarded_grid(2), {3});
  ASSERT_EQ(made.network.values.size(), 8u);
  EXPECT_EQ(made.names, (Ids{0, 1, 2, 5, 7})) << "the sum where the parts meet";
  EXPECT_EQ(made.origins, (Ids{0, 1, 2, 3, 3, 3, 3, 4}));
  const Affine &narrow = affine_of(made, 3), &wide = affine_of(made, 4), &sum = affine_of(made, 5);
  ASSERT_EQ(narrow.terms.size(), 2u);
  EXPECT_EQ(narrow.terms[0].input, 1u);
  EXPECT_EQ(narrow.terms[1].input, 2u);
  ASSERT_EQ(wide.terms.size(), 1u);
  EXPECT_EQ(wide.terms[0].input, 0u);
  EXPECT_TRUE(narrow.bias.all_equal(3));
  EXPECT_TRUE(wide.bias.all_equal(0));
  ASSERT_EQ(sum.terms.size(), 2u);
  EXPECT_EQ(sum.terms[0].input, 3u);
  EXPECT_EQ(sum.terms[1].input, 4u);
  EXPECT_TRUE(sum.bias.all_equal(0));
  EXPECT_EQ(std::get<Refresh>(made.network.values[6].operation).input, 5u);
  EXPECT_EQ(std::get<Function>(made.network.values[7].operation).input, 6u);
}

// A sum without terms has no parts.
TEST(RewrittenNetworks, AConstantMapOfABatchIsOnePart) {
  Network network = sum_of_maps(2);
  std::get<Affine>(network.values[3].operation).terms.clear();
  const Refreshed made = rewritten(network, guarded_grid(2), {});
  ASSERT_EQ(made.network.values.size(), 6u);
  EXPECT_EQ(made.names, (Ids{0, 1, 2, 3, 5}));
  EXPECT_TRUE(affine_of(made, 3).terms.empty());
  EXPECT_TRUE(affine_of(made, 3).bias.all_equal(3));
}

// Two windows of 3 rows reach outside the map above and below. Each reads the same slices of seven rows.
TEST(RewrittenNetworks, WindowsShareTheSlicesOfAMap) {
  const Shape shape{1, 1, 8, 8};
  const layout::WindowAxis rows{.kernel = 3, .pad_begin = 1, .pad_end = 1};
  const auto window = [&](ValueId input) {
    return Affine{
        {{input, std::make_shared<layout::Convolution>(shape, shape, std::vector<layout::WindowAxis>{rows, {}}, 1,
                                                       std::vector<double>{1, 2, 4})}},
        layout::RepeatedReals(5)};
  };
  Network network;
  append(network, Private{}, shape, {-1, 0.5});
  append(network, window(0), shape);
  append(network, window(0), shape);
  network.outputs = {append(network, window(2), shape), 1};
  const FeatureMap map{shape, 1};
  const std::optional<FeatureGrid> grid =
      FeatureGrid{.kind = GridKind::tight, .slots = 64, .pitch = 8, .cell = 1, .maps = std::vector<FeatureMap>(4, map)};
  const Refreshed made = rewritten(network, grid, {});
  // Two slices, two windows, two slices of the second one's result, and the third.
  ASSERT_EQ(made.network.values.size(), 8u);
  EXPECT_EQ(made.names, (Ids{0, 3, 4, 7}));
  EXPECT_EQ(made.origins, (Ids{0, 1, 1, 1, 2, 3, 3, 3}));
  EXPECT_EQ(made.network.outputs, (Ids{7, 3}));
  for (const ValueId slice : {1u, 2u, 5u, 6u}) {
    const Value& value = made.network.values[slice];
    EXPECT_EQ(value.shape, (Shape{1, 1, 7, 8}));
    EXPECT_EQ(made.grid->maps[slice].shape, value.shape);
    EXPECT_EQ(value.node, slice < 3 ? "n0" : "n2");
    EXPECT_EQ(value.range, slice < 3 ? (Range{-1, 0.5}) : Range{});
    ASSERT_EQ(affine_of(made, slice).terms.size(), 1u);
    EXPECT_EQ(affine_of(made, slice).terms[0].input, slice < 3 ? 0u : 4u);
  }
  const auto inputs = [&](ValueId id) {
    Ids result;
    for (const AffineTerm& term : affine_of(made, id).terms) result.push_back(term.input);
    return result;
  };
  for (const ValueId id : {3u, 4u}) EXPECT_EQ(inputs(id), (Ids{0, 1, 2}));
  EXPECT_EQ(inputs(7), (Ids{4, 5, 6}));
  for (const ValueId id : {3u, 4u, 7u}) EXPECT_TRUE(affine_of(made, id).bias.all_equal(5));
  // The first slice leaves out the last row, the second the first.
  for (const auto& [slice, first] : {std::pair<ValueId, Index>{1, 0}, {2, 8}})
    affine_of(made, slice).terms[0].op->row(0, [first = first](Index column, double weight) {
      EXPECT_TRUE(weight == 0 || column == first) << column;
    });
}

TEST(RewrittenNetworks, WithoutBootstrapsNothingChanges) {
  const Network network = sum_of_maps(2);
  ContractionPlans contractions;
  const Refreshed made = without_bootstraps(network, guarded_grid(2), 64, contractions);
  EXPECT_EQ(made.network.values.size(), 5u);
  EXPECT_EQ(made.names, (Ids{0, 1, 2, 3, 4}));
  EXPECT_EQ(made.origins, made.names);
  EXPECT_EQ(made.grid->maps.size(), 5u);
}

}  // namespace
}  // namespace tacit::graph::passes
