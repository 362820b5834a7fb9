// The inputs that assign_parties leaves with the client, because the model returns them, and known ranges of values.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/refusal_for_test.h"
#include "graph/operators_for_test.h"
#include "graph/passes/assign_parties.h"
#include "graph/passes/deep_network_for_test.h"
#include "graph/passes/sketch.h"

namespace tacit::graph::passes {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

using Reals = std::vector<double>;
using Integers = std::vector<std::int64_t>;

TEST(KeptByClient, InputsThatAreOutputsStayWithTheClient) {
  DenseSketch s;
  const TensorId price = s.input({1, 1}, "price"), x = s.input({1, 4});
  s.output(s.node("Identity", {price}, {1, 1}));
  s.output(s.dense(x, 2));
  s.output(s.node("Transpose", {x}, {4, 1}, {{"perm", Integers{1, 0}}}));
  const Parties parties = assign_parties(s.graph, {});
  EXPECT_THAT(operators_of(parties.encrypted), ElementsAre("MatMul"));
  EXPECT_EQ(parties.encrypted.inputs, std::vector<TensorId>{x}) << "the price is never encrypted";
  EXPECT_EQ(parties.client.kept, 2u);
  EXPECT_THAT(kept_outputs(parties.client),
              ElementsAre(s.graph.tensors[s.graph.outputs[0]].name, s.graph.tensors[s.graph.outputs[2]].name));
  const ClientParts others = without_kept(parties.client);
  EXPECT_EQ(others.after.outputs.size(), 1u);
  EXPECT_EQ(others.before.outputs.size(), 1u);
  EXPECT_EQ(others.kept, 0u);
}

TEST(KeptByClient, OutputsThatAreConstantsAreMadeByTheClient) {
  DenseSketch s;
  s.output(s.dense(s.input({1, 4}), 3));
  s.output(s.constant({2}, {1, 2}));
  const Parties parties = assign_parties(s.graph, {});
  EXPECT_EQ(parties.encrypted.outputs.size(), 1u);
  EXPECT_EQ(parties.client.kept, 0u);
  const std::vector<Tensor> made = run_after(parties.client, std::vector<Reals>{{1, 2, 3}});
  EXPECT_THAT(made.at(0).data, ElementsAre(1, 2, 3));
  EXPECT_THAT(made.at(1).data, ElementsAre(1, 2));
  EXPECT_THAT(base::refusal([&] { assign_parties(s.graph, {.after = false}); }),
              HasSubstr("leave it out of the model"));
}

TEST(KeptByClient, AModelOfConstantOutputsAloneIsRefused) {
  DenseSketch s;
  s.input({1, 4});
  s.output(s.constant({2}, {1, 2}));
  EXPECT_THAT(base::refusal([&] { assign_parties(s.graph, {}); }),
              AllOf(HasSubstr("output '" + s.graph.tensors.back().name + "' does not depend on a private input"),
                    HasSubstr("leave it out of the model")));
}

TEST(KeptByClient, TextsThatAreHandedOutAreKept) {
  DenseSketch s;
  s.output(s.dense(s.input({1, 3}), 2));
  const TensorId names = s.input({1, 3}, "names");
  s.graph.tensors[names].text = true;
  s.output(names);
  EXPECT_THAT(kept_outputs(assign_parties(s.graph, {}).client), ElementsAre("names"));
}

TEST(KeptByClient, WhatIsKnownByWeightsStaysWithTheServer) {
  DenseSketch s;
  s.output(s.node("Sqrt", {s.dense(s.node("Sigmoid", {s.dense(s.input({1, 3}), 3)}, {1, 3}), 2)}, {1, 2}));
  const Parties parties = assign_parties(s.graph, {});
  EXPECT_THAT(operators_of(parties.client.after), ElementsAre("tacit.Within", "Sqrt"));
  for (const auto& [name, attribute] : parties.client.after.nodes[0].attributes) {
    const auto* end = std::get_if<double>(&attribute);
    EXPECT_TRUE(end == nullptr || *end == 0 || std::isinf(*end)) << name;
  }
}

TEST(KeptByClient, ModelsThatOnlyMoveTheirInputsStillEncryptThem) {
  DenseSketch s;
  s.output(s.node("Transpose", {s.input({1, 4})}, {4, 1}, {{"perm", Integers{1, 0}}}));
  const Parties parties = assign_parties(s.graph, {});
  EXPECT_EQ(parties.client.kept, 0u);
  EXPECT_THAT(operators_of(parties.encrypted), ElementsAre("Transpose"));
}

TEST(KeptByClient, WhatIsKnownOfASquareHoldsAfterDecryption) {
  DenseSketch s;
  const TensorId h = s.dense(s.input({1, 3}), 2);
  s.output(s.node("Sqrt", {s.node("Mul", {h, h}, {1, 2})}, {1, 2}));
  const Parties parties = assign_parties(s.graph, {});
  EXPECT_THAT(operators_of(parties.encrypted), ElementsAre("MatMul", "Mul"));
  EXPECT_THAT(operators_of(parties.client.after), ElementsAre("tacit.Within", "Sqrt"));
  const std::vector<Tensor> made = run_after(parties.client, std::vector<Reals>{{-1e-5, 4}});
  EXPECT_THAT(made.at(0).data, ElementsAre(0, 2)) << "a square is at least 0, whatever the noise";
}

}  // namespace
}  // namespace tacit::graph::passes
