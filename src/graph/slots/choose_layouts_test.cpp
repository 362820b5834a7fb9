#include "graph/slots/choose_layouts.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <memory>
#include <utility>

#include "graph/passes/fold.h"
#include "graph/passes/linearise.h"
#include "graph/passes/sketch.h"
#include "layout/diagonals.h"
#include "layout/operators/movement.h"
#include "layout/operators/window.h"

namespace tacit::graph::passes {
namespace {

double diagonal_count(const layout::LinearMap& map) {
  return static_cast<double>(layout::diagonal_set(map).diagonals.size());
}

TEST(ChooseLayouts, CandidatesForAFeatureMapAreRowMajorAndTheGridsThatFit) {
  EXPECT_EQ(candidate_layouts({1, 5, 13, 13}, 4096).size(), 3u);  // 8 x 16 x 16, and gaps 2 and 4
  EXPECT_EQ(candidate_layouts({1, 100}, 4096).size(), 1u);
}

TEST(ChooseLayouts, CandidatesForABatchHaveASlotForEverySampleInPlaceOfEachSlot) {
  const auto layouts = candidate_layouts({2, 5, 13, 13}, 4096);
  ASSERT_EQ(layouts.size(), 3u);  // samples side by side, and those of one sample in 2048 slots
  EXPECT_EQ(layouts[1].to_string(), "[2,5,13,13] across() within(d1:8/1 d2:16/1 d3:16/1 d0:2/1) junk()");
  EXPECT_EQ(candidate_layouts({5, 3}, 16)[1].to_string(), "[5,3] across(d1:2/2) within(d1:2/1 d0:8/1) junk()");
  EXPECT_EQ(candidate_layouts({16, 3}, 16)[1].to_string(), "[16,3] across(d1:3/1) within(d0:16/1) junk()");
  EXPECT_EQ(candidate_layouts({20, 3}, 16)[1].to_string(), "[20,3] across(d1:3/1 d0:2/16) within(d0:16/1) junk()");
}

// The distance from sample to sample is that of all slots, whatever the size of the value.
TEST(ChooseLayouts, CandidatesForABatchHaveItsSamplesOutermost) {
  const auto last = [](const Shape& shape, layout::Index slots) {
    return candidate_layouts(shape, slots).back().to_string();
  };
  EXPECT_EQ(last({5, 3}, 16), "[5,3] across(d1:2/2) within(d0:8/1 d1:2/1) junk()");
  EXPECT_EQ(last({5, 3}, 64), "[5,3] across() within(d0:8/1 d1:8/1) junk()") << "no copies";
  EXPECT_EQ(last({5, 20}, 64), "[5,20] across(d1:3/8) within(d0:8/1 d1:8/1) junk()");
  EXPECT_EQ(last({4, 3, 2, 5}, 1024), "[4,3,2,5] across() within(d0:4/1 d1:16/1 d2:2/1 d3:8/1) junk()");
  EXPECT_EQ(last({4, 3, 2, 5}, 64), "[4,3,2,5] across(d1:3/1) within(d0:4/1 d2:2/1 d3:8/1) junk()");
  EXPECT_EQ(last({4, 1}, 64), "[4,1] across() within(d0:4/1 copy:16) junk()");
}

TEST(ChooseLayouts, AStridedConvolutionKeepsItsChannelsInTheGapsOfTheGrid) {
  Sketch s;
  const TensorId x = s.input({1, 1, 28, 28});
  const TensorId w = s.constant({5, 1, 5, 5}, std::vector<double>(125, 1.0));
  const TensorId c = s.node("Conv", {x, w}, {1, 5, 13, 13},
                            {{"kernel_shape", std::vector<std::int64_t>{5, 5}},
                             {"strides", std::vector<std::int64_t>{2, 2}},
                             {"pads", std::vector<std::int64_t>{0, 0, 1, 1}}});
  s.output(s.node("Mul", {c, c}, {1, 5, 13, 13}));
  const Network network = fold(linearise(recognise(s.graph)));
  const ChosenLayouts chosen = choose_layouts(
      network, 4096, [](const layout::LinearMap& map, ValueId) { return diagonal_count(map); },
      [](ValueId, layout::Index) { return 0.0; });
  const std::vector<layout::Layout>& layouts = chosen.layouts;
  EXPECT_EQ(layouts[1], layout::Layout::multiplexed({1, 5, 13, 13}, 32, 32, 2, 4096));
  EXPECT_EQ(layouts[1], layouts[2]);  // a product keeps the layout of its operands
  const auto& op = std::get<Affine>(network.values[1].operation).terms[0].op;
  EXPECT_EQ(diagonal_count({layouts[0], layouts[1], op}), 36);
  EXPECT_EQ(diagonal_count({layouts[0], layout::Layout::row_major({1, 5, 13, 13}, 4096), op}), 1024);
}

Value value_of(decltype(Value::operation) operation, Shape shape, std::string node = "n", std::string op = "Op") {
  return {.operation = std::move(operation),
          .shape = std::move(shape),
          .node = std::move(node),
          .op = std::move(op),
          .range = {}};
}
Affine moved(ValueId input, const Shape& shape) { return {{{input, std::make_shared<layout::Identity>(shape)}}}; }

/// The seconds to make each value.
ArrayPrice by_value(std::map<ValueId, double> seconds) {
  return
      [seconds = std::move(seconds)](ValueId id, layout::Index) { return seconds.contains(id) ? seconds.at(id) : 0.0; };
}

std::vector<double> prices_of(const LayoutChoice& choice) {
  std::vector<double> prices;
  for (const LayoutChoice::Candidate& candidate : choice.candidates) prices.push_back(candidate.price);
  return prices;
}

// A map costs a second, and three where its sides are laid out differently.
TEST(ChooseLayouts, ACandidateHasThePriceOfTheNetworkWithIt) {
  const Shape shape{1, 4, 2, 2};
  Network network;
  network.add(value_of(Private{}, shape));
  network.add(value_of(moved(0, shape), shape));
  network.add(value_of(Product{1, 1}, shape));
  network.outputs = {network.add(value_of(moved(2, shape), shape))};
  const ChosenLayouts chosen = choose_layouts(
      network, 64, [](const layout::LinearMap& map, ValueId) { return map.in.same_places(map.out) ? 1.0 : 3.0; },
      by_value({{0, 0.5}, {2, 10}}));
  const std::vector<LayoutChoice> choices = chosen.choices();
  ASSERT_EQ(choices.size(), 3u);  // a product has the layout of its operands
  for (const ValueId id : {0u, 1u, 3u}) {
    const LayoutChoice& choice = choices[id == 3 ? 2 : id];
    EXPECT_EQ(choice.value, id);
    EXPECT_EQ(prices_of(choice), (std::vector<double>{12.5, 12.5, 12.5}));  // 0.5 + 1 + 10 + 1, all in one layout
    EXPECT_EQ(choice.chosen, 0u) << "the first of the cheapest";
  }
  const std::vector<layout::Layout> layouts = candidate_layouts(shape, 64);
  for (const layout::Layout& layout : chosen.layouts) EXPECT_EQ(layout, layouts[0]);
  EXPECT_EQ(to_text({choices[1]}), "%1 * 12.5 s " + layouts[0].to_string() + "\n%1   12.5 s " + layouts[1].to_string() +
                                       "\n%1   12.5 s " + layouts[2].to_string() + "\n");
}

// A value goes around two blocks in a row. What follows the front is one program, however many ways lead to it.
TEST(ChooseLayouts, ValuesThatMeetAgainArePricedOnce) {
  const Shape shape{1, 4, 2, 2};
  const std::vector<layout::Layout> layouts = candidate_layouts(shape, 64);
  Network network;
  network.add(value_of(Private{}, shape));
  ValueId last = 0;
  for (int block = 0; block < 2; ++block) {
    const ValueId inner = network.add(value_of(moved(last, shape), shape));
    Affine sum = moved(inner, shape);
    sum.terms.push_back({last, std::make_shared<layout::Identity>(shape)});
    last = network.add(value_of(std::move(sum), shape));
  }
  network.outputs = {last};
  // The last value costs 4 in the first layout, the input 5 elsewhere, and a move between layouts 1.
  const ChosenLayouts chosen = choose_layouts(
      network, 64,
      [&](const layout::LinearMap& map, ValueId id) {
        return (map.in.same_places(map.out) ? 0.0 : 1.0) + (id == last && map.out.same_places(layouts[0]) ? 2.0 : 0.0) +
               (map.in.same_places(layouts[0]) || id != 1 ? 0.0 : 5.0);
      },
      by_value({}));
  EXPECT_TRUE(chosen.selection.is_exact());
  EXPECT_EQ(chosen.selection.price, 2.0);  // the two terms of one sum move
  EXPECT_TRUE(chosen.layouts[0].same_places(layouts[0]));
  EXPECT_FALSE(chosen.layouts[last].same_places(layouts[0]));
  for (const LayoutChoice& choice : chosen.choices())
    EXPECT_EQ(choice.candidates[choice.chosen].price, chosen.selection.price);
}

TEST(ChooseLayouts, TheCheapestCandidateIsTakenWhereverItStands) {
  const Shape shape{1, 4, 2, 2};
  Network network;
  network.add(value_of(Private{}, shape));
  network.outputs = {network.add(value_of(moved(0, shape), shape))};
  const std::vector<layout::Layout> layouts = candidate_layouts(shape, 64);
  ASSERT_EQ(layouts.size(), 3u);
  for (std::size_t best = 0; best < layouts.size(); ++best) {
    const ChosenLayouts chosen = choose_layouts(
        network, 64,
        [&](const layout::LinearMap& map, ValueId) {
          return (map.in.same_places(layouts[best]) ? 0.0 : 2.0) + (map.out.same_places(layouts[best]) ? 0.0 : 1.0);
        },
        by_value({}));
    for (const layout::Layout& layout : chosen.layouts) EXPECT_TRUE(layout.same_places(layouts[best])) << best;
    std::vector<double> first(3, 2), second(3, 1);
    first[best] = second[best] = 0;
    const std::vector<LayoutChoice> choices = chosen.choices();
    EXPECT_EQ(prices_of(choices[0]), first);
    EXPECT_EQ(prices_of(choices[1]), second);
  }
}

// The operand of a value is multiplied with the value's result. Its class reads the class that reads it.
TEST(ChooseLayouts, AClassThatReadsWhatItMakesIsPricedOnce) {
  const Shape shape{1, 4};
  Network network;
  network.add(value_of(Private{}, shape));
  network.add(value_of(moved(0, shape), shape));
  network.add(value_of(moved(1, shape), shape));
  network.add(value_of(moved(2, shape), shape));
  network.outputs = {network.add(value_of(Product{1, 3}, shape))};
  const ChosenLayouts chosen = choose_layouts(
      network, 4, [](const layout::LinearMap&, ValueId) { return 1.0; }, by_value({{4, 10}}));
  const std::vector<LayoutChoice> choices = chosen.choices();
  ASSERT_EQ(choices.size(), 3u);
  for (const LayoutChoice& choice : choices) EXPECT_EQ(prices_of(choice), std::vector<double>{3 + 10});
}

TEST(ChooseLayouts, WhatReadsAMapOnAGridSaysWhatMayLieBesideIt) {
  const Shape shape{1, 2, 4, 4};
  const layout::WindowAxis axis{.kernel = 3, .pad_begin = 1, .pad_end = 1};
  const auto convolved = [&](ValueId input) {
    return value_of(
        Affine{{{input, std::make_shared<layout::Convolution>(shape, shape, std::vector<layout::WindowAxis>{axis, axis},
                                                              1, std::vector<double>(2 * 2 * 9, 1.0))}}},
        shape);
  };
  Network network;
  network.add(value_of(Private{}, shape));
  network.add(convolved(0));  // a product reads it
  network.add(value_of(Product{1, 1}, shape));
  network.add(convolved(2));                      // elements are taken where they are
  network.add(value_of(moved(3, shape), shape));  // a window moves its elements
  network.outputs = {network.add(convolved(4))};  // who decrypts it takes its elements
  const auto grid = feature_grid(network, 1024, GridKind::guarded);
  ASSERT_TRUE(grid.has_value());
  const ChosenLayouts chosen = choose_layouts(
      network, 1024, [](const layout::LinearMap&, ValueId) { return 1.0; }, by_value({}), grid);
  std::map<ValueId, std::vector<bool>> unknown;
  for (const LayoutChoice& choice : chosen.choices())
    for (const LayoutChoice::Candidate& candidate : choice.candidates)
      unknown[choice.value].push_back(candidate.layout.has_fill(layout::Fill::unknown));
  const std::map<ValueId, std::vector<bool>> expected{
      {0, {false}}, {1, {false}}, {3, {true}}, {4, {false, true}}, {5, {true}}};
  EXPECT_EQ(unknown, expected);
}

TEST(ChooseLayouts, PricesOfShardingsAreToldOfWhatIsAnnotatedOrOffered) {
  const Shape shape{1, 4};
  const auto halves = layout::ArraySharding::parse("mesh=[x=2] spec={-1, x}");
  Network network;
  network.add(value_of(Private{}, shape, "x", "Input"));
  network.add(value_of(moved(0, shape), shape, "m", "MatMul"));
  network.add(value_of(moved(1, shape), shape, "a", "Add"));
  network.values[1].sharding = halves;
  network.values[2].offered = {halves};
  const layout::Layout dense = layout::Layout::row_major(shape, 4);
  std::vector<LayoutChoice> choices;
  for (const ValueId id : {0, 1, 2}) choices.push_back({id, {{dense, 0.25}, {dense, 0.125}}, 1});
  EXPECT_EQ(priced_shardings(network, choices), "'m' (MatMul): fixed to mesh=[x=2] spec={-1, x}\n" +
                                                    to_text({choices[1]}) + "'a' (Add): free, with offers\n" +
                                                    to_text({choices[2]}));
  EXPECT_EQ(to_text({choices[1]}), "%1   0.25 s " + dense.to_string() + "\n%1 * 0.125 s " + dense.to_string() + "\n");
}

TEST(ChooseLayouts, EveryTermOfASumHasItsPrice) {
  const Shape shape{1, 4};
  Network network;
  for (int i = 0; i < 3; ++i) network.add(value_of(Private{}, shape));
  Affine sum;
  for (const ValueId input : {0u, 1u, 2u}) sum.terms.push_back({input, std::make_shared<layout::Identity>(shape)});
  network.outputs = {network.add(value_of(std::move(sum), shape))};
  std::map<const layout::LinearOperator*, double> seconds;
  for (const AffineTerm& term : std::get<Affine>(network.values[3].operation).terms)
    seconds.emplace(term.op.get(), std::exp2(seconds.size()));
  const ChosenLayouts chosen = choose_layouts(
      network, 4, [&](const layout::LinearMap& map, ValueId) { return seconds.at(map.op.get()); }, by_value({}));
  EXPECT_EQ(chosen.selection.price, 7);  // 1 + 2 + 4
}

// Layers of 4, 16 and 4 numbers per line do the same to each of 8 lines. In rows, a line of 16 is farther from the
// next.
TEST(ChooseLayouts, LayersOfDifferentWidthsHaveTheirLinesAtEqualDistances) {
  Sketch s;
  const auto weights = [&](layout::Index rows, layout::Index columns) {
    std::vector<double> numbers;
    for (layout::Index k = 0; k < rows * columns; ++k) numbers.push_back(1.0 + static_cast<double>(k % 7));
    return s.constant({rows, columns}, numbers);
  };
  const TensorId x = s.input({1, 8, 4});
  const TensorId wide = s.node("MatMul", {x, weights(4, 16)}, {1, 8, 16});
  const TensorId squared = s.node("Mul", {wide, wide}, {1, 8, 16});
  s.output(s.node("MatMul", {squared, weights(16, 4)}, {1, 8, 4}));
  const Network network = fold(linearise(recognise(s.graph)));
  double diagonals = 0, of_rows = 0;
  const ChosenLayouts chosen = choose_layouts(
      network, 256, [](const layout::LinearMap& map, ValueId) { return diagonal_count(map); },
      [](ValueId, layout::Index) { return 0.0; });
  for (ValueId id = 0; id < network.values.size(); ++id)
    if (const auto* affine = std::get_if<Affine>(&network.values[id].operation))
      for (const AffineTerm& term : affine->terms) {
        const Shape &in = network.values[term.input].shape, &out = network.values[id].shape;
        diagonals += diagonal_count({chosen.layouts[term.input], chosen.layouts[id], term.op});
        of_rows += diagonal_count({layout::Layout::row_major(in, 256), layout::Layout::row_major(out, 256), term.op});
      }
  EXPECT_LE(diagonals, 4 + 16 + 3 + 1) << "one per pair of numbers of a line, at the same distance";
  EXPECT_GT(of_rows, 5 * diagonals);
}

}  // namespace
}  // namespace tacit::graph::passes
