#include <gtest/gtest.h>

#include <vector>

#include "graph/passes/sketch.h"
#include "graph/quant/compiled_for_test.h"
#include "params/tfhe_solver.h"
#include "program/integers/noise.h"

namespace tacit::graph::quant {
namespace {

/// A sum of inputs, and one of what tables make of others.
Graph sums_of_inputs_and_of_tables() {
  passes::Sketch s;
  const TensorId x = s.input({1, 2});
  s.output(s.node("MatMul", {x, s.constant({2, 2}, {1, -0.3, 0.2, 0.7})}, {1, 2}));
  const TensorId sums = s.node("MatMul", {x, s.constant({2, 4}, {0.9, 0.4, -0.3, 0.2, 0.1, -0.7, 0.6, 0.5})}, {1, 4});
  s.output(s.node("MatMul", {s.node("Tanh", {sums}, {1, 4}), s.constant({4, 1}, {0.9, -0.8, 0.7, 0.31})}, {1, 1}));
  return s.graph;
}

/// With inputs under a public key, one bit more would be wrong more often than is allowed.
TEST(ChooseOnIntegers, ResultsKeepTheBitsThatNoiseLeaves) {
  const Graph graph = sums_of_inputs_and_of_tables();
  for (const double log2_failure : {-128.0, -20.0}) {
    CompileOptions options;
    options.bits = 4;
    options.log2_failure = log2_failure;
    options.input_range = {-1, 1};
    const CompiledIntegers model = compile(graph, options);
    const params::TfheParameters parameters = params::TfheParameters::check(model.parameters);
    const params::LookupShape shape = params::with_public_inputs(parameters.shape());
    std::vector<params::LookupRequirement> results = integers::requirements(model.program, log2_failure);
    std::erase_if(results, [](const params::LookupRequirement& r) { return !r.decrypted; });
    ASSERT_EQ(results.size(), 2u);
    std::size_t place = 0;
    std::vector<int> steps;
    int limited = 0;
    for (const integers::Instruction& made : model.program.instructions) {
      const auto* output = std::get_if<integers::Output>(&made.operation);
      if (output == nullptr) continue;
      const int finest = model.program.value(output->input).step;
      params::LookupRequirement kept = results.at(place);
      EXPECT_EQ(model.client.outputs.at(place++).step, made.step);
      steps.push_back(made.step);
      EXPECT_GE(made.step, finest);
      kept.bits = integers::kMessageBits - made.step;
      EXPECT_LE(params::log2_failure(shape, kept), log2_failure) << made.step;
      if (made.step == finest) continue;
      ++limited;
      ++kept.bits;
      EXPECT_GT(params::log2_failure(shape, kept), log2_failure) << made.step;
    }
    ASSERT_EQ(steps.size(), 2u);
    EXPECT_EQ(limited, 2);
    EXPECT_FALSE(integers::why_no_public_key(model.program, parameters));
    EXPECT_LT(steps[0], steps[1]) << "fresh ciphertexts have less noise than bootstraps leave";
  }
}

}  // namespace
}  // namespace tacit::graph::quant
