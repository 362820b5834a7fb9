#include "graph/slots/round_votes.h"

#include <gtest/gtest.h>

#include <cmath>

#include "graph/tree_ensemble.h"

namespace tacit::graph::passes {
namespace {

ClientParts three_classes(const char* op) {
  ClientParts parts;
  parts.after.tensors = {{.name = "scores", .shape = {1, 3}},
                         {.name = "label", .shape = {1}, .integral = true},
                         {.name = "probabilities", .shape = {1, 3}}};
  parts.after.inputs = {0};
  parts.after.outputs = {1, 2};
  parts.after.nodes = {
      {op,
       "votes",
       {0},
       {1, 2},
       {{"classlabels_ints", std::vector<std::int64_t>{0, 1, 2}}, {"probabilities", std::int64_t{1}}}}};
  return parts;
}

program::ClientInterface with_noise(double noise) {
  program::ClientInterface client;
  client.outputs.resize(1);
  client.outputs[0].lowest = -1;
  client.outputs[0].highest = 2;
  client.outputs[0].noise = noise;
  return client;
}

TEST(RoundVotes, EqualScoresHaveTheFirstLabel) {
  const std::vector<std::vector<double>> decrypted{{0.0, 0.5 - 1e-6, 0.5 + 1e-6}};
  ClientParts parts = three_classes(kTreeVotesOp);
  EXPECT_EQ(run_after(parts, decrypted).at(0).data, std::vector<double>{2});
  round_votes(parts, with_noise(1e-6));
  const std::vector<Tensor> answers = run_after(parts, decrypted);
  EXPECT_EQ(answers.at(0).data, std::vector<double>{1});
  EXPECT_EQ(answers.at(1).data, (std::vector<double>{0, 0.5, 0.5}));
  // The unit is the power of two from 1.6e-5 on.
  EXPECT_EQ(run_after(parts, std::vector<std::vector<double>>{{0.0, 0.5, 0.5 + 3.1e-5}}).at(0).data,
            std::vector<double>{2});
}

TEST(RoundVotes, UnknownAndLargeNoiseRoundsNothing) {
  for (const double noise : {0.0, 0.01}) {
    ClientParts parts = three_classes(kTreeVotesOp);
    round_votes(parts, with_noise(noise));
    EXPECT_EQ(parts.after.nodes.size(), 1U) << noise;
  }
}

}  // namespace
}  // namespace tacit::graph::passes
