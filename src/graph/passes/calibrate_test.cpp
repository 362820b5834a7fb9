#include "graph/passes/calibrate.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <mutex>

#include "base/refusal_for_test.h"
#include "graph/passes/linearise.h"
#include "graph/passes/sketch.h"

namespace tacit::graph::passes {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const Shape kPair{1, 2};

std::vector<Tensor> pair_of(double a, double b) { return {Tensor{kPair, {a, b}, false}}; }

/// op((a, b) + (1, -1)) times (2, 3), as two outputs: the sum, and the product.
Network function_of_a_sum(const std::string& op) {
  Sketch s;
  const TensorId sum = s.node("Add", {s.input(kPair), s.constant(kPair, {1, -1})}, kPair);
  const TensorId scaled = s.node("Mul", {s.node(op, {sum}, kPair), s.constant(kPair, {2, 3})}, kPair);
  s.output(scaled);
  s.output(sum);
  return linearise(recognise(s.graph));
}

TEST(CalibrateSamples, ShowRangesOfValuesAndOfElementsThatAreToldApart) {
  Network network = function_of_a_sum("Abs");
  ASSERT_EQ(network.values.size(), 4U);
  EXPECT_THAT(told_apart(network), ElementsAre(1, 1, 0, 0));
  std::vector<std::vector<Tensor>> samples;
  for (int s = 0; s < 19; ++s) samples.push_back(pair_of(s, -2 * s));
  const Calibrated made = calibrate(network, samples, base::Progress::silent());
  EXPECT_EQ(network.values[0].range, (Range{-36, 18}));
  EXPECT_THAT(network.values[0].element_ranges, ElementsAre(Range{0, 18}, Range{-36, 0}));
  EXPECT_THAT(network.values[1].element_ranges, ElementsAre(Range{1, 19}, Range{-37, -1}));
  EXPECT_EQ(network.values[2].range, (Range{1, 37}));
  EXPECT_TRUE(network.values[2].element_ranges.empty());
  EXPECT_EQ(network.values[3].range, (Range{2, 111}));
  ASSERT_EQ(made.outputs.size(), 19U);
  for (std::size_t s = 0; s < 19; ++s) {
    const auto at = static_cast<double>(s);
    EXPECT_THAT(made.outputs[s],
                ElementsAre(ElementsAre(2 * (at + 1), 3 * (2 * at + 1)), ElementsAre(at + 1, -2 * at - 1)))
        << s;
  }
  measure(network, made.inputs);
  const auto& function = std::get<Function>(network.values[2].operation);
  double counted = 0;
  for (const double count : function.histogram) counted += count;
  EXPECT_EQ(counted, 38);
}

TEST(CalibrateSamples, OperandsOfProductsAreToldApart) {
  Sketch s;
  const TensorId x = s.input(kPair);
  const TensorId left = s.node("Add", {x, s.constant(kPair, {1, 1})}, kPair);
  const TensorId right = s.node("Sub", {x, s.constant(kPair, {1, 1})}, kPair);
  s.output(s.node("Mul", {left, right}, kPair));
  EXPECT_THAT(told_apart(linearise(recognise(s.graph))), ElementsAre(1, 1, 1, 0));
}

TEST(CalibrateSamples, TheFirstSampleWithoutAFiniteNumberIsNamed) {
  const auto refused = [](const std::string& op, const std::map<int, double>& others, int count = 19) {
    Network network = function_of_a_sum(op);
    std::vector<std::vector<Tensor>> samples;
    for (int s = 0; s < count; ++s) samples.push_back(pair_of(1, others.contains(s) ? others.at(s) : 2));
    return base::refusal([&] { calibrate(network, samples, base::Progress::silent()); });
  };
  const std::string words =
      " gives a value that is not finite; leave that sample out, or clip what the node reads to where it is defined "
      "(Clip)";
  EXPECT_EQ(refused("Sqrt", {{18, 0}}), "calibration sample 18: node 'Sqrt1' (Sqrt)" + words);
  EXPECT_EQ(refused("Sqrt", {{17, -1}, {18, 0}}), "calibration sample 17: node 'Sqrt1' (Sqrt)" + words);
  EXPECT_EQ(refused("Exp", {{3, 1000}, {9, 1000}}), "calibration sample 3: node 'Exp1' (Exp)" + words);
  EXPECT_EQ(refused("Exp", {{0, 1000}}, 1), "calibration sample 0: node 'Exp1' (Exp)" + words);
  EXPECT_EQ(refused("Sqrt", {{0, 1}, {18, 1}}), base::kNotRefused) << "the root of 0 is finite";
}

TEST(CalibrateSamples, AreOnlyNeededByFunctions) {
  Network network = function_of_a_sum("Tanh");
  const std::string words =
      "node 'Tanh1' (Tanh) is not a polynomial and is approximated on the range of its input: give calibration data "
      "(--calibrate FILE.npy): inputs of the training set, never the private ones";
  EXPECT_EQ(base::refusal([&] { calibrate(network, {}, base::Progress::silent()); }), words);

  Sketch s;
  s.output(s.node("Neg", {s.input(kPair)}, kPair));
  Network negated = linearise(recognise(s.graph));
  EXPECT_TRUE(calibrate(negated, {}, base::Progress::silent()).outputs.empty());
  EXPECT_FALSE(negated.values[0].range.known());
}

TEST(CalibrateSamples, LargeNetworksWithFunctionsNeedThemBeforeAnythingIsComputed) {
  const auto refused = [](const std::string& op, std::int64_t elements, bool with_samples = false) {
    Sketch s;
    const TensorId x = s.input({1, elements / 2});
    s.output(s.node("Reshape", {s.node(op, {x}, {1, elements / 2}), s.constant({1}, {-1})}, {elements - elements / 2}));
    const std::vector<std::vector<Tensor>> samples(with_samples ? 1 : 0);
    return base::refusal([&] { require_samples(recognise(s.graph), samples); });
  };
  constexpr std::int64_t kSmall = 1 << 20;
  EXPECT_EQ(refused("Tanh", kSmall), base::kNotRefused);
  EXPECT_THAT(refused("Tanh", kSmall + 1), HasSubstr("node 'Tanh0' (Tanh) is not a polynomial"));
  EXPECT_EQ(refused("Tanh", kSmall + 1, true), base::kNotRefused);
  EXPECT_EQ(refused("Neg", kSmall + 1), base::kNotRefused);
}

/// The range of a network's output where its inputs have one.
Range bounded(const Sketch& s, double lowest, double highest) {
  Network network = linearise(recognise(s.graph));
  bound_by_intervals(network, {lowest, highest});
  for (const Value& value : network.values)
    if (std::holds_alternative<Private>(value.operation)) {
      EXPECT_EQ(value.range, (Range{lowest, highest}));
    }
  return network.values.at(network.outputs.at(0)).range;
}

TEST(BoundByIntervals, AffineMapsTakeTheEndThatEachWeightAsksFor) {
  Sketch s;
  const TensorId x = s.input(kPair), y = s.input(kPair, "y");
  const TensorId moved = s.node("Gemm", {x, s.constant({2, 2}, {2, 1, -3, 1}), s.constant(kPair, {1, 10})}, kPair);
  s.output(moved);
  EXPECT_EQ(bounded(s, -1, 2), (Range{-7, 14})) << "2 a - 3 b + 1 from -7 to 8, a + b + 10 from 8 to 14";
  s.graph.outputs = {s.node("Sub", {moved, y}, kPair)};
  EXPECT_EQ(bounded(s, -1, 2), (Range{-9, 15}));
}

TEST(BoundByIntervals, NothingTimesWithoutEndIsNothing) {
  Sketch s;
  s.output(s.node("Mul", {s.input(kPair), s.constant(kPair, {2, 4})}, kPair));
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  EXPECT_EQ(bounded(s, -kInfinite, 3), (Range{-kInfinite, 12}));
  EXPECT_EQ(bounded(s, -3, kInfinite), (Range{-12, kInfinite}));
}

TEST(BoundByIntervals, ProductsTakeTheExtremesOfAllEndsAndSquaresAreNotNegative) {
  Sketch product, square;
  const TensorId x = product.input(kPair), y = product.input(kPair, "y");
  product.output(product.node("Mul", {product.node("Neg", {x}, kPair), y}, kPair));
  EXPECT_EQ(bounded(product, -1, 3), (Range{-9, 3}));
  EXPECT_EQ(bounded(product, -3, 1), (Range{-9, 3}));
  EXPECT_EQ(bounded(product, 2, 3), (Range{-9, -4}));
  const TensorId z = square.input(kPair);
  square.output(square.node("Mul", {z, z}, kPair));
  EXPECT_EQ(bounded(square, -1, 3), (Range{0, 9}));
  EXPECT_EQ(bounded(square, -3, -2), (Range{4, 9}));
}

TEST(CalibrateSamples, TheExtremeMayBeAnyOfTheSamplesSideBySide) {
  for (std::size_t at = 0; at < kLanes; ++at) {
    Sketch s;
    s.output(s.node("Neg", {s.input(kPair)}, kPair));
    Network network = linearise(recognise(s.graph));
    std::vector<std::vector<Tensor>> samples(kLanes, pair_of(0, 0));
    samples[at] = pair_of(5, -7);
    calibrate(network, samples, base::Progress::silent());
    EXPECT_THAT(network.values[0].element_ranges, ElementsAre(Range{0, 5}, Range{-7, 0})) << at;
    EXPECT_EQ(network.values[1].range, (Range{-5, 7})) << at;
    samples[at] = pair_of(2, std::numeric_limits<double>::infinity());
    EXPECT_THAT(base::refusal([&] { calibrate(network, samples, base::Progress::silent()); }),
                testing::StartsWith(fmt::format("calibration sample {}: node 'x' (Input) gives a value", at)));
  }
}

TEST(CalibrateSamples, TheFirstElementOfTheFirstSampleIsLookedAtLikeAllOthers) {
  Network network = function_of_a_sum("Exp");
  EXPECT_THAT(base::refusal([&] {
                calibrate(network, {pair_of(1000, 1), pair_of(1, 1), pair_of(1, 1)}, base::Progress::silent());
              }),
              testing::StartsWith("calibration sample 0: node 'Exp1' (Exp) gives a value"));
}

/// Records the finished steps of each stage and their total.
class StepsOfStages final : public base::Progress {
 public:
  std::pair<std::uint64_t, std::uint64_t> of(const std::string& stage) const { return steps_.at(stage); }

 private:
  void stage_began(std::string_view stage, std::uint64_t total) override {
    open_.emplace_back(stage);
    steps_[open_.back()].second = total;
  }
  void steps_done(std::uint64_t done) override {
    const std::lock_guard lock(mutex_);
    steps_[open_.back()].first += done;
  }
  void stage_ended() override { open_.pop_back(); }

  std::mutex mutex_;
  std::vector<std::string> open_;
  std::map<std::string, std::pair<std::uint64_t, std::uint64_t>> steps_;
};

TEST(CalibrateSamples, EverySampleIsOneStep) {
  Network alone;
  alone.outputs = {alone.add({Private{}, kPair, "x", "Input", {}})};
  for (const bool long_one : {true, false}) {
    Network network = long_one ? function_of_a_sum("Abs") : alone;
    StepsOfStages steps;
    calibrate(network, std::vector<std::vector<Tensor>>(19, pair_of(1, 2)), steps);
    EXPECT_EQ(steps.of("calibrate"), std::pair(std::uint64_t{19}, std::uint64_t{19})) << network.values.size();
  }
}

}  // namespace
}  // namespace tacit::graph::passes
