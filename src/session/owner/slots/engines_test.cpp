#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph/passes/deep_network_for_test.h"
#include "graph/reference/run.h"
#include "program/slots/clear_program.h"
#include "session/owner/engine.h"
#include "session/owner/small_perceptron_for_test.h"

namespace tacit::session {
namespace {

/// Scores of a run are those of the network.
void expect_scores(const std::vector<std::vector<graph::Tensor>>& outputs,
                   const std::vector<std::vector<graph::Tensor>>& samples) {
  const graph::Graph network = graph::passes::deep_perceptron(1, 4);
  ASSERT_EQ(outputs.size(), samples.size());
  for (std::size_t s = 0; s < samples.size(); ++s) {
    const std::vector<double> expected = graph::reference::run(network, samples[s]).at(0).data;
    const std::vector<double>& found = outputs[s].at(0).data;
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t e = 0; e < found.size(); ++e) EXPECT_NEAR(found[e], expected[e], 5e-3) << s << " " << e;
  }
}

TEST(EncryptedEngine, AnswersTheRunsOfARoundThatAreNotRefused) {
  const Compilation compilation = small_perceptron();
  const std::unique_ptr<Engine> engine = make_encrypted_engine(compilation, {}, base::Progress::silent());
  EXPECT_FALSE(engine->concurrent()) << "the parallelism lies within a run";
  ASSERT_EQ(engine->at_once(), 1u);
  std::vector<std::vector<graph::Tensor>> far = graph::passes::deep_samples(1, 4, 5);
  far[0][0].data[0] = 1e6;
  const auto near = graph::passes::deep_samples(1, 4, 5);
  const std::vector<std::vector<std::vector<graph::Tensor>>> runs{far, near};
  const std::vector<Inference> round = engine->infer_round(runs);
  ASSERT_EQ(round.size(), 2u);
  ASSERT_TRUE(round[0].refusal);
  EXPECT_TRUE(round[0].outputs.empty());
  EXPECT_EQ(round[0].evaluate_seconds, 0);
  EXPECT_FALSE(round[1].refusal);
  EXPECT_GT(round[1].evaluate_seconds, 0);
  expect_scores(round[1].outputs, near);
}

TEST(Engines, AnswerEverySampleOfARun) {
  graph::CompileOptions options;
  options.calibration = graph::passes::deep_samples(20, 4, 5);
  options.parameters = small_insecure_literal();
  options.batch = 2;
  const Compilation compilation =
      compile_graph("two", graph::passes::deep_perceptron(1, 4), options, base::Progress::silent());
  ASSERT_EQ(compilation.model.client.batch, 2);
  const auto samples = graph::passes::deep_samples(2, 4, 5);
  const slots::ClearProgram reading(compilation.model.program);
  const std::unique_ptr<Engine> simulated = make_simulated_engine(compilation, reading);
  EXPECT_TRUE(simulated->concurrent());
  expect_scores(simulated->infer(samples).outputs, samples);
  expect_scores(simulated->infer({samples.data(), 1}).outputs, {samples[0]});
  const std::unique_ptr<Engine> encrypted = make_encrypted_engine(compilation, {}, base::Progress::silent());
  expect_scores(encrypted->infer(samples).outputs, samples);
}

}  // namespace
}  // namespace tacit::session
