#include "graph/onnx/import.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "graph/onnx/text_model.h"
#include "graph/operators_for_test.h"
#include "graph/reference/run.h"

namespace tacit::graph::onnx {
namespace {

using testing::ElementsAre;

Graph imported(const std::string& text, int opset = 17, const Bindings& bindings = {}) {
  return import_bytes(text_model_bytes(text, opset), "test", bindings);
}

TEST(Import, BindsTheSymbolicBatchToOne) {
  const Graph graph = imported(
      "g (float[N, 3] x) => (float[N, 2] y) <float[3, 2] w = {1, 2, 3, 4, 5, 6}> "
      "{ y = MatMul(x, w) }");
  ASSERT_EQ(graph.inputs.size(), 1U);
  EXPECT_THAT(graph.tensors[graph.inputs[0]].shape, ElementsAre(1, 3));
  EXPECT_THAT(graph.tensors[graph.outputs[0]].shape, ElementsAre(1, 2));
  EXPECT_EQ(graph.tensors[graph.inputs[0]].name, "x");
  ASSERT_EQ(graph.constants.size(), 1U);
  EXPECT_THAT(graph.constants[0].data, ElementsAre(1, 2, 3, 4, 5, 6));
  const Tensor y = reference::run(graph, std::vector{Tensor{{1, 3}, {1, 10, 100}}}).at(0);
  EXPECT_THAT(y.data, ElementsAre(1 + 30 + 500, 2 + 40 + 600));
}

TEST(Import, KeepsAFixedBatch) {
  const Graph graph = imported("g (float[4, 3] x) => (float[4, 3] y) { y = Relu(x) }");
  EXPECT_THAT(graph.tensors[graph.inputs[0]].shape, ElementsAre(4, 3));
}

TEST(Import, FoldsAShapeSubgraphToOneReshape) {
  const Graph graph = imported(R"(g (float[N, 2, 3] x) => (float[N, M] y) {
      all = Shape(x)
      first = Constant <value = int64[1] {0}> ()
      batch = Gather <axis = 0> (all, first)
      rest = Constant <value = int64[1] {-1}> ()
      target = Concat <axis = 0> (batch, rest)
      y = Reshape(x, target)
    })");
  EXPECT_THAT(operators_of(graph), ElementsAre("Reshape"));
  EXPECT_THAT(graph.tensors[graph.outputs[0]].shape, ElementsAre(1, 6));
  ASSERT_TRUE(graph.is_constant(graph.nodes[0].inputs[1]));
  EXPECT_THAT(graph.constant(graph.nodes[0].inputs[1]).data, ElementsAre(1, -1));
  EXPECT_TRUE(graph.constant(graph.nodes[0].inputs[1]).integral);
  EXPECT_EQ(graph.constants.size(), 1U);
}

// In version 4 of LabelEncoder NaN matches a key NaN, and before it matches none.
TEST(Import, NanIsAKeyOfLabelEncoderFromVersionFourOn) {
  const auto encoded = [](std::int64_t version) {
    ::onnx::ModelProto model = text_model(
        "g (float[1, 3] x) => (float[1, 3] y) "
        "{ y = ai.onnx.ml.LabelEncoder <keys_floats = [1.0, 2.0, 3.0], values_floats = [10.0, 20.0, 30.0], "
        "default_float = -5.0> (x) }");
    for (auto& attribute : *model.mutable_graph()->mutable_node(0)->mutable_attribute())
      if (attribute.name() == "keys_floats") attribute.set_floats(1, std::nanf(""));
    for (auto& entry : *model.mutable_opset_import())
      if (entry.domain() == "ai.onnx.ml") entry.set_version(version);
    const Graph graph = import_bytes(model.SerializeAsString(), "test", {});
    return reference::run(graph, std::vector{Tensor{{1, 3}, {1, std::nan(""), 3}}}).at(0).data;
  };
  EXPECT_THAT(encoded(4), ElementsAre(10, 20, 30));
  EXPECT_THAT(encoded(3), ElementsAre(10, -5, 30));
}

TEST(Import, DropsWhatNoOutputNeeds) {
  const Graph graph = imported(
      "g (float[1, 2] x, float[1, 2] unused) => (float[1, 2] y) <float[2] w = {1, 2}> "
      "{ dead = Add(x, w) y = Relu(x) deader = Exp(dead) }");
  EXPECT_THAT(operators_of(graph), ElementsAre("Relu"));
  EXPECT_EQ(graph.inputs.size(), 2U) << "inputs stay in the model's order, read or not";
  EXPECT_TRUE(graph.constants.empty());
  EXPECT_EQ(graph.tensors.size(), 3U);
}

TEST(Import, GivesEveryNodeAName) {
  ::onnx::ModelProto model = text_model("g (float[1, 2] x) => (float[1, 2] y) { a = Relu(x) b = Exp(a) y = Neg(b) }");
  model.mutable_graph()->mutable_node(0)->set_name("b");
  model.mutable_graph()->mutable_node(2)->set_name("b");
  const Graph graph = import_bytes(model.SerializeAsString(), "test", {});
  std::set<std::string> names;
  for (const Node& node : graph.nodes) names.insert(node.name);
  EXPECT_THAT(names, ElementsAre("b", "b#2", "b#3"));
}

TEST(Import, TreatsInputsWithAValueAsConstants) {
  const Graph graph = imported("g (float[1, 2] x, float[2] w = {3, 4}) => (float[1, 2] y) { y = Mul(x, w) }");
  ASSERT_EQ(graph.inputs.size(), 1U);
  EXPECT_THAT(graph.constants.at(0).data, ElementsAre(3, 4));
}

TEST(Import, BindingsTurnInputsIntoConstants) {
  const std::string text = "g (float[1, 2] x, float[M] w) => (float[1, 2] y) { d = Add(w, w) y = Mul(x, d) }";
  const Graph graph = imported(text, 17, {{"w", Tensor{{2}, {3, 4}}}});
  ASSERT_EQ(graph.inputs.size(), 1U);
  EXPECT_THAT(operators_of(graph), ElementsAre("Mul"));
  EXPECT_THAT(graph.constants.at(0).data, ElementsAre(6, 8));
}

TEST(Import, ConvertsOlderOpsets) {
  const Graph graph = imported(
      "g (float[1, 4, 1] x) => (float[1, 2] y) { s = Squeeze <axes = [2]> (x) "
      "y = Slice <axes = [1], starts = [1], ends = [3]> (s) }",
      9);
  EXPECT_THAT(operators_of(graph), ElementsAre("Squeeze", "Slice"));
  EXPECT_THAT(graph.constant(graph.nodes[0].inputs.at(1)).data, ElementsAre(2));
  EXPECT_THAT(reference::run(graph, std::vector{Tensor{{1, 4, 1}, {1, 2, 3, 4}}}).at(0).data, ElementsAre(2, 3));
}

TEST(Import, ConvertsTheOldSoftmaxOverSeveralAxes) {
  // Before opset 13 everything from the axis on was one row.
  const Graph graph = imported("g (float[1, 2, 2] x) => (float[1, 2, 2] y) { y = Softmax <axis = 1> (x) }", 11);
  const Tensor y = reference::run(graph, std::vector{Tensor{{1, 2, 2}, {0, 0, 0, 0}}}).at(0);
  EXPECT_THAT(y.data, ElementsAre(0.25, 0.25, 0.25, 0.25));
  EXPECT_THAT(y.shape, ElementsAre(1, 2, 2));
}

TEST(Import, ReadsANewerFileFormatOfAKnownOpset) {
  ::onnx::ModelProto model = text_model("g (float[1, 2] x) => (float[1, 2] y) { y = Relu(x) }");
  model.set_ir_version(10);
  EXPECT_THAT(operators_of(import_bytes(model.SerializeAsString(), "test")), ElementsAre("Relu"));
}

TEST(Import, AcceptsOutputsWithoutAStatedShape) {
  ::onnx::ModelProto model = text_model("g (float[1, 2] x) => (float[1, 2] y) { y = Relu(x) }");
  model.mutable_graph()->mutable_output(0)->mutable_type()->mutable_tensor_type()->clear_shape();
  EXPECT_THAT(import_bytes(model.SerializeAsString(), "test").tensors.back().shape, ElementsAre(1, 2));
}

TEST(Import, ReadsHalfPrecisionWeights) {
  ::onnx::ModelProto model = text_model("g (float[1, 2] x) => (float[1, 2] y) <float[2] w = {0, 0}> { y = Mul(x, w) }");
  constexpr int kHalf = ::onnx::TensorProto::FLOAT16;
  model.mutable_graph()->mutable_input(0)->mutable_type()->mutable_tensor_type()->set_elem_type(kHalf);
  model.mutable_graph()->mutable_output(0)->mutable_type()->mutable_tensor_type()->set_elem_type(kHalf);
  auto* weights = model.mutable_graph()->mutable_initializer(0);
  weights->set_data_type(kHalf);
  weights->clear_float_data();
  weights->set_raw_data(std::string("\x00\x3e\x00\xc0", 4));  // 1.5 and -2
  const Graph graph = import_bytes(model.SerializeAsString(), "test", {});
  EXPECT_THAT(graph.constants.at(0).data, ElementsAre(1.5, -2));
  EXPECT_FALSE(graph.tensors[graph.inputs[0]].integral);
}

TEST(Import, ClassifiersAndTheirZipMapsKeepTheirDomain) {
  ::onnx::ModelProto model = text_model(R"(g (float[N, 2] x) => (int64[N] label, float[N, 2] map) {
      z = Relu(x)
      label, scores = LinearClassifier <classlabels_ints = [7, 9], coefficients = [1.0, 0.0, 0.0, 1.0],
                                        intercepts = [0.5, 0.0], post_transform = "NONE"> (z)
      map = ZipMap <classlabels_int64s = [7, 9]> (scores)
    })");
  for (int i : {1, 2}) model.mutable_graph()->mutable_node(i)->set_domain("ai.onnx.ml");
  const Graph graph = import_bytes(model.SerializeAsString(), "test", {});
  EXPECT_THAT(operators_of(graph), ElementsAre("Relu", "ai.onnx.ml.LinearClassifier", "ai.onnx.ml.ZipMap"));
  EXPECT_THAT(graph.tensors[graph.outputs.at(0)].shape, ElementsAre(1));
  EXPECT_TRUE(graph.tensors[graph.outputs[0]].integral);
  EXPECT_THAT(graph.tensors[graph.outputs.at(1)].shape, ElementsAre(1, 2));
  const auto outputs = reference::run(graph, std::vector{Tensor{{1, 2}, {1, 2}}});
  EXPECT_THAT(outputs.at(0).data, ElementsAre(9));
  EXPECT_THAT(outputs.at(1).data, ElementsAre(1.5, 2));
}

}  // namespace
}  // namespace tacit::graph::onnx
