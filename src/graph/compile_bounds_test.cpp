#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "base/refusal_for_test.h"
#include "graph/client_parts.h"
#include "graph/compile.h"
#include "graph/passes/sketch.h"
#include "program/slots/cost.h"

// What a compilation refuses before it begins, and bounds on what it makes.
namespace tacit::graph {
namespace {

using passes::Sketch;
using testing::HasSubstr;

Tensor sample(std::vector<double> values) {
  const Shape shape{1, static_cast<std::int64_t>(values.size())};
  return {shape, std::move(values), false};
}

/// The squares of three sums: beside them lies a zero.
Graph sums() {
  Sketch s;
  const TensorId x = s.input({1, 4});
  const TensorId g = s.node("MatMul", {x, s.constant({4, 3}, std::vector<double>(12, 1))}, {1, 3});
  s.output(s.node("Mul", {g, g}, {1, 3}));
  s.graph.name = "sums";
  return s.graph;
}

Graph difference(double weight, bool integral) {
  Sketch s;
  const TensorId x = s.input({1, 2});
  const TensorId y = s.node("MatMul", {x, s.constant({2, 1}, {weight, -weight})}, {1, 1});
  s.output(y);
  s.graph.name = "difference";
  for (const TensorId id : {x, y}) s.graph.tensors[id].integral = integral;
  return s.graph;
}

TEST(CompileBounds, ABatchIsOfOneTo4096Samples) {
  const auto said = [](std::int64_t batch) {
    CompileOptions options;
    options.batch = batch;
    return base::refusal([&] { EXPECT_EQ(compile(difference(1, false), options).client.batch, batch); });
  };
  EXPECT_EQ(said(0), "a batch of 0 samples (--batch): it takes 1 to 4096");
  EXPECT_EQ(said(4097), "a batch of 4097 samples (--batch): it takes 1 to 4096");
  EXPECT_EQ(said(1), base::kNotRefused);
  EXPECT_EQ(said(4096), base::kNotRefused);
}

TEST(CompileBounds, ChoicesThatDoNotGoTogetherAreRefused) {
  CompileOptions shared;
  shared.sharing = params::Sharing{.bits = 2, .statistical_bits = 30, .decryptions = 1024};
  EXPECT_THAT(base::refusal([&] { compile(sums(), shared); }),
              HasSubstr("results are shared by the noise that the model leaves in them, which is measured on samples: "
                        "give calibration data"));
  CompileOptions kept;
  kept.calibration = {{sample({1, 2, 3, 4})}};
  kept.shardings = {layout::ShardAnnotation::parse("x=z:2")};
  kept.keep_calibration = true;
  EXPECT_THAT(base::refusal([&] { compile(sums(), kept); }),
              HasSubstr("ranges in a file are those of networks without annotations, whose values may be others: shard "
                        "no node (--shard)"));
}

// Scales that leave room for sharing leave none between them and the first prime.
TEST(CompileBounds, SharedResultsAreAtLevelOne) {
  CompileOptions options;
  options.sharing = params::Sharing{.bits = 2, .statistical_bits = 30, .decryptions = 1024};
  for (double x = -1; x <= 1; x += 0.125) options.calibration.push_back({sample({x, -x, 0.5 * x, 1 - x})});
  const CompiledModel model = compile(sums(), options);
  EXPECT_EQ(model.program.instructions.back().level, 1);
}

/// What the search tells with this budget, and the refusal if there is one.
std::string searched_with(std::uint64_t bytes) {
  std::string text;
  CompileOptions options;
  options.parameters = params::CkksLiteral{"asked", 13, {50, 34, 34, 34}, {50}, 34, false};
  options.memory.bytes = bytes;
  options.passes.skipped = {"less-memory"};
  options.passes.explained = {"search"};
  options.passes.explain = [&](const std::string&, const std::string& said) { text += said; };
  const std::string refused = base::refusal([&] { compile(sums(), options); });
  return refused == base::kNotRefused ? text : text + refused;
}

TEST(CompileBounds, TheSetThatIsAskedForIsTakenWithinTheBudget) {
  const std::string taken = searched_with(0);
  EXPECT_THAT(taken, testing::StartsWith("asked (N = 2^13, 3 levels): "));
  EXPECT_THAT(taken, testing::EndsWith(" GB: the cheapest so far\n"));
  EXPECT_EQ(taken, searched_with(std::uint64_t{1} << 40));
  const std::string small = searched_with(1000);
  EXPECT_THAT(small, testing::StartsWith("asked (N = 2^13, 3 levels): "));
  EXPECT_THAT(small, HasSubstr(" GB: more than the memory budget\nkeys, weights and ciphertexts of model 'sums' need"));
}

// Where no set is asked for, by the slots of the largest ring.
TEST(CompileBounds, BlocksFitACiphertextOfTheLargestRing) {
  Sketch s;
  const Shape shape{1, std::int64_t{1} << 17};
  s.output(s.node("Neg", {s.input(shape)}, shape));
  CompileOptions options;
  options.client_before = options.client_after = false;
  options.shardings = {layout::ShardAnnotation::parse("Neg0=mesh=[x=2] inputs={0: {-1, x}} outputs={0: {-1, x}}")};
  options.passes.skipped = {"optimise-sharding"};
  EXPECT_THAT(base::refusal([&] { compile(s.graph, options); }),
              HasSubstr("blocks of [1,65536] have 65536 elements, and a ciphertext has 32768 slots"));
}

// Weights that double leave the program as it is, and double what its results count for.
TEST(CompileBounds, IntegersKeepSixDeviationsOfNoiseFromTheNext) {
  CompileOptions options;
  for (const double value : {1000.0, -1000.0, 3.0}) options.calibration.push_back({sample({value, -value})});
  const auto noise_of = [&](int exponent) {
    const CompiledModel model = compile(difference(std::ldexp(1, exponent), true), options);
    const program::ClientOutput& output = model.client.outputs.at(0);
    return 6 * output.noise * output.unit;
  };
  int fits = 1, too_large = 27;
  while (too_large - fits > 1) {
    const int middle = (fits + too_large) / 2;
    (base::refusal([&] { noise_of(middle); }) == base::kNotRefused ? fits : too_large) = middle;
  }
  const double largest = noise_of(fits);
  EXPECT_LE(largest, kMostNoiseOfIntegers);
  EXPECT_GT(2 * largest, kMostNoiseOfIntegers);
  const std::string refusal = base::refusal([&] { noise_of(too_large); });
  EXPECT_THAT(refusal, HasSubstr("tensor 'MatMul0' holds integers up to about "));
  EXPECT_THAT(refusal, HasSubstr(fmt::format("that would come back with noise of up to {:.2g}, and {} is the most that "
                                             "tells one from the next: integers up to about ",
                                             2 * largest, kMostNoiseOfIntegers)));
}

}  // namespace
}  // namespace tacit::graph
