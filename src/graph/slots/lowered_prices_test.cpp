#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/parallel.h"
#include "graph/slots/choose_layouts.h"
#include "graph/slots/lower.h"
#include "layout/diagonals.h"
#include "layout/operators/movement.h"
#include "params/bootstrap_schedule.h"
#include "params/small_ring_for_test.h"
#include "program/slots/operation_prices.h"

// The prices by which layouts are chosen, and the units in which values are stored.
namespace tacit::graph::passes {
namespace {

constexpr std::int64_t kTwoCiphertexts = 1500;  // of two ciphertexts of 1,024 slots

const ProgramNames kChainNames{"chain", {"x"}, {"y"}};

/// Maps that rotate by three. After each there is an odd series of three levels (f), a square (s), or nothing.
Network rotations(const std::string& kinds) {
  const Shape shape{1, kTwoCiphertexts};
  std::vector<layout::Index> sources;
  for (std::int64_t i = 0; i < kTwoCiphertexts; ++i) sources.push_back((i + 3) % kTwoCiphertexts);
  const auto rotated = std::make_shared<layout::Gather>(shape, shape, sources);
  Network network;
  const auto add = [&](auto operation) {
    return network.add({.operation = std::move(operation), .shape = shape, .node = "n", .op = "Op", .range = {-1, 1}});
  };
  ValueId x = add(Private{});
  for (const char kind : kinds) {
    x = add(Affine{{{x, rotated}}});
    if (kind == 'f')
      x = add(Function{
          .input = x, .function = {}, .lowest = -1, .highest = 1, .coefficients = {0, 0.5, 0, 0.1, 0, 0.1, 0, 0.1}});
    if (kind == 's') x = add(Product{x, x});
  }
  network.outputs = {x};
  return network;
}

/// Returns the seconds to make all values of a program, for this price of a byte of a rotation's key and of weights.
double seconds_of(const Lowered& lowered, const slots::OperationPrices& prices, double seconds_per_byte) {
  double sum = 0;
  for (const slots::Instruction& made : lowered.program.instructions) {
    const auto count = made.layout.ciphertexts();
    if (const auto* linear = std::get_if<slots::Linear>(&made.operation)) {
      slots::LinearPrices at = prices.linear(made.level + 1);
      const double key = seconds_per_byte * prices.account().half_key_bytes(made.level + 1);
      for (double* part : {&at.baby, &at.giant, &at.fold}) *part += key;
      for (const slots::LinearTerm& term : linear->terms) {
        const slots::LinearSplits splits(layout::diagonal_set(term.map), count, count);
        const double diagonals = splits.count().density * static_cast<double>(splits.count().products);
        sum += splits.seconds(at);
        sum += seconds_per_byte * diagonals * prices.account().real_diagonal_bytes(made.level + 1);
      }
    } else if (const auto* series = std::get_if<slots::Polynomial>(&made.operation)) {
      const params::PolynomialSchedule schedule = params::PolynomialSchedule::choose(7);
      sum += static_cast<double>(count) *
             prices.polynomial(made.level + 3, params::plan_polynomial(series->coefficients, schedule));
    } else if (std::holds_alternative<slots::Multiply>(made.operation)) {
      sum += static_cast<double>(count) * prices.multiply(made.level + 1);
    } else if (const auto* bootstrap = std::get_if<slots::Bootstrap>(&made.operation)) {
      sum += prices.bootstraps(params::plan_bootstrap(lowered.literal, {.form = bootstrap->schedule.form}), count);
    }
  }
  return sum;
}

void expect_price(const Network& network, const params::CkksLiteral& literal, std::size_t bootstraps) {
  PassControl passes{.skipped = {"place-by-price", "pair-bootstraps", "lower-bootstraps"},
                     .explain = [](const std::string&, const std::string&) {},
                     .explained = {"layouts"}};
  const params::CostTable costs;
  const slots::OperationPrices prices(literal, costs);
  Lowering lowering(network, kChainNames, costs, nullptr, passes);
  for (const double seconds_per_byte : {0.0, 1e-7}) {
    const Lowered lowered = lowering.lower(literal, {seconds_per_byte, seconds_per_byte}).or_refuse();
    EXPECT_EQ(program::count_of<slots::Bootstrap>(lowered.program.instructions), bootstraps);
    ASSERT_EQ(lowered.decisions.size(), 1u);
    const std::string& told = lowered.decisions[0].second;
    ASSERT_TRUE(told.starts_with("%0 * ")) << told;
    const double expected = seconds_of(lowered, prices, seconds_per_byte);
    EXPECT_NEAR(std::stod(told.substr(5)), expected, 6e-4 * expected) << "four digits are told";
    EXPECT_EQ(lowered.places.front(), 0u) << "the input is where it was, with nothing paired";
  }
}

params::CkksLiteral leveled(int levels) {
  params::CkksLiteral literal{"leveled", 11, {50}, {50}, 40, true};
  literal.q_bits.insert(literal.q_bits.end(), static_cast<std::size_t>(levels), 40);
  return literal;
}

// The input has the price of all that follows from it.
TEST(LoweredPrices, OfMapsSeriesAndProductsAreThoseOfTheirLevels) {
  expect_price(rotations("fs-"), leveled(7), 0);
  expect_price(rotations("s"), leveled(2), 0);
  expect_price(rotations("f"), leveled(4), 0);
}

// A series with the map before it has four levels, and a square has two: sixteen levels. A bootstrap begins at level 3
// and ends at 11 at most. Values that are linear in the input may be higher.
TEST(LoweredPrices, OfBootstrapsAreThoseOfTheirFormToTheHighestLevel) {
  const params::CkksLiteral literal = params::insecure_on_small_ring("S8", 11);
  ASSERT_EQ(params::chain_of(literal).output, 11);
  expect_price(rotations("ffff"), literal, 1);
  expect_price(rotations("ssssssss"), literal, 1);
}

// One bit is for the sign and two are to spare. No output is stored as more than 2^6. Small outputs would drown in the
// noise of the last rescale.
TEST(LoweredUnits, OutputsAreAsLargeAsThePrimesOfTheirLevelAllowUpToSixBits) {
  const auto factor = [](const params::CkksLiteral& literal, int level = 0) {
    Network network = rotations("-");
    network.values.back().range = {-1000, 1000};
    return Lowering(network, kChainNames, params::CostTable{})
        .lower(literal, {}, level)
        .or_refuse()
        .normalised.factors.at(1);
  };
  const auto with_first = [](int bits) {
    params::CkksLiteral literal = leveled(1);
    literal.q_bits[0] = bits;
    return literal;
  };
  EXPECT_EQ(factor(with_first(50)), 0x1p-4) << "62.5, of at most 128";
  EXPECT_EQ(factor(with_first(49)), 0x1p-4) << "of at most 64";
  EXPECT_EQ(factor(with_first(48)), 0x1p-5);
  EXPECT_EQ(factor(with_first(45)), 0x1p-8) << "3.9, of at most 4";
  params::CkksLiteral higher = leveled(2);
  higher.q_bits[0] = 45;
  EXPECT_EQ(factor(higher, 1), 0x1p-4) << "two primes leave room for 2^44";
}

TEST(LoweredUnits, OperandsOfProductsReachEightOrOneWhereTheyMayBeRefreshed) {
  const auto factors = [](const params::CkksLiteral& literal) {
    return Lowering(rotations("s-"), kChainNames, params::CostTable{})
        .lower(literal)
        .or_refuse()
        .normalised.factors.at(1);
  };
  EXPECT_EQ(factors(leveled(3)), 8);
  EXPECT_EQ(factors(params::insecure_on_small_ring("S8", 11)), 1);
}

// One operator between all pairs of layouts that its operands may have. The price is that of its diagonals there.
TEST(LoweredPrices, OfOneOperatorAreThoseOfTheLayoutsOnBothSides) {
  const Shape shape{1, 8, 4, 4};
  std::vector<layout::Index> sources;
  for (layout::Index i = 0; i < 128; ++i) sources.push_back((5 * i + 3) % 128);
  const auto moved = std::make_shared<layout::Gather>(shape, shape, sources);
  Network network;
  network.add({.operation = Private{}, .shape = shape, .node = "x", .op = "Op", .range = {}});
  network.outputs = {
      network.add({.operation = Affine{{{0, moved}}}, .shape = shape, .node = "m", .op = "Op", .range = {}})};
  const PassControl passes{.explain = [](const std::string&, const std::string&) {}, .explained = {"layouts"}};
  const params::CostTable costs;
  const params::CkksLiteral literal = leveled(1);
  const Lowered lowered =
      Lowering(network, kChainNames, costs, nullptr, passes).lower(literal, {.keys = 0, .weights = 0}).or_refuse();
  const std::vector<layout::Layout> layouts = candidate_layouts(shape, 1024);
  ASSERT_GE(layouts.size(), 3u);
  const slots::LinearPrices prices = slots::OperationPrices(literal, costs).linear(1);
  std::string expected;
  std::vector<std::vector<double>> seconds;
  for (const layout::Layout& in : layouts) {
    seconds.emplace_back();
    for (const layout::Layout& out : layouts)
      seconds.back().push_back(slots::LinearSplits(layout::diagonal_set({in.filled(layout::Fill::zero),
                                                                         out.filled(layout::Fill::zero), moved}),
                                                   in.ciphertexts(), out.ciphertexts())
                                   .seconds(prices));
  }
  LayoutChoice input{0, {}}, made{1, {}};
  for (std::size_t k = 0; k < layouts.size(); ++k)
    input.candidates.push_back({layouts[k].filled(layout::Fill::zero), *std::ranges::min_element(seconds[k])});
  const auto cheapest = [](const LayoutChoice& choice) {
    return static_cast<std::size_t>(std::ranges::min_element(choice.candidates, {}, &LayoutChoice::Candidate::price) -
                                    choice.candidates.begin());
  };
  input.chosen = cheapest(input);
  for (std::size_t k = 0; k < layouts.size(); ++k) {
    double least = seconds[0][k];
    for (const std::vector<double>& from : seconds) least = std::min(least, from[k]);
    made.candidates.push_back({layouts[k].filled(layout::Fill::zero), least});
  }
  made.chosen = cheapest(made);
  ASSERT_EQ(lowered.decisions.size(), 1u);
  EXPECT_EQ(lowered.decisions[0].second, to_text({input, made}));
}

// Threads that ask for the same maps at once get the same plans, which stay where they are.
TEST(PlannedMaps, AreTheSameOnAllThreads) {
  const Shape shape{1, 8, 4, 4};
  std::vector<layout::LinearMap> maps;
  for (const layout::Index step : {3, 5}) {
    std::vector<layout::Index> sources;
    for (layout::Index i = 0; i < 128; ++i) sources.push_back((step * i + 1) % 128);
    const auto moved = std::make_shared<layout::Gather>(shape, shape, sources);
    for (const layout::Layout& layout : candidate_layouts(shape, 1024)) maps.push_back({layout, layout, moved});
  }
  PlannedMaps planned;
  std::vector<const slots::LinearSplits*> seen(16 * maps.size());
  base::parallel_for(0, seen.size(), [&](std::size_t i) { seen[i] = &planned.splits(maps[i % maps.size()]); });
  const slots::LinearPrices prices{.baby = 2, .giant = 3};
  for (std::size_t i = 0; i < seen.size(); ++i) {
    const layout::LinearMap& map = maps[i % maps.size()];
    EXPECT_EQ(seen[i], &planned.splits(map));
    EXPECT_EQ(seen[i]->seconds(prices), slots::LinearSplits(layout::diagonal_set(map), 1, 1).seconds(prices));
  }
}

}  // namespace
}  // namespace tacit::graph::passes
