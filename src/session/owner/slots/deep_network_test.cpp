#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "graph/passes/deep_network_for_test.h"
#include "graph/reference/run.h"
#include "params/bootstrap_chain.h"
#include "params/small_ring_for_test.h"
#include "program/slots/clear_program.h"
#include "program/slots/levels.h"
#include "program/slots/serialize.h"
#include "session/owner/compilation.h"
#include "session/owner/engine.h"

namespace tacit::session {
namespace {

constexpr std::int64_t kWidth = 8;

Compilation compiled(int layers, const params::CkksLiteral& literal) {
  Compilation compilation{{"deep", graph::passes::deep_perceptron(layers, kWidth)}, {}};
  graph::CompileOptions options;
  options.calibration = graph::passes::deep_samples(100, kWidth, 5);
  options.max_degree = 31;
  options.parameters = literal;
  compilation.model = graph::compile(compilation.graph, options);
  return compilation;
}

// Answers on ciphertexts are those of the clear reading, and near those of the network.
void expect_answers(const Compilation& compilation) {
  const slots::ClearProgram reading(compilation.model.program);
  const auto engine = make_encrypted_engine(compilation, {}, base::Progress::silent());
  const std::vector<graph::Tensor> sample = graph::passes::deep_samples(1, kWidth, 21)[0];
  const std::vector<double> encrypted = engine->infer({&sample, 1}).outputs.at(0).at(0).data;
  const std::vector<double> clear =
      program::from_units(compilation.model.client.outputs.at(0), reading.run(graph::numbers_of(sample)).at(0));
  const std::vector<double> exact = graph::reference::run(compilation.graph, sample).at(0).data;
  const double largest = std::abs(
      *std::max_element(exact.begin(), exact.end(), [](double a, double b) { return std::abs(a) < std::abs(b); }));
  ASSERT_EQ(encrypted.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(encrypted[i], clear[i], 1e-3 * largest);
    EXPECT_NEAR(encrypted[i], exact[i], 0.1 * largest);
  }
}

TEST(DeepNetwork, TwelveLayersOfTanhRunOnCiphertextsWithBootstraps) {
  const Compilation compilation = compiled(12, params::insecure_on_small_ring("S8", 11));
  const slots::Program& program = compilation.model.program;
  EXPECT_GE(std::count_if(program.instructions.begin(), program.instructions.end(),
                          [](const auto& i) { return std::holds_alternative<slots::Bootstrap>(i.operation); }),
            5);
  const auto bytes = slots::to_bytes(program);
  EXPECT_EQ(slots::to_bytes(slots::program_from_bytes(bytes)), bytes);
  expect_answers(compilation);
}

TEST(DeepNetwork, InputsBeginAboveTheMessageLevels) {
  // A layer takes six levels and ends at the third, where bootstraps begin. So the first one's sum would need a refresh
  // if its input, a level higher, had to lie at the ninth.
  const params::CkksLiteral literal = params::with_output_level(params::insecure_on_small_ring("S8", 11), 9);
  const Compilation compilation = compiled(4, literal);
  const slots::Program& program = compilation.model.program;
  EXPECT_EQ(params::highest_message_level(literal), 9);
  EXPECT_EQ(params::highest_fresh_level(literal), 15);
  EXPECT_EQ(program.instructions.at(0).level, 10);
  EXPECT_EQ(slots::message_levels_needed(program), 9);
  EXPECT_EQ(std::count_if(program.instructions.begin(), program.instructions.end(),
                          [](const auto& i) { return std::holds_alternative<slots::Bootstrap>(i.operation); }),
            3);
  expect_answers(compilation);
}

}  // namespace
}  // namespace tacit::session
