#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "graph/passes/sketch.h"
#include "graph/reference/run.h"
#include "params/small_ring_for_test.h"
#include "program/slots/clear_program.h"
#include "session/owner/compilation.h"
#include "session/owner/engine.h"

// Networks whose operators have a mesh that a user gave, on ciphertexts of test-only rings.
namespace tacit::session {
namespace {

using graph::TensorId;

std::vector<double> numbers(std::size_t count, unsigned seed, double size) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> number(-size, size);
  std::vector<double> result(count);
  for (double& x : result) x = number(random);
  return result;
}

/// [1,4,8,8] through a convolution with a stride, a function and a matrix.
graph::Graph network(bool relu) {
  graph::passes::Sketch s;
  const TensorId x = s.input({1, 4, 8, 8});
  const TensorId conv =
      s.node("Conv", {x, s.constant({8, 4, 3, 3}, numbers(288, 1, 0.3))}, {1, 8, 4, 4},
             {{"pads", std::vector<std::int64_t>(4, 1)}, {"strides", std::vector<std::int64_t>(2, 2)}});
  const TensorId active = relu ? s.node("Relu", {conv}, {1, 8, 4, 4}) : s.node("Mul", {conv, conv}, {1, 8, 4, 4});
  const TensorId flat = s.node("Flatten", {active}, {1, 128}, {{"axis", std::int64_t{1}}});
  s.output(s.node("Gemm", {flat, s.constant({128, 6}, numbers(768, 2, 0.3))}, {1, 6}));
  s.graph.name = "sharded";
  return s.graph;
}

graph::CompileOptions options(const params::CkksLiteral& literal, const std::vector<const char*>& shardings) {
  graph::CompileOptions result;
  result.parameters = literal;
  for (unsigned i = 0; i < 30; ++i) result.calibration.push_back({{{1, 4, 8, 8}, numbers(256, 100 + i, 1), false}});
  result.max_degree = 15;
  for (const char* text : shardings) result.shardings.push_back(layout::ShardAnnotation::parse(text));
  return result;
}

/// What a network answers on ciphertexts, which is what its clear reading answers.
std::vector<double> encrypted_answers(const graph::Graph& graph, const graph::CompileOptions& options) {
  const Compilation compilation = compile_graph("sharded", graph, options, base::Progress::silent());
  const std::vector<graph::Tensor> sample{{{1, 4, 8, 8}, numbers(256, 7, 1), false}};
  const auto engine = make_encrypted_engine(compilation, {}, base::Progress::silent());
  const std::vector<double> encrypted = engine->infer({&sample, 1}).outputs.at(0).at(0).data;
  const std::vector<double> scaled = program::in_units(compilation.model.client.inputs.at(0).units, sample[0].data);
  const std::vector<double> clear = program::from_units(
      compilation.model.client.outputs.at(0), slots::ClearProgram(compilation.model.program).run({scaled}).at(0));
  EXPECT_EQ(encrypted.size(), clear.size());
  for (std::size_t e = 0; e < clear.size(); ++e) EXPECT_NEAR(encrypted[e], clear[e], 1e-3) << e;
  return encrypted;
}

TEST(ShardedNetwork, AnswersOnCiphertextsAsTheUnshardedOne) {
  const graph::Graph graph = network(false);
  const params::CkksLiteral literal{.name = "few slots",
                                    .log_n = 9,
                                    .q_bits = {50, 40, 40, 40, 40},
                                    .p_bits = {50, 50, 50},
                                    .log_scale = 40,
                                    .insecure = true};
  const std::vector<double> free = encrypted_answers(graph, options(literal, {}));
  const std::vector<double> sharded =
      encrypted_answers(graph, options(literal, {"Conv0=x:4,y:2,z:2", "Gemm3=y:8,x:3"}));
  const std::vector<double> exact =
      graph::reference::run(graph, {{{{1, 4, 8, 8}, numbers(256, 7, 1), false}}}).at(0).data;
  for (std::size_t e = 0; e < exact.size(); ++e) {
    EXPECT_NEAR(sharded[e], free[e], 1e-4) << e;
    EXPECT_NEAR(sharded[e], exact[e], 1e-4) << e;
  }
}

// Feature maps lie on a grid there, and a bootstrap refreshes every block.
TEST(ShardedNetwork, BootstrapsItsBlocks) {
  const graph::Graph graph = network(true);
  const params::CkksLiteral literal = params::insecure_on_small_ring("S8", 10);
  const graph::CompileOptions sharded = options(literal, {"Conv0=x:4"});
  const Compilation compilation = compile_graph("sharded", graph, sharded, base::Progress::silent());
  const auto& instructions = compilation.model.program.instructions;
  EXPECT_TRUE(std::ranges::any_of(instructions, [](const slots::Instruction& made) {
    return made.node == "Conv0" && made.layout.ciphertexts() == 4;
  }));
  const std::vector<double> blocks = encrypted_answers(graph, sharded),
                            free = encrypted_answers(graph, options(literal, {}));
  for (std::size_t e = 0; e < free.size(); ++e) EXPECT_NEAR(blocks[e], free[e], 2e-2) << e;
}

}  // namespace
}  // namespace tacit::session
