#include "graph/passes/assign_parties.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <span>

#include "base/error.h"
#include "base/refusal_for_test.h"
#include "graph/compile.h"
#include "graph/passes/deep_network_for_test.h"
#include "graph/passes/sketch.h"
#include "graph/reference/run.h"

namespace tacit::graph::passes {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

using Names = std::vector<std::string>;
using Reals = std::vector<double>;
using Integers = std::vector<std::int64_t>;

Names operators(const Graph& graph) {
  Names result;
  for (const Node& node : graph.nodes) result.push_back(node.op);
  return result;
}

Names tensor_names(const Graph& graph, const std::vector<TensorId>& ids) {
  Names result;
  for (const TensorId id : ids) result.push_back(graph.tensors[id].name);
  return result;
}

/// Cuts a graph, and checks on random inputs that the three parts in turn compute the same as the whole graph.
Parties cut(const Graph& graph, const PartyChoices& choices = {}) {
  Parties parties = assign_parties(graph, choices);
  std::mt19937 random(5);
  std::uniform_real_distribution<double> number(-1, 1);
  for (int round = 0; round < 3; ++round) {
    std::vector<Tensor> inputs;
    for (const TensorId id : graph.inputs) {
      Tensor input{graph.tensors[id].shape, {}, false};
      for (std::int64_t i = 0; i < element_count(input.shape); ++i) input.data.push_back(number(random));
      inputs.push_back(std::move(input));
    }
    const std::vector<Tensor> expected = reference::run(graph, inputs);
    std::vector<std::vector<double>> decrypted;
    for (Tensor& tensor : reference::run(parties.encrypted, run_before(parties.client, inputs)))
      decrypted.push_back(std::move(tensor.data));
    const std::vector<Tensor> got =
        run_after(parties.client, decrypted, kept_tensors(parties.client, std::span<const Tensor>(inputs)));
    EXPECT_EQ(got.size(), expected.size());
    for (std::size_t o = 0; o < std::min(got.size(), expected.size()); ++o) {
      EXPECT_EQ(got[o].shape, expected[o].shape) << o;
      EXPECT_EQ(got[o].integral, expected[o].integral) << o;
      EXPECT_EQ(got[o].texts, expected[o].texts) << o;
      EXPECT_EQ(got[o].data, expected[o].data) << o;
    }
  }
  return parties;
}

std::string party_refusal(const Graph& graph, const PartyChoices& choices = {}) {
  try {
    assign_parties(graph, choices);
  } catch (const base::InputError& error) {
    return error.what();
  }
  return "";
}

/// A sketch with the importer's statements in addition to names and shapes.
struct ImportedSketch : DenseSketch {
  TensorId integral(TensorId id) {
    graph.tensors[id].integral = true;
    return id;
  }
  TensorId integers(const Integers& values) {
    const TensorId id = constant({static_cast<std::int64_t>(values.size())}, {values.begin(), values.end()});
    graph.constants.back().integral = true;
    return integral(id);
  }
  TensorId second_output(const Shape& shape) {
    const TensorId id = tensor_of(shape);
    graph.nodes.back().outputs.push_back(id);
    return id;
  }

