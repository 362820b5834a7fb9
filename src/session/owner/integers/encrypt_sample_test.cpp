#include "session/owner/integers/encrypt_sample.h"

#include <gtest/gtest.h>

#include "params/tfhe_solver.h"
#include "program/integers/noise.h"
#include "program/integers/small_program_for_test.h"
#include "session/owner/integers/client_on_integers.h"

namespace tacit::session {
namespace {

/// Features of a grid of four values from 10 to 16, and numbers that are refused where they lie beyond.
integers::ClientInterface grids(std::int64_t features) {
  integers::ClientInput grid{.name = "f", .shape = {1, features}, .step = 0, .quantiser = {}, .saturates = true};
  grid.quantiser.scale = layout::RepeatedReals(2);
  grid.quantiser.offset = layout::RepeatedReals(12);
  grid.quantiser.lowest = -1;
  grid.quantiser.highest = 2;
  integers::ClientInput refused = grid;
  refused.name = std::string("x");  // GCC 12 warns of an assignment
  refused.saturates = false;
  return {.inputs = {refused, grid}, .outputs = {}};
}

TEST(BeyondGrids, CountRowsByFeature) {
  const integers::ClientInterface interface = grids(2);
  BeyondGrids beyond;
  EXPECT_TRUE(beyond.sentences(interface).empty());
  beyond.add(interface, {{99, 99}, {10, 16}});
  EXPECT_TRUE(beyond.sentences(interface).empty()) << "the ends are values of the grid";
  beyond.add(interface, {{12, 12}, {17.5, 12}});
  beyond.add(interface, {{12, 12}, {5, 99}});
  EXPECT_EQ(beyond.sentences(interface),
            (std::vector<std::string>{"input 'f', element 0: 2 rows lie outside [10, 16], the values that the model "
                                      "tells apart, and counted as the nearer end",
                                      "input 'f', element 1: 1 row lies outside [10, 16], the values that the model "
                                      "tells apart, and counted as the nearer end"}));
}

TEST(BeyondGrids, NameFiveFeaturesAndCountTheRest) {
  for (const auto& [features, last] : std::vector<std::pair<std::int64_t, std::string>>{
           {5, ""}, {6, "1 more features lie beyond their grids"}, {9, "4 more features lie beyond their grids"}}) {
    const integers::ClientInterface interface = grids(features);
    BeyondGrids beyond;
    const std::vector<double> far(static_cast<std::size_t>(features), 99);
    beyond.add(interface, {far, far});
    const std::vector<std::string> sentences = beyond.sentences(interface);
    ASSERT_EQ(sentences.size(), last.empty() ? 5U : 6U);
    EXPECT_TRUE(sentences[4].starts_with("input 'f', element 4: ")) << sentences[4];
    if (!last.empty()) {
      EXPECT_EQ(sentences[5], last);
    }
  }
}

TEST(BeyondGrids, BeginWithTheFirstInput) {
  integers::ClientInterface interface = grids(1);
  interface.inputs.erase(interface.inputs.begin());
  interface.inputs[0].quantiser.lowest = -2;
  BeyondGrids beyond;
  beyond.add(interface, {{7.5}});
  EXPECT_TRUE(beyond.sentences(interface).empty()) << "within half a step";
  beyond.add(interface, {{6.5}});
  EXPECT_EQ(beyond.sentences(interface),
            (std::vector<std::string>{"input 'f', element 0: 1 row lies outside [8, 16], the values that the model "
                                      "tells apart, and counted as the nearer end"}));
}

TEST(ClientOnIntegers, CountsWhatLiesBeyondGridsWhereItIsAsked) {
  const integers::Program program = integers::small_program();
  const auto context =
      scheme::tfhe::Context::make(params::TfheParameters::check(params::solve(integers::requirements(program, -64))));
  integers::ClientInput input{.name = "x", .shape = {1, 3}, .step = 0, .quantiser = {}, .saturates = true};
  input.step = program.instructions[0].step;
  input.quantiser.highest = 3;
  const integers::ClientInterface interface {
    .inputs = {input}, .outputs = {}
  };
  const runtime::IntegerClient client(interface, context, scheme::tfhe::SecretKey::generate(*context));
  graph::ClientParts parts;
  parts.before.tensors.push_back({"x", {1, 3}});
  parts.before.inputs = parts.before.outputs = {0};
  const std::vector<graph::Tensor> sample{graph::Tensor{{1, 3}, {0, 7, 3}, false}};
  BeyondGrids beyond;
  EXPECT_EQ(ClientOnIntegers::encrypt(client, parts, {&sample, 1}).size(), 1U);
  EXPECT_TRUE(ClientOnIntegers::warnings(client, beyond).empty());
  EXPECT_EQ(ClientOnIntegers::encrypt(client, parts, {&sample, 1}, &beyond).size(), 1U);
  const std::vector<std::string> warnings = ClientOnIntegers::warnings(client, beyond);
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_TRUE(warnings[0].starts_with("input 'x', element 1: 1 row lies outside [0, 3], ")) << warnings[0];
}

}  // namespace
}  // namespace tacit::session
