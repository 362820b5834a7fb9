#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <utility>

#include "base/refusal_for_test.h"
#include "graph/slots/cheapest_lowering.h"
#include "layout/diagonals.h"
#include "layout/sparse_rows.h"
#include "params/key_price.h"
#include "params/small_ring_for_test.h"
#include "program/slots/cost.h"
#include "program/slots/operation_prices.h"

// The price of keys when a lowering is chosen, and the memory that is allowed.
namespace tacit::graph::passes {
namespace {

const ProgramNames kDenseNames{"dense", {"x"}, {"y"}};

/// A chain of `count` dense matrices of 256 rows and columns.
Network matrices(int count) {
  constexpr std::int64_t kSize = 256;
  const Shape shape{1, kSize};
  const auto dense = std::make_shared<layout::SparseRows>(shape, shape, [](layout::Index row, layout::RowEntries& all) {
    for (layout::Index column = 0; column < kSize; ++column)
      all.add(column, 1 + 0.01 * static_cast<double>((7 * row + 13 * column) % 11));
  });
  Network network;
  ValueId x = network.add({.operation = Private{}, .shape = shape, .node = "x", .op = "Input", .range = {}});
  for (int i = 0; i < count; ++i)
    x = network.add({.operation = Affine{{{x, dense}}}, .shape = shape, .node = "m", .op = "MatMul", .range = {}});
  network.outputs = {x};
  return network;
}

/// 512 slots. Transforms are so slow that a rotation of a sum costs many hoisted ones. The price of keys then decides.
CompileOptions dear_transforms(double ntt_ns = 7) {
  CompileOptions options;
  options.costs.ntt_ns = ntt_ns;
  options.parameters = params::CkksLiteral{"asked", 10, {50, 40, 40}, {50}, 40, true};
  return options;
}

/// The chosen lowering, and its explanation.
struct Chosen {
  Lowered lowered;
  std::string told;
};
Chosen lowering_for(const Network& network, CompileOptions options) {
  Chosen made;
  options.passes.explained = {"search"};
  options.passes.explain = [&](const std::string&, const std::string& said) { made.told += said; };
  made.lowered = cheapest_lowering(network, options, kDenseNames, {}, 0, base::Progress::silent()).or_refuse();
  return made;
}

/// Returns the bytes if a key's price is multiplied by `key_price`.
double peak_of(Lowering& lowering, const params::CkksLiteral& literal, double key_price) {
  return lowering.lower(literal, {.keys = key_price * params::kKeySecondsPerByte}).or_refuse().cost.memory.peak();
}

TEST(KeyPrices, AKeyCountsForItsBytesWhereMemoryIsNotShort) {
  const Network network = matrices(1);
  for (const double ntt_ns : {4.0, 7.0, 12.0, 20.0, 35.0}) {
    const CompileOptions options = dear_transforms(ntt_ns);
    Lowering lowering(network, kDenseNames, options.costs);
    EXPECT_EQ(lowering_for(network, options).lowered.cost.memory.peak(), peak_of(lowering, *options.parameters, 1));
  }
}

// The price rises eight times, and once more, if the memory does not hold the chosen lowering.
TEST(KeyPrices, RiseTwiceWhereMemoryIsShort) {
  const Network network = matrices(1);
  CompileOptions options = dear_transforms();
  Lowering lowering(network, kDenseNames, options.costs);
  const double usual = peak_of(lowering, *options.parameters, 1), higher = peak_of(lowering, *options.parameters, 8),
               highest = peak_of(lowering, *options.parameters, 64);
  ASSERT_LT(higher, usual);
  ASSERT_LT(highest, higher);
  const auto within = [&](double bytes) {
    options.memory.bytes = static_cast<std::uint64_t>(bytes);
    return lowering_for(network, options).lowered.cost.memory.peak();
  };
  EXPECT_EQ(within(std::ceil(usual)), usual);
  EXPECT_EQ(within(std::ceil(usual) - 1), higher);
  EXPECT_EQ(within(std::ceil(higher)), higher);
  EXPECT_EQ(within(std::ceil(higher) - 1), highest);
  EXPECT_EQ(within(std::ceil(highest)), highest);
  EXPECT_THAT(base::refusal([&] { within(std::ceil(highest) - 1); }),
              testing::HasSubstr("keys, weights and ciphertexts of model 'dense' need"));
}

TEST(KeyPrices, ARunTakesWhatItEncodesAnewToo) {
  const Network network = matrices(2);
  CompileOptions options = dear_transforms();
  options.passes.skipped = {"less-memory"};
  Lowering lowering(network, kDenseNames, options.costs);
  const Lowered lowered =
      lowering.lower(*options.parameters, {64 * params::kKeySecondsPerByte, 64 * params::kKeySecondsPerByte})
          .or_refuse();
  options.memory.bytes = static_cast<std::uint64_t>(std::ceil(lowered.cost.memory.least()));
  const double anew = slots::encoded_anew(lowered.cost, static_cast<double>(options.memory.bytes)).seconds;
  ASSERT_GT(anew, 0.01 * lowered.cost.seconds) << "one of the matrices";
  const Chosen chosen = lowering_for(network, options);
  EXPECT_EQ(chosen.lowered.cost.seconds, lowered.cost.seconds);
  const double expected = lowered.cost.seconds + anew;
  EXPECT_NEAR(std::stod(chosen.told.substr(chosen.told.find(": ") + 2)), expected, 6e-4 * expected) << chosen.told;
}

// Keys at eight times the price are tried at the end.
TEST(KeyPrices, HalfOfTheMemoryMayTakeAFifteenthMoreTime) {
  const Network network = matrices(1);
  CompileOptions options = dear_transforms();
  options.parameters = params::insecure_on_small_ring("S8", 10);
  // Products at their usual speed, or so slow that rotations hardly count.
  for (const auto& [product_ns, taken] : {std::pair(0.24, false), {1000.0, true}}) {
    options.costs.product_ns = product_ns;
    Lowering lowering(network, kDenseNames, options.costs);
    const Lowered usual = lowering.lower(*options.parameters).or_refuse(),
                  fewer = lowering
                              .lower(*options.parameters,
                                     {.keys = 8 * params::kKeySecondsPerByte, .weights = params::kKeySecondsPerByte})
                              .or_refuse();
    ASSERT_LT(fewer.cost.memory.peak(), usual.cost.memory.peak());
    const double saved = usual.cost.memory.peak() / fewer.cost.memory.peak();
    ASSERT_EQ(fewer.cost.seconds <= std::exp2(0.1 * std::log2(saved)) * usual.cost.seconds, taken);
    const Chosen chosen = lowering_for(network, options);
    EXPECT_EQ(chosen.lowered.cost.memory.peak(), (taken ? fewer : usual).cost.memory.peak());
    EXPECT_THAT(chosen.told,
                testing::EndsWith(taken ? ": taken for its memory\n" : ": the memory saved is not worth the time\n"));
  }
}

// At this price, eight times the price of a key does not yet give the result of nine times.
TEST(KeyPrices, AreEightTimesAsHighWhereFewerKeysAreTried) {
  const Network network = matrices(1);
  CompileOptions options = dear_transforms();
  options.parameters = params::insecure_on_small_ring("S8", 10);
  options.costs.product_ns = 1000;
  Lowering lowering(network, kDenseNames, options.costs);
  int told_apart = 0;
  for (double ntt_ns = 1; ntt_ns < 10; ntt_ns *= 1.1) {
    options.costs.ntt_ns = ntt_ns;
    const double eight = peak_of(lowering, *options.parameters, 8), nine = peak_of(lowering, *options.parameters, 9);
    if (eight == nine || eight >= peak_of(lowering, *options.parameters, 1)) continue;
    ++told_apart;
    EXPECT_EQ(lowering_for(network, options).lowered.cost.memory.peak(), eight) << ntt_ns;
  }
  EXPECT_GT(told_apart, 0);
}

// Schedules are the cheapest at the level that the map reads, for every price of transforms.
TEST(KeyPrices, SchedulesAreTheCheapestAtTheirLevel) {
  const Network network = matrices(1);
  CompileOptions options = dear_transforms();
  PassControl passes;
  passes.skipped = {"small-questions"};
  Lowering lowering(network, kDenseNames, options.costs, nullptr, passes);
  for (double ntt_ns = 0.5; ntt_ns < 15; ntt_ns *= 1.1) {
    options.costs.ntt_ns = ntt_ns;
    const Lowered lowered = lowering.lower(*options.parameters).or_refuse();
    const slots::OperationPrices prices(*options.parameters, options.costs);
    slots::LinearPrices at = prices.linear(1);
    const double key = params::kKeySecondsPerByte * prices.account().half_key_bytes(1);
    for (double* part : {&at.baby, &at.giant, &at.fold}) *part += key;
    const slots::LinearTerm& term = std::get<slots::Linear>(lowered.program.value(1).operation).terms.at(0);
    EXPECT_EQ(term.schedule, slots::LinearSplits(layout::diagonal_set(term.map), 1, 1).cheapest(at)) << ntt_ns;
  }
}

}  // namespace
}  // namespace tacit::graph::passes