 private:
  TensorId tensor_of(const Shape& shape) {
    graph.tensors.push_back({"second", shape, false, -1});
    return static_cast<TensorId>(graph.tensors.size() - 1);
  }
};

const std::map<std::string, Attribute> kLastAxis{{"axis", std::int64_t{-1}}};

TEST(AssignParties, WhatHasNoExactFormBehindTheLastLayerIsTheClients) {
  ImportedSketch s;
  const TensorId scores = s.dense(s.input({1, 4}), 3);
  const TensorId probabilities = s.node("Softmax", {scores}, {1, 3}, kLastAxis);
  s.output(probabilities);
  s.output(
      s.integral(s.node("ArgMax", {probabilities}, {1}, {{"axis", std::int64_t{1}}, {"keepdims", std::int64_t{0}}})));
  const Parties parties = cut(s.graph);
  EXPECT_THAT(operators(parties.encrypted), ElementsAre("MatMul"));
  EXPECT_THAT(operators(parties.client.before), IsEmpty());
  EXPECT_THAT(operators(parties.client.after), ElementsAre("Softmax", "ArgMax"));
  EXPECT_EQ(parties.encrypted.inputs, s.graph.inputs);
  EXPECT_EQ(parties.encrypted.outputs, std::vector<TensorId>{scores});
  ASSERT_EQ(parties.client.nodes.size(), 2u);
  EXPECT_EQ(parties.client.nodes[0].op, "Softmax");
  EXPECT_EQ(parties.client.nodes[1].name, s.graph.nodes[2].name);
  for (const ClientNode& node : parties.client.nodes) {
    EXPECT_FALSE(node.before);
    EXPECT_EQ(node.learned, 0);
  }
}

TEST(AssignParties, OnlyTheLastSigmoidMoves) {
  ImportedSketch s;
  const TensorId hidden = s.node("Sigmoid", {s.dense(s.input({1, 3}), 3)}, {1, 3});
  s.output(s.node("Sigmoid", {s.dense(hidden, 2)}, {1, 2}));
  const Parties parties = cut(s.graph);
  EXPECT_THAT(operators(parties.encrypted), ElementsAre("MatMul", "Sigmoid", "MatMul"));
  EXPECT_THAT(operators(parties.client.after), ElementsAre("Sigmoid"));
}

TEST(AssignParties, LabelsAreTheClients) {
  ImportedSketch s;
  const TensorId scores = s.dense(s.input({1, 4}), 3);
  s.output(s.integral(s.node("tacit.LinearVotes", {scores}, {1},
                             {{"classlabels_ints", Integers{7, 8, 9}}, {"post_transform", std::string("SOFTMAX")}})));
  s.output(s.second_output({1, 3}));
  const Parties parties = cut(s.graph);
  EXPECT_THAT(operators(parties.encrypted), ElementsAre("MatMul"));
  EXPECT_THAT(operators(parties.client.after), ElementsAre("tacit.LinearVotes"));
  EXPECT_EQ(parties.client.nodes.at(0).learned, 0) << "labels are no numbers of the model's layers";
}

TEST(AssignParties, AffineMapsAndProductsInFrontOfTheClientsPartStayWithTheServer) {
  ImportedSketch s;
  TensorId h = s.dense(s.input({1, 4}), 3);
  h = s.node("Add", {h, s.constant({3}, {0.5, -1, 2})}, {1, 3});
  h = s.node("Mul", {h, h}, {1, 3});
  h = s.node("Reshape", {h, s.integers({3, 1})}, {3, 1});
  s.output(s.node("Softmax", {h}, {3, 1}, {{"axis", std::int64_t{0}}}));
  const Parties parties = cut(s.graph);
  EXPECT_THAT(operators(parties.encrypted), ElementsAre("MatMul", "Add", "Mul", "Reshape"));
  EXPECT_THAT(operators(parties.client.after), ElementsAre("tacit.Within", "Softmax")) << "squares";
  // The client's file holds neither weights nor biases.
  EXPECT_TRUE(parties.client.after.constants.empty());
  EXPECT_TRUE(parties.client.before.constants.empty());
}

TEST(AssignParties, WhatLiesBehindAFunctionOfTheClientIsTheClients) {
  ImportedSketch s;
  TensorId h = s.dense(s.input({1, 4}), 3);
  h = s.node("Relu", {h}, {1, 3});
  h = s.node("Mul", {h, s.constant({3}, {2, 3, 4})}, {1, 3});
  s.output(s.node("Add", {h, s.constant({1}, {1})}, {1, 3}));
  const Parties parties = cut(s.graph);
  EXPECT_THAT(operators(parties.encrypted), ElementsAre("MatMul"));
  EXPECT_THAT(operators(parties.client.after), ElementsAre("Relu", "Mul", "Add"));
  ASSERT_EQ(parties.client.nodes.size(), 3u);
  EXPECT_EQ(parties.client.nodes[0].learned, 0);
  EXPECT_EQ(parties.client.nodes[1].learned, 3);
  EXPECT_EQ(parties.client.nodes[2].learned, 1);
}

TEST(AssignParties, AnExpansionInFrontOfTheClientsPartIsNotDecryptedTwice) {
  ImportedSketch s;
  TensorId h = s.dense(s.input({1, 4}), 3);
  h = s.node("Tile", {h, s.integers({2, 5})}, {2, 15});
  s.output(s.node("Softmax", {h}, {2, 15}, kLastAxis));
  EXPECT_THAT(operators(cut(s.graph).client.after), ElementsAre("Tile", "Softmax"));

  // A sum of two layers is one tensor to decrypt instead of two.
  ImportedSketch sum;
  const TensorId x = sum.input({1, 4});
  const TensorId a = sum.dense(x, 3), b = sum.dense(x, 3);
  sum.output(sum.node("Softmax", {sum.node("Add", {a, b}, {1, 3})}, {1, 3}, kLastAxis));
  EXPECT_THAT(operators(cut(sum.graph).client.after), ElementsAre("Softmax"));
}

TEST(AssignParties, OperatorsWithoutAnEncryptedFormBeforeTheFirstLayerAreTheClients) {
  const std::vector<std::pair<std::string, std::map<std::string, Attribute>>> alone{
      {"ai.onnx.ml.Imputer", {{"imputed_value_floats", Reals{1, 2, 3, 4}}, {"replaced_value_float", 0.0}}},
      {"ai.onnx.ml.Binarizer", {{"threshold", 0.25}}},
      {"ai.onnx.ml.Normalizer", {{"norm", std::string("L2")}}},
      {"Sign", {}},
      {"Softmax", kLastAxis}};
  for (const auto& [op, attributes] : alone) {
    SCOPED_TRACE(op);
    ImportedSketch s;
    s.output(s.dense(s.node(op, {s.input({1, 4})}, {1, 4}, attributes), 2));
    const Parties parties = cut(s.graph);
    EXPECT_THAT(operators(parties.client.before), ElementsAre(op));
    EXPECT_THAT(operators(parties.encrypted), ElementsAre("MatMul"));
    EXPECT_EQ(parties.encrypted.inputs, s.graph.nodes[0].outputs);
    ASSERT_EQ(parties.client.nodes.size(), 1u);
    EXPECT_TRUE(parties.client.nodes[0].before);
    EXPECT_EQ(parties.client.nodes[0].learned, op == "ai.onnx.ml.Imputer" ? 4 : 0);
  }
}

TEST(AssignParties, ComparisonsOfTheInputsAreTheClients) {
  ImportedSketch s;
  const TensorId x = s.input({1, 4});
  const TensorId above = s.integral(s.node("Greater", {x, s.constant({4}, {0.1, 0.2, 0.3, 0.4})}, {1, 4}));
  s.output(s.dense(s.node("Cast", {above}, {1, 4}, {{"to", std::int64_t{1}}}), 2));
  const Parties parties = cut(s.graph);
  EXPECT_THAT(operators(parties.client.before), ElementsAre("Greater", "Cast"));
  EXPECT_THAT(operators(parties.encrypted), ElementsAre("MatMul"));
  EXPECT_EQ(parties.client.nodes.at(0).learned, 4) << "the thresholds";
}

const std::map<std::string, Attribute> kScaler{{"offset", Reals{1, 2, 3, 4}}, {"scale", Reals{0.5, 0.25, 2, 1}}};

TEST(AssignParties, AScalerStaysWithTheServerUnlessAnOperatorBehindItPullsItOver) {
  ImportedSketch s;
  s.output(s.dense(s.node("ai.onnx.ml.Scaler", {s.input({1, 4})}, {1, 4}, kScaler), 2));
  EXPECT_THAT(operators(cut(s.graph).encrypted), ElementsAre("ai.onnx.ml.Scaler", "MatMul"));

  ImportedSketch behind;
  const TensorId imputed = behind.node("ai.onnx.ml.Imputer", {behind.input({1, 4})}, {1, 4},
                                       {{"imputed_value_floats", Reals{1}}, {"replaced_value_float", 0.0}});
  behind.output(behind.dense(behind.node("ai.onnx.ml.Scaler", {imputed}, {1, 4}, kScaler), 2));
  EXPECT_THAT(operators(cut(behind.graph).encrypted), ElementsAre("ai.onnx.ml.Scaler", "MatMul"));

  ImportedSketch pulled;
  const TensorId scaled = pulled.node("ai.onnx.ml.Scaler", {pulled.input({1, 4})}, {1, 4}, kScaler);
  pulled.output(pulled.dense(pulled.node("ai.onnx.ml.Normalizer", {scaled}, {1, 4}), 2));
  const Parties parties = cut(pulled.graph);
  EXPECT_THAT(operators(parties.client.before), ElementsAre("ai.onnx.ml.Scaler", "ai.onnx.ml.Normalizer"));
  EXPECT_EQ(parties.client.nodes.at(0).learned, 8) << "offsets and scales";
}

TEST(AssignParties, ALayerInFrontIsNeverPulledOver) {
  // The comparison depends on weights. It stays at the server and is refused.
  ImportedSketch s;
  const TensorId hidden = s.dense(s.input({1, 4}), 3);
  const TensorId above = s.integral(s.node("Greater", {hidden, s.constant({1}, {0})}, {1, 3}));
  s.output(s.dense(s.node("Cast", {above}, {1, 3}, {{"to", std::int64_t{1}}}), 2));
  const Parties parties = assign_parties(s.graph, {});
  EXPECT_THAT(operators(parties.encrypted), ElementsAre("MatMul", "Greater", "Cast", "MatMul"));
  EXPECT_THAT(operators(parties.client.before), IsEmpty());
  EXPECT_THAT([&] { compile(s.graph, {}); },
              testing::ThrowsMessage<base::InputError>(HasSubstr("(Greater): this operator has no encrypted form")));
}

TEST(AssignParties, FunctionsProductsAndMovementsOfTheInputsAreTheClients) {
  ImportedSketch s;
  const TensorId x = s.input({1, 2, 2}), z = s.input({1, 4}, "z");
  TensorId h = s.node("Transpose", {x}, {2, 2, 1}, {{"perm", Integers{1, 2, 0}}});
  h = s.node("Reshape", {h, s.integers({1, 4})}, {1, 4});
  h = s.node("Mul", {h, z}, {1, 4});
  h = s.node("Tanh", {h}, {1, 4});
  s.output(s.dense(h, 2));
  const Parties parties = cut(s.graph);
  EXPECT_THAT(operators(parties.client.before), ElementsAre("Transpose", "Reshape", "Mul", "Tanh"));
  EXPECT_THAT(operators(parties.encrypted), ElementsAre("MatMul"));
  EXPECT_EQ(parties.encrypted.inputs.size(), 1u) << "one tensor is encrypted instead of two";
}

TEST(AssignParties, WhatWouldMakeMoreToEncryptStaysWithTheServer) {
  ImportedSketch padded;
  padded.output(padded.dense(padded.node("Pad", {padded.input({1, 4}), padded.integers({0, 1, 0, 1})}, {1, 6}), 2));
  EXPECT_THAT(operators(cut(padded.graph).encrypted), ElementsAre("Pad", "MatMul"));

  // Both halves and the whole are read: the whole is encrypted anyway.
  ImportedSketch shared;
  const TensorId x = shared.input({1, 4});
  const TensorId turned = shared.node("Reshape", {x, shared.integers({4, 1})}, {4, 1});
  shared.output(shared.node("MatMul", {shared.constant({1, 4}, {1, 2, 3, 4}), turned}, {1, 1}));
  shared.output(shared.dense(x, 2));
  EXPECT_THAT(operators(cut(shared.graph).encrypted), ElementsAre("Reshape", "MatMul", "MatMul"));
}

TEST(AssignParties, AveragesOfTheInputsStayWithTheServer) {
  ImportedSketch s;
  const TensorId pool = s.node("AveragePool", {s.input({1, 1, 4, 4})}, {1, 1, 2, 2},
                               {{"kernel_shape", Integers{2, 2}}, {"strides", Integers{2, 2}}});
  s.output(s.node("Conv", {pool, s.constant({1, 1, 2, 2}, {1, 2, 3, 4})}, {1, 1, 1, 1}));
  EXPECT_THAT(operators(cut(s.graph).encrypted), ElementsAre("AveragePool", "Conv"));
}

const std::map<std::string, Attribute> kTwoByTwo{{"kernel_shape", Integers{2, 2}}, {"strides", Integers{2, 2}}};

TEST(AssignParties, AMaximumBetweenLayersStaysAndAsksForCalibration) {
  ImportedSketch s;
  TensorId h = s.node("Conv", {s.input({1, 1, 4, 4}), s.constant({1, 1, 1, 1}, {2})}, {1, 1, 4, 4});
  h = s.node("MaxPool", {h}, {1, 1, 2, 2}, kTwoByTwo);
  s.output(s.node("Conv", {h, s.constant({1, 1, 2, 2}, {1, 2, 3, 4})}, {1, 1, 1, 1}));
  EXPECT_THAT(operators(assign_parties(s.graph, {}).encrypted), ElementsAre("Conv", "MaxPool", "Conv"));
  EXPECT_THAT([&] { compile(s.graph, {}); }, testing::ThrowsMessage<base::InputError>(
                                                 AllOf(HasSubstr("MaxPool1"), HasSubstr("give calibration data"))));

  // The client takes the maxima before the first layer and after the last one.
  ImportedSketch ends;
  h = ends.node("MaxPool", {ends.input({1, 1, 8, 8})}, {1, 1, 4, 4}, kTwoByTwo);
  h = ends.node("Conv", {h, ends.constant({1, 1, 1, 1}, {2})}, {1, 1, 4, 4});
  ends.output(ends.node("MaxPool", {h}, {1, 1, 2, 2}, kTwoByTwo));
  const Parties parties = cut(ends.graph);
  EXPECT_THAT(operators(parties.client.before), ElementsAre("MaxPool"));
  EXPECT_THAT(operators(parties.encrypted), ElementsAre("Conv"));
  EXPECT_THAT(operators(parties.client.after), ElementsAre("MaxPool"));
}

ImportedSketch thresholded() {
  ImportedSketch s;
  const TensorId h = s.dense(s.input({1, 4}), 3);
  const TensorId scaled = s.node("Mul", {s.node("Relu", {h}, {1, 3}), s.constant({3}, {2, 3, 4})}, {1, 3});
  s.output(s.node("Softmax", {scaled}, {1, 3}, kLastAxis));
  return s;
}

TEST(AssignParties, KeptNodesStayWithTheServerWithAllThatTheyDependOn) {
  const ImportedSketch s = thresholded();
  const Parties parties = cut(s.graph, {.keep_private = {"Mul2"}});
  EXPECT_THAT(operators(parties.encrypted), ElementsAre("MatMul", "Relu", "Mul"));
  EXPECT_THAT(operators(parties.client.after), ElementsAre("tacit.Within", "Softmax"))
      << "a Relu times positive numbers";
  EXPECT_TRUE(parties.client.after.constants.empty());

  ImportedSketch in_front;
  in_front.output(in_front.dense(in_front.node("Tanh", {in_front.input({1, 4})}, {1, 4}), 2));
  EXPECT_THAT(operators(cut(in_front.graph, {.keep_private = {"Tanh0"}}).encrypted), ElementsAre("Tanh", "MatMul"));
}

TEST(AssignParties, KeptNodesThatDoNotExistOrHaveNoEncryptedFormAreRefused) {
  const ImportedSketch s = thresholded();
  EXPECT_EQ(party_refusal(s.graph, {.keep_private = {"Mul9"}}),
            "--keep-private names 'Mul9', which is no node of the model");
  EXPECT_EQ(party_refusal(s.graph, {.keep_private = {"Softmax3"}}),
            "node 'Softmax3' (Softmax): this operator has no encrypted form, and --keep-private forbids the client to "
            "run it");
  // The result of a kept node is the input of an operator that only the client could run.
  ImportedSketch scaled;
  const TensorId x = scaled.node("ai.onnx.ml.Scaler", {scaled.input({1, 4})}, {1, 4}, kScaler);
  scaled.output(scaled.dense(scaled.node("ai.onnx.ml.Normalizer", {x}, {1, 4}), 2));
  const PartyChoices choices{.keep_private = {scaled.graph.nodes[0].name}};
  EXPECT_THAT(operators(assign_parties(scaled.graph, choices).encrypted),
              ElementsAre("ai.onnx.ml.Scaler", "ai.onnx.ml.Normalizer", "MatMul"));
  CompileOptions options;
  options.keep_private = choices.keep_private;
  EXPECT_THAT([&] { compile(scaled.graph, options); },
              testing::ThrowsMessage<base::InputError>(HasSubstr("(ai.onnx.ml.Normalizer)")));
}

TEST(AssignParties, EitherPartOfTheClientMayBeForbidden) {
  ImportedSketch s;
  const TensorId hidden = s.dense(s.node("Tanh", {s.input({1, 4})}, {1, 4}), 3);
  s.output(s.node("Softmax", {hidden}, {1, 3}, kLastAxis));
  const Parties no_before = cut(s.graph, {.before = false});
  EXPECT_THAT(operators(no_before.client.before), IsEmpty());
  EXPECT_THAT(operators(no_before.encrypted), ElementsAre("Tanh", "MatMul"));
  EXPECT_THAT(operators(no_before.client.after), ElementsAre("Softmax"));
  EXPECT_EQ(no_before.encrypted.inputs, s.graph.inputs);
  const Parties no_after = cut(s.graph, {.after = false});
  EXPECT_THAT(operators(no_after.client.before), ElementsAre("Tanh"));
  EXPECT_THAT(operators(no_after.encrypted), ElementsAre("MatMul", "Softmax"));
  const Parties none = cut(s.graph, {.before = false, .after = false});
  EXPECT_EQ(none.encrypted.nodes.size(), 3u);
  EXPECT_TRUE(none.client.nodes.empty());
  EXPECT_EQ(none.encrypted.outputs, s.graph.outputs);
}

TEST(AssignParties, AModelThatTheClientCouldRunByItselfIsStillEncrypted) {
  ImportedSketch softmax;
  softmax.output(softmax.node("Softmax", {softmax.input({1, 4})}, {1, 4}, kLastAxis));
  const Parties alone = cut(softmax.graph);
  EXPECT_THAT(operators(alone.encrypted), IsEmpty());
  EXPECT_EQ(alone.encrypted.inputs, softmax.graph.inputs);
  EXPECT_EQ(alone.encrypted.outputs, softmax.graph.inputs);
  EXPECT_THAT(operators(alone.client.after), ElementsAre("Softmax"));

  ImportedSketch square;
  const TensorId x = square.input({1, 4});
  square.output(square.node("Mul", {x, x}, {1, 4}));
  EXPECT_THAT(operators(cut(square.graph).encrypted), ElementsAre("Mul")) << "the server computes what it can";

  ImportedSketch sigmoid;
  TensorId h = sigmoid.node("Add", {sigmoid.input({1, 4}), sigmoid.constant({1}, {1})}, {1, 4});
  sigmoid.output(sigmoid.node("Sigmoid", {h}, {1, 4}));
  const Parties parties = cut(sigmoid.graph);
  EXPECT_THAT(operators(parties.encrypted), ElementsAre("Add"));
  EXPECT_THAT(operators(parties.client.after), ElementsAre("Sigmoid"));
}

TEST(AssignParties, MarksOfMissingNumbersAreSoughtInTheInputsThemselves) {
  // The mark comes back from decryption as -0.9999999.
  const std::map<std::string, Attribute> marks{{"imputed_value_floats", Reals{5}}, {"replaced_value_float", -1.0}};
  ImportedSketch alone;
  alone.output(alone.node("ai.onnx.ml.Imputer", {alone.input({1, 4})}, {1, 4}, marks));
  EXPECT_THAT(party_refusal(alone.graph), HasSubstr("there is nothing to encrypt"));

  ImportedSketch behind;
  const TensorId scaled = behind.node("Mul", {behind.input({1, 4}), behind.constant({1}, {2})}, {1, 4});
  behind.output(behind.node("Softmax", {behind.node("ai.onnx.ml.Imputer", {scaled}, {1, 4}, marks)}, {1, 4}));
  const Parties parties = cut(behind.graph);
  EXPECT_THAT(operators(parties.client.before), ElementsAre("Mul", "ai.onnx.ml.Imputer"));
  EXPECT_THAT(operators(parties.client.after), ElementsAre("Softmax"));
}

TEST(AssignParties, AFunctionOfScaledInputsIsTheClients) {
  ImportedSketch s;
  const TensorId scaled = s.node("Mul", {s.input({1, 4}), s.constant({4}, {2, 3, 4, 5})}, {1, 4});
  s.output(s.dense(s.node("Clip", {scaled, s.constant({}, {0}), s.constant({}, {1})}, {1, 4}), 3));
  EXPECT_THAT(operators(cut(s.graph).client.before), ElementsAre("Mul", "Clip"));
  EXPECT_THAT(operators(cut(s.graph).encrypted), ElementsAre("MatMul"));

  ImportedSketch learned;
  const TensorId hidden = learned.dense(learned.input({1, 3}), 3);
  learned.output(learned.dense(learned.node("Relu", {hidden}, {1, 3}), 2));
  EXPECT_THAT(operators(cut(learned.graph).client.before), IsEmpty()) << "weights of a layer stay with the server";
}

TEST(AssignParties, WholeNumbersThatTheServerMixesAreNotWholeBehindDecryption) {
  // 2.9999999 would be truncated to 2.
  const std::map<std::string, Attribute> to_real{{"to", std::int64_t{1}}}, to_integer{{"to", std::int64_t{7}}},
      to_boolean{{"to", std::int64_t{9}}};
  for (const auto& cut_off : {to_integer, to_boolean}) {
    ImportedSketch s;
    const TensorId x = s.integral(s.input({1, 3}));
    const TensorId sum = s.dense(s.node("Cast", {x}, {1, 3}, to_real), 2);
    s.output(s.integral(s.node("Cast", {sum}, {1, 2}, cut_off)));
    EXPECT_THAT(party_refusal(s.graph), HasSubstr("(Cast): it needs exact numbers"));
  }
}

TEST(AssignParties, ZerosThatNoiseDoesNotMoveMayBeAskedFor) {
  // scikit-learn's converter guards its divisions like this: are all probabilities 0?
  const std::map<std::string, Attribute> to_boolean{{"to", std::int64_t{9}}};
  const auto guarded = [&](auto probabilities) {
    ImportedSketch s;
    const TensorId scores = s.dense(s.input({1, 3}), 2);
    const TensorId sum =
        s.node("ReduceSum", {probabilities(s, scores), s.integers({1})}, {1, 1}, {{"keepdims", std::int64_t{1}}});
    s.output(s.integral(s.node("Cast", {sum}, {1, 1}, to_boolean)));
    return s;
  };
  const auto clipped_above = [](double least) {
    return [least](ImportedSketch& s, TensorId scores) {
      const TensorId clipped = s.node("Clip", {scores, s.constant({}, {least}), s.constant({}, {1})}, {1, 2});
      return s.node("Div", {s.node("Add", {clipped, s.constant({}, {1})}, {1, 2}), s.constant({}, {2})}, {1, 2});
    };
  };
  const auto sigmoid = [](ImportedSketch& s, TensorId scores) {
    const TensorId grown = s.node("Add", {s.node("Exp", {scores}, {1, 2}), s.constant({}, {1})}, {1, 2});
    return s.node("Reciprocal", {grown}, {1, 2});
  };
  EXPECT_THAT(operators(cut(guarded(sigmoid).graph).client.after),
              ElementsAre("Exp", "Add", "tacit.OffZero", "Reciprocal", "ReduceSum", "Cast"));
  EXPECT_THAT(operators(cut(guarded(clipped_above(-1)).graph).client.after),
              ElementsAre("Clip", "Add", "Div", "ReduceSum", "Cast"));
  EXPECT_THAT(party_refusal(guarded(clipped_above(-2)).graph), HasSubstr("(Cast): it needs exact numbers"))
      << "a clipped -1 would become 0 only without noise";
  EXPECT_THAT(party_refusal(guarded([](ImportedSketch& s, TensorId scores) {
                              return s.node("Neg", {s.node("Exp", {scores}, {1, 2})}, {1, 2});
                            }).graph),
              HasSubstr("(Cast): it needs exact numbers"));
}

TEST(AssignParties, WhatWasLearnedDoesNotGoInFrontOfEncryption) {
  // Distances from three classes. If Softmax had to stay with the server, they would stay too.
  ImportedSketch s;
  const TensorId distances =
      s.node("Sub", {s.input({1, 1, 4}), s.constant({1, 3, 4}, std::vector<double>(12, 0.5))}, {1, 3, 4});
  const TensorId probabilities = s.node("Softmax", {distances}, {1, 3, 4}, kLastAxis);
  const TensorId kept = s.node("Neg", {probabilities}, {1, 3, 4});
  s.output(kept);
  const std::string name = s.graph.nodes.back().name;
  const Parties parties = assign_parties(s.graph, {.keep_private = {name}});
  EXPECT_THAT(operators(parties.client.before), IsEmpty());
}

TEST(AssignParties, AnInputThatIsAnOutputIsKeptAlsoWhereTheServerReadsIt) {
  ImportedSketch s;
  const TensorId x = s.input({1, 4});
  s.output(s.dense(x, 3));
  s.output(x);
  const Parties parties = cut(s.graph);
  EXPECT_THAT(tensor_names(parties.encrypted, parties.encrypted.outputs), ElementsAre("MatMul0"));
  EXPECT_THAT(kept_outputs(parties.client), ElementsAre("x"));
  EXPECT_EQ(parties.encrypted.inputs, s.graph.inputs);
}

TEST(AssignParties, WhatTheClientKnowsBeforehandIsJudgedOnTheInputsThemselves) {
  // The comparison must not read inputs that were decrypted, because these are near the threshold.
  ImportedSketch s;
  const TensorId x = s.input({1, 3});
  const TensorId above = s.integral(s.node("Greater", {x, s.constant({1}, {0.25})}, {1, 3}));
  const TensorId scores = s.dense(x, 3);
  s.output(s.node("Where", {above, scores, s.constant({1}, {-9})}, {1, 3}));
  const Parties parties = cut(s.graph);
  EXPECT_THAT(tensor_names(parties.encrypted, parties.encrypted.inputs), ElementsAre("x", "Greater0"));
  EXPECT_THAT(operators(parties.client.before), ElementsAre("Greater"));
  EXPECT_THAT(operators(parties.client.after), ElementsAre("Where"));

  ImportedSketch label;
  const TensorId y = label.input({1, 3});
  label.output(label.dense(y, 2));
  label.output(
      label.integral(label.node("ArgMax", {y}, {1}, {{"axis", std::int64_t{1}}, {"keepdims", std::int64_t{0}}})));
  EXPECT_THAT(operators(cut(label.graph).client.before), ElementsAre("ArgMax"));
}

TEST(AssignParties, TextsThatWouldHaveToBeEncryptedAreRefused) {
  ImportedSketch s;
  const TensorId x = s.input({1, 3});
  const TensorId positive = s.integral(s.node("Greater", {s.dense(x, 3), s.constant({1}, {0})}, {1, 3}));
  const TensorId names = s.node("ai.onnx.ml.LabelEncoder", {x}, {1, 3},
                                {{"keys_floats", Reals{0, 1}}, {"values_strings", Names{"no", "yes"}}});
  s.graph.tensors[names].text = true;
  s.output(s.node("Where", {positive, names, names}, {1, 3}));
  s.graph.tensors[s.graph.outputs[0]].text = true;
  EXPECT_THAT(party_refusal(s.graph),
              AllOf(HasSubstr("node '" + s.graph.tensors[names].name + "' (ai.onnx.ml.LabelEncoder)"),
                    HasSubstr("holds texts, which would have to be encrypted")));
}

// ColumnTransformer drops columns, and exporters leave their inputs.
TEST(AssignParties, InputsThatNothingReadsAreNotEncrypted) {
  ImportedSketch s;
  const TensorId dropped = s.input({1, 1}, "dropped"), x = s.input({1, 3}, "x"), row = s.input({1, 1}, "row");
  s.graph.tensors[dropped].text = true;
  s.output(s.dense(x, 3));
  const Parties parties = cut(s.graph);
  EXPECT_THAT(parties.encrypted.inputs, ElementsAre(x));
  EXPECT_EQ(parties.client.before.inputs.size(), 3u);
  EXPECT_NE(row, x);
  Tensor name{{1, 1}, {0}, false};
  name.texts = {"Ada"};
  const std::vector<Tensor> encrypted =
      run_before(parties.client, std::vector<Tensor>{name, {{1, 3}, {1, 2, 3}, false}, {{1, 1}, {9}, false}});
  ASSERT_EQ(encrypted.size(), 1u);
  EXPECT_THAT(encrypted[0].data, ElementsAre(1, 2, 3));
}

TEST(AssignParties, WholeNumbersThatWereEncryptedAreWholeAgain) {
  // The server reads the comparison, and a later operator of the client does too.
  ImportedSketch s;
  const TensorId x = s.input({1, 3});
  const TensorId above = s.integral(s.node("Greater", {x, s.constant({1}, {0.25})}, {1, 3}));
  const TensorId hidden = s.dense(s.node("Cast", {above}, {1, 3}, {{"to", std::int64_t{1}}}), 3);
  s.output(s.node("Where", {above, hidden, s.constant({1}, {-9})}, {1, 3}));
  const Parties parties = cut(s.graph);
  EXPECT_THAT(operators(parties.client.before), ElementsAre("Greater"));
  const Graph& after = parties.client.after;
  std::vector<std::vector<double>> decrypted(after.inputs.size());
  for (std::size_t i = 0; i < decrypted.size(); ++i) decrypted[i] = {1e-6, 1 - 1e-6, -1e-6};
  const std::vector<double> shown = run_after(parties.client, decrypted).at(0).data;
  EXPECT_EQ(shown[0], -9) << "a zero that came back as 1e-6 is no choice";
  EXPECT_NE(shown[1], -9);
  EXPECT_EQ(shown[2], -9);
}

TEST(AssignParties, OutputsWithoutElementsAreRefused) {
  Sketch s;
  s.output(s.node("TopK", {s.input({1, 4}), s.constant({1}, {0})}, {1, 0}));
  EXPECT_THAT([&] { assign_parties(s.graph, {}); },
              testing::ThrowsMessage<base::InputError>(HasSubstr("of shape [1, 0] has no element: there is nothing")));
}

/// Numbers of the model are reals; integers are labels.
TEST(AssignParties, OfTablesOfLabelsTheClientLearnsTheReals) {
  ImportedSketch s;
  const TensorId best =
      s.integral(s.node("ArgMax", {s.dense(s.input({1, 4}), 3)}, {1, 1}, {{"axis", std::int64_t{1}}}));
  s.output(
      s.node("ai.onnx.ml.LabelEncoder", {best}, {1, 1},
             {{"keys_tensor", Tensor{{3}, {0, 1, 2}, true}}, {"values_tensor", Tensor{{3}, {0.5, 1.5, 2.5}, false}}}));
  const Parties parties = cut(s.graph);
  ASSERT_EQ(parties.client.nodes.size(), 2u);
  EXPECT_EQ(parties.client.nodes[0].learned, 0);
  EXPECT_EQ(parties.client.nodes[1].op, "ai.onnx.ml.LabelEncoder");
  EXPECT_EQ(parties.client.nodes[1].learned, 3);
}

/// More than 1024 reals that an index picks from are an embedding.
TEST(AssignParties, LargeTablesStayWithTheServer) {
  const auto before = [](std::int64_t rows) {
    ImportedSketch s;
    const TensorId table = s.constant({rows, 1}, Reals(static_cast<std::size_t>(rows), 0.5));
    const TensorId found = s.node("Gather", {table, s.integral(s.input({1, 1}))}, {1, 1, 1});
    s.output(s.node("MatMul", {found, s.constant({1, 2}, {1, 2})}, {1, 1, 2}));
    return operators(assign_parties(s.graph, {}).client.before);
  };
  EXPECT_THAT(before(1024), ElementsAre("Gather"));
  EXPECT_THAT(before(1025), ElementsAre("tacit.IndexRows")) << "the server multiplies them with the table";
}

TEST(AssignParties, AffineMapsThatMakeUpTo4096NumbersOfFewerStayWithTheServer) {
  const auto after = [](std::int64_t width) {
    ImportedSketch s;
    const TensorId h = s.dense(s.input({1, 4}), 1);
    const TensorId sum = s.node("Add", {h, s.constant({width}, Reals(static_cast<std::size_t>(width), 1))}, {1, width});
    s.output(s.node("Softmax", {sum}, {1, width}, kLastAxis));
    return operators(assign_parties(s.graph, {}).client.after);
  };
  EXPECT_THAT(after(4096), ElementsAre("Softmax"));
  EXPECT_THAT(after(4097), ElementsAre("Add", "Softmax"));
}

TEST(AssignParties, InputsOfTextsAreNotEncrypted) {
  ImportedSketch s;
  const TensorId positive = s.integral(s.node("Greater", {s.dense(s.input({1, 3}), 3), s.constant({1}, {0})}, {1, 3}));
  const TensorId names = s.input({1, 3}, "names");
  s.graph.tensors[names].text = true;
  s.output(s.node("Where", {positive, names, names}, {1, 3}));
  s.graph.tensors[s.graph.outputs[0]].text = true;
  EXPECT_EQ(party_refusal(s.graph),
            "input 'names' holds texts, where numbers are needed to encrypt: encode them (OneHotEncoder, LabelEncoder) "
            "in front of the first layer");
}

TEST(AssignParties, InputsAreJoinedByTheClientUnlessThatMakesMoreOrSeveralTensors) {
  const std::map<std::string, Attribute> columns{{"axis", std::int64_t{1}}};
  ImportedSketch joined;
  const TensorId x = joined.input({1, 2}), y = joined.input({1, 3}, "y");
  joined.output(joined.dense(joined.node("Concat", {x, y}, {1, 5}, columns), 2));
  EXPECT_THAT(operators(cut(joined.graph).client.before), ElementsAre("Concat"));

  ImportedSketch longer;
  const TensorId z = longer.input({1, 2});
  longer.output(longer.dense(longer.node("Concat", {z, longer.constant({1, 1}, {7})}, {1, 3}, columns), 2));
  EXPECT_THAT(operators(cut(longer.graph).encrypted), ElementsAre("Concat", "MatMul"));

  ImportedSketch split;
  const TensorId first = split.node("Split", {split.input({1, 4}), split.integers({1, 3})}, {1, 1}, columns);
  const TensorId second = split.second_output({1, 3});
  split.output(split.dense(first, 2));
  split.output(split.dense(second, 2));
  EXPECT_THAT(operators(cut(split.graph).encrypted), ElementsAre("Split", "MatMul", "MatMul"));
}

TEST(AssignParties, AProductOfTwoInputsHoldsNoWeights) {
  ImportedSketch s;
  const TensorId x = s.input({1, 2}), y = s.input({2, 2}, "y");
  s.output(s.dense(s.node("MatMul", {x, y}, {1, 2}), 3));
  const Parties parties = cut(s.graph);
  EXPECT_THAT(operators(parties.client.before), ElementsAre("MatMul"));
  EXPECT_THAT(operators(parties.encrypted), ElementsAre("MatMul"));
}

TEST(AssignParties, ShapesAreNotLearned) {
  ImportedSketch s;
  const TensorId probabilities = s.node("Softmax", {s.dense(s.input({1, 4}), 3)}, {1, 3}, kLastAxis);
  s.output(s.node("Reshape", {probabilities, s.integers({3, 1})}, {3, 1}));
  const Parties parties = cut(s.graph);
  ASSERT_EQ(parties.client.nodes.size(), 2u);
  EXPECT_EQ(parties.client.nodes[1].op, "Reshape");
  EXPECT_EQ(parties.client.nodes[1].learned, 0);
}

TEST(AssignParties, WhatAPulledOperatorMakesKnownIsLookedAtAgain) {
  // The square comes before the operator that moves its operand to the client.
  ImportedSketch s;
  const TensorId scaled = s.node("Mul", {s.input({1, 4}), s.constant({4}, {2, 3, 4, 5})}, {1, 4});
  const TensorId squared = s.node("Mul", {scaled, scaled}, {1, 4});
  const TensorId normalised = s.node("ai.onnx.ml.Normalizer", {scaled}, {1, 4});
  s.output(s.dense(squared, 2));
  s.output(s.dense(normalised, 2));
  const Parties parties = cut(s.graph);
  EXPECT_THAT(operators(parties.client.before), ElementsAre("Mul", "Mul", "ai.onnx.ml.Normalizer"));
  EXPECT_THAT(operators(parties.encrypted), ElementsAre("MatMul", "MatMul"));
}

TEST(AssignParties, OnlyArithmeticAndMovementsPrepareInputsForAFunction) {
  ImportedSketch moved;
  const TensorId doubled = moved.node("Mul", {moved.input({4, 1}), moved.constant({1}, {2})}, {4, 1});
  const TensorId row = moved.node("Reshape", {doubled, moved.integers({1, 4})}, {1, 4});
  moved.output(moved.dense(moved.node("Tanh", {row}, {1, 4}), 2));
  EXPECT_THAT(operators(cut(moved.graph).client.before), ElementsAre("Mul", "Reshape", "Tanh"));

  ImportedSketch product;
  const TensorId scaled = product.node("Mul", {product.input({1, 4}), product.constant({1}, {2})}, {1, 4});
  const TensorId squared = product.node("Mul", {scaled, scaled}, {1, 4});
  product.output(product.dense(product.node("Tanh", {squared}, {1, 4}), 2));
  EXPECT_THAT(operators(cut(product.graph).encrypted), ElementsAre("Mul", "Mul", "Tanh", "MatMul"));

  ImportedSketch averages;
  const TensorId pool = averages.node("AveragePool", {averages.input({1, 1, 4, 4})}, {1, 1, 2, 2}, kTwoByTwo);
  const TensorId bent = averages.node("Tanh", {pool}, {1, 1, 2, 2});
  averages.output(averages.node("Conv", {bent, averages.constant({1, 1, 2, 2}, {1, 2, 3, 4})}, {1, 1, 1, 1}));
  EXPECT_THAT(operators(cut(averages.graph).encrypted), ElementsAre("AveragePool", "Tanh", "Conv"));
}

TEST(AssignParties, WhereAllWouldBeTheClientsWhatIsSetAgainstRowsStaysWithTheServer) {
  ImportedSketch s;
  const TensorId x = s.input({1, 4, 1}), y = s.input({1, 1, 4}, "y");
  s.output(s.node("Softmax", {s.node("Mul", {x, y}, {1, 4, 4})}, {1, 4, 4}, kLastAxis));
  const Parties parties = cut(s.graph, {.after = false});
  EXPECT_THAT(operators(parties.encrypted), ElementsAre("Mul", "Softmax"));
  EXPECT_TRUE(parties.client.nodes.empty());
}

TEST(AssignParties, NoMoreAndNoLargerTensorsAreDecrypted) {
  const std::map<std::string, Attribute> columns{{"axis", std::int64_t{1}}};
  ImportedSketch tiled;  // the last operator of all
  tiled.output(tiled.node("Tile", {tiled.dense(tiled.input({1, 4}), 3), tiled.integers({2, 5})}, {2, 15}));
  EXPECT_THAT(operators(cut(tiled.graph).client.after), ElementsAre("Tile"));

  const auto halves = [&](bool both) {
    ImportedSketch s;
    const TensorId h = s.dense(s.input({1, 4}), 4);
    const TensorId first = s.node("Split", {h, s.integers({1, 3})}, {1, 1}, columns);
    const TensorId second = s.second_output({1, 3});
    s.output(s.node("Softmax", {first}, {1, 1}, kLastAxis));
    if (both) s.output(s.node("Softmax", {second}, {1, 3}, kLastAxis));
    return operators(cut(s.graph).client.after);
  };
  EXPECT_THAT(halves(true), ElementsAre("Split", "Softmax", "Softmax")) << "one tensor instead of two";
  EXPECT_THAT(halves(false), ElementsAre("Softmax")) << "nobody reads the second half";

  ImportedSketch twice;  // what the second Softmax reads is decrypted anyway
  const TensorId h = twice.dense(twice.input({1, 4}), 3);
  const TensorId column = twice.node("Reshape", {h, twice.integers({3, 1})}, {3, 1});
  twice.output(twice.node("Softmax", {column}, {3, 1}, {{"axis", std::int64_t{0}}}));
  twice.output(twice.node("Softmax", {h}, {1, 3}, kLastAxis));
  EXPECT_THAT(operators(cut(twice.graph).client.after), ElementsAre("Reshape", "Softmax", "Softmax"));
}

TEST(AssignParties, AnOperandThatOneReaderIsLeftForIsDecryptedNoMore) {
  // The server adds in place of the client, which then needs the first operand for the product alone.
  ImportedSketch s;
  const TensorId x = s.input({1, 4});
  const TensorId a = s.dense(x, 3), b = s.dense(x, 3);
  s.output(s.node("Softmax", {s.node("Add", {a, b}, {1, 3})}, {1, 3}, kLastAxis));
  s.output(s.node("Softmax", {s.node("Mul", {a, s.constant({3}, {2, 3, 4})}, {1, 3})}, {1, 3}, kLastAxis));
  const Parties parties = cut(s.graph);
  EXPECT_THAT(operators(parties.encrypted), ElementsAre("MatMul", "MatMul", "Add", "Mul"));
  EXPECT_THAT(operators(parties.client.after), ElementsAre("Softmax", "Softmax"));
}

// Channels last, as Keras has them.
TEST(AssignParties, TheLastTransposeIsTheClientsWithTheReshapesBehindIt) {
  const std::map<std::string, Attribute> last{{"perm", Integers{0, 2, 3, 1}}};
  const auto detector = [&](bool product) {
    ImportedSketch s;
    const TensorId x = s.input({1, 1, 2, 2});
    const TensorId maps = s.node("Conv", {x, s.constant({3, 1, 1, 1}, {1, 2, 3})}, {1, 3, 2, 2});
    const TensorId moved = s.node("Transpose", {maps}, {1, 2, 2, 3}, last);
    const TensorId rows = s.node("Reshape", {moved, s.integers({4, 3})}, {4, 3});
    s.output(product ? s.node("Mul", {rows, rows}, {4, 3}) : rows);
    return s.graph;
  };
  const Parties parties = cut(detector(false));
  EXPECT_THAT(operators(parties.encrypted), ElementsAre("Conv"));
  EXPECT_THAT(operators(parties.client.after), ElementsAre("Transpose", "Reshape"));
  EXPECT_THAT(operators(cut(detector(true)).encrypted), ElementsAre("Conv", "Transpose", "Reshape", "Mul"));
  EXPECT_THAT(operators(cut(detector(false), {.after = false}).encrypted), ElementsAre("Conv", "Transpose", "Reshape"));
  EXPECT_THAT(operators(cut(detector(false), {.tables = true}).encrypted), ElementsAre("Conv", "Transpose", "Reshape"));
  EXPECT_THAT(operators(cut(detector(false), {.keep_private = {"Transpose1"}}).encrypted),
              ElementsAre("Conv", "Transpose", "Reshape"));
}

TEST(AssignParties, AReshapeAloneStaysWithTheServer) {
  ImportedSketch s;
  s.output(s.node("Reshape", {s.dense(s.input({1, 4}), 6), s.integers({2, 3})}, {2, 3}));
  EXPECT_THAT(operators(cut(s.graph).encrypted), ElementsAre("MatMul", "Reshape"));
}

TEST(AssignParties, ATransposeOfInputsOrBeforeALayerIsNotTheLastOne) {
  const std::map<std::string, Attribute> swapped{{"perm", Integers{1, 0}}};
  ImportedSketch s;
  const TensorId h = s.dense(s.input({1, 4}), 3);
  const TensorId column = s.node("Transpose", {h}, {3, 1}, swapped);
  s.output(column);
  s.output(s.node("MatMul", {column, s.constant({1, 2}, {1, 2})}, {3, 2}));
  EXPECT_THAT(operators(cut(s.graph).encrypted), ElementsAre("MatMul", "Transpose", "MatMul"));
}

TEST(AssignParties, TheFirstNodeIsRefusedLikeAllOthers) {
  ImportedSketch s;
  s.output(s.dense(s.node("Softmax", {s.input({1, 4})}, {1, 4}, kLastAxis), 2));
  const PartyChoices choices{.keep_private = {"Softmax0"}};
  EXPECT_EQ(base::refusal([&] { assign_parties(s.graph, choices); }),
            "node 'Softmax0' (Softmax): this operator has no encrypted form, and --keep-private forbids the client to "
            "run it");
}

}  // namespace
}  // namespace tacit::graph::passes
