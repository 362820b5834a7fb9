#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "graph/attribute.h"
#include "graph/limits.h"
#include "graph/onnx/run_model_for_test.h"

// What a model may not hold, before anything of it is computed.
namespace tacit::graph::onnx {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

/// What is said of a small model once it was changed.
std::string screen_refusal(const std::function<void(::onnx::ModelProto&)>& change) {
  ::onnx::ModelProto model =
      text_model("g (float[1, 2] x) => (float[1, 2] y) <float[2] w = {1, 2}> { r = Relu(x) y = Mul(r, w) }");
  change(model);
  return import_refusal(model.SerializeAsString());
}

std::string refused_graph(const std::function<void(::onnx::GraphProto&)>& change) {
  return screen_refusal([&](::onnx::ModelProto& model) { change(*model.mutable_graph()); });
}

TEST(Screen, NamesAreOfBoundedLength) {
  const auto of_model = [](std::size_t bytes) {
    return refused_graph([&](::onnx::GraphProto& graph) { graph.set_name(std::string(bytes, 'g')); });
  };
  EXPECT_EQ(of_model(kLongestModelName), base::kNotRefused);
  EXPECT_THAT(of_model(kLongestModelName + 1),
              HasSubstr("the name of the model has 4097 bytes, and 4096 is the most; shorten it"));
  const auto of_node = [](std::size_t bytes) {
    return refused_graph([&](::onnx::GraphProto& graph) { graph.mutable_node(0)->set_name(std::string(bytes, 'n')); });
  };
  EXPECT_EQ(of_node(kLongestName), base::kNotRefused);
  EXPECT_THAT(of_node(kLongestName + 1), HasSubstr("the name of a node has 65537 bytes, and 65536 is the most"));
  const auto of_tensor = [](std::size_t bytes) {
    return refused_graph([&](::onnx::GraphProto& graph) {
      graph.mutable_node(1)->set_output(0, std::string(bytes, 't'));
      graph.mutable_output(0)->set_name(std::string(bytes, 't'));
    });
  };
  EXPECT_EQ(of_tensor(kLongestName), base::kNotRefused);
  EXPECT_THAT(of_tensor(kLongestName + 1), HasSubstr("the name of a tensor has 65537 bytes, and 65536 is the most"));
}

TEST(Screen, EveryTensorHasAName) {
  EXPECT_THAT(refused_graph([](::onnx::GraphProto& graph) { graph.mutable_initializer(0)->set_name(""); }),
              HasSubstr("an input or a weight tensor has no name"));
  EXPECT_THAT(refused_graph([](::onnx::GraphProto& graph) { graph.mutable_input(0)->set_name(""); }),
              HasSubstr("an input or a weight tensor has no name"));
  EXPECT_THAT(refused_graph([](::onnx::GraphProto& graph) { graph.mutable_node(1)->clear_output(); }),
              HasSubstr("node 'Mul' (Mul): it has no output"));
  EXPECT_THAT(refused_graph([](::onnx::GraphProto& graph) { graph.mutable_node(1)->set_output(0, ""); }),
              HasSubstr("node 'Mul' (Mul): it has no output"));
  EXPECT_THAT(refused_graph([](::onnx::GraphProto& graph) { graph.clear_output(); }),
              HasSubstr("the model has no output"));
}

TEST(Screen, EveryTensorIsDefinedOnce) {
  EXPECT_THAT(refused_graph([](::onnx::GraphProto& graph) { *graph.add_input() = graph.input(0); }),
              HasSubstr("the input 'x' is defined twice"));
  EXPECT_THAT(refused_graph([](::onnx::GraphProto& graph) { *graph.add_initializer() = graph.initializer(0); }),
              HasSubstr("the tensor 'w' is defined twice"));
  EXPECT_THAT(refused_graph([](::onnx::GraphProto& graph) { graph.mutable_node(0)->set_output(0, "w"); }),
              HasSubstr("the tensor 'w' is defined twice"));
  // A weight may stand among the inputs: it is the input's value where none is given.
  EXPECT_EQ(refused_graph([](::onnx::GraphProto& graph) {
              *graph.add_input() = graph.input(0);
              graph.mutable_input(1)->set_name("w");
            }),
            base::kNotRefused);
}

TEST(Screen, AttributesHoldNumbersAndTexts) {
  const auto holding = [](const std::function<void(::onnx::AttributeProto&)>& change) {
    return refused_graph([&](::onnx::GraphProto& graph) {
      ::onnx::AttributeProto& attribute = *graph.mutable_node(0)->add_attribute();
      attribute.set_name("odd");
      change(attribute);
    });
  };
  using Attribute = ::onnx::AttributeProto;
  const std::string
      sparse = "node 'r' (Relu): attribute 'odd' is a sparse tensor, which is not supported",
      type = "node 'r' (Relu): attribute 'odd' is a type, which is not supported",
      flow = "node 'r' (Relu): control flow (a network inside a network) is supported in If, Loop and Scan only",
      elsewhere = "a tensor of node 'r' keeps its data in another file";
  EXPECT_THAT(holding([](Attribute& a) { a.mutable_sparse_tensor(); }), HasSubstr(sparse));
  EXPECT_THAT(holding([](Attribute& a) { a.add_sparse_tensors(); }), HasSubstr(sparse));
  EXPECT_THAT(holding([](Attribute& a) { a.mutable_tp(); }), HasSubstr(type));
  EXPECT_THAT(holding([](Attribute& a) { a.add_type_protos(); }), HasSubstr(type));
  EXPECT_THAT(holding([](Attribute& a) { a.mutable_g(); }), HasSubstr(flow));
  EXPECT_THAT(holding([](Attribute& a) { a.add_graphs(); }), HasSubstr(flow));
  EXPECT_THAT(holding([](Attribute& a) { a.mutable_t()->set_data_location(::onnx::TensorProto::EXTERNAL); }),
              HasSubstr(elsewhere));
  EXPECT_THAT(holding([](Attribute& a) { a.add_tensors()->add_external_data(); }), HasSubstr(elsewhere));
  EXPECT_THAT(holding([](Attribute& a) {
                a.set_type(Attribute::TENSORS);
                a.add_tensors();
              }),
              HasSubstr("node 'r' (Relu): attribute 'odd' has an unsupported type"));
}

TEST(Screen, OperatorsOfMachineLearningNeedTheirSet) {
  EXPECT_THAT(screen_refusal([](::onnx::ModelProto& model) {
                model.clear_opset_import();
                model.add_opset_import()->set_version(17);
                model.mutable_graph()->mutable_node(0)->set_domain("ai.onnx.ml");
              }),
              HasSubstr("node 'r' (Relu): the model does not state its version of the operator set 'ai.onnx.ml'"));
}

TEST(Builder, ASequenceIsAnOutputAlone) {
  EXPECT_THAT(
      import_text_refusal("g (float[1, 3] x) => (float[1, 3] y) { s = SequenceConstruct(x, x) y = Relu(s) }", 17),
      HasSubstr("'s' is a sequence, which only an output of the model may be"));
  const std::vector<Tensor> both = run_text(
      "g (float[1, 3] x) => (float[1, 3] s, float[1, 3] r) { n = Neg(x) m = Relu(n) r = Relu(x) "
      "s = SequenceConstruct(n, m) }",
      17, {{1, 3}, {1, -2, 3}, false});
  ASSERT_EQ(both.size(), 3u) << "the sequence's tensors, and the other output";
  EXPECT_THAT(both[0].data, ElementsAre(-1, 2, -3));
  EXPECT_THAT(both[1].data, ElementsAre(0, 2, 0));
  EXPECT_THAT(both[2].data, ElementsAre(1, 0, 3));
}

TEST(Builder, SaysWhatToDoInstead) {
  EXPECT_THAT(import_text_refusal("g (float[1, 1, 3, 3] x) => (float[A, B, C, D] y) { y = LRN <size = 3> (x) }", 17),
              HasSubstr("(LRN): this operator is not supported; use BatchNormalization"));
  EXPECT_THAT(import_text_refusal("g (float[1, 3] x) => (float[A, B] y) { y = ai.onnx.ml.TreeEnsemble(x) }", 17),
              HasSubstr("node 'y' (TreeEnsemble): this operator does not exist in opset"));
}

TEST(Builder, ConstantsMayBeNumbersAndLists) {
  const Tensor x{{1, 3}, {1, -2, 3}, false};
  const auto results = [&](const std::string& constant, const std::string& node) {
    return run_text("g (float[1, 3] x) => (float[A, B] y) { k = Constant <" + constant + "> () y = " + node + " }", 17,
                    x)
        .at(0);
  };
  EXPECT_THAT(results("value_float = 2.5", "Mul(x, k)").data, ElementsAre(2.5, -5, 7.5));
  EXPECT_THAT(results("value_floats = [1.0, 2.0, 4.0]", "Add(x, k)").data, ElementsAre(2, 0, 7));
  const Tensor one = results("value_int = 1", "Gather <axis = 1> (x, k)");
  EXPECT_THAT(one.data, ElementsAre(-2));
  EXPECT_THAT(one.shape, ElementsAre(1)) << "one number is no axis";
  const Tensor list = results("value_ints = [2, 0]", "Gather <axis = 1> (x, k)");
  EXPECT_THAT(list.data, ElementsAre(3, 1));
  EXPECT_THAT(list.shape, ElementsAre(1, 2));
}

// Zeros, on which shapes are found out, are none of the categories.
TEST(Builder, AnEncoderThatRefusesOtherCategoriesIsRead) {
  const Graph graph = import_text(
      "g (int64[1, 2] x) => (float[A, B, C] y) { y = ai.onnx.ml.OneHotEncoder <cats_int64s = [1, 2, 3], zeros = 0> (x) "
      "}",
      17);
  EXPECT_EQ(integer_attribute(graph.nodes.at(0), "zeros"), 0);
  EXPECT_THAT(graph.tensors[graph.outputs.at(0)].shape, ElementsAre(1, 2, 3));
  const std::vector<Tensor> encoded = reference::run(graph, std::vector{Tensor{{1, 2}, {3, 1}, true}});
  EXPECT_THAT(encoded.at(0).data, ElementsAre(0, 0, 1, 1, 0, 0));
  EXPECT_NE(base::refusal([&] {
              reference::run(graph, std::vector{Tensor{{1, 2}, {0, 1}, true}});
            }),
            base::kNotRefused);
}

TEST(Builder, ConstantsAreOfTheKindThatTheirAttributeStates) {
  const auto constant = [](const std::string& type, const std::string& attribute) {
    const Graph graph = import_text(
        "g (float[1] x) => (float[1] y, " + type + " k) { y = Neg(x) k = Constant <" + attribute + "> () }", 17);
    const TensorId id = graph.outputs.at(1);
    EXPECT_EQ(graph.tensors[id].integral, graph.constant(id).integral) << attribute;
    EXPECT_EQ(graph.tensors[id].text, !graph.constant(id).texts.empty()) << attribute;
    return graph.constant(id);
  };
  const Tensor integer = constant("int64", "value_int = 5"), integers = constant("int64[2]", "value_ints = [5, -6]"),
               real = constant("float", "value_float = 2.5"), reals = constant("float[1]", "value_floats = [2.5]"),
               text = constant("string", "value_string = \"a\""),
               texts = constant("string[2]", "value_strings = [\"a\", \"b\"]");
  EXPECT_TRUE(integer.integral);
  EXPECT_TRUE(integer.shape.empty());
  EXPECT_THAT(integer.data, ElementsAre(5));
  EXPECT_TRUE(integers.integral);
  EXPECT_THAT(integers.shape, ElementsAre(2));
  EXPECT_THAT(integers.data, ElementsAre(5, -6));
  EXPECT_FALSE(real.integral);
  EXPECT_TRUE(real.shape.empty());
  EXPECT_FALSE(reals.integral);
  EXPECT_THAT(reals.shape, ElementsAre(1));
  EXPECT_FALSE(text.integral);
  EXPECT_THAT(text.texts, ElementsAre("a"));
  EXPECT_THAT(text.data, ElementsAre(0));
  EXPECT_FALSE(texts.integral);
  EXPECT_THAT(texts.texts, ElementsAre("a", "b"));
  EXPECT_THAT(texts.data, ElementsAre(0, 1));
}

}  // namespace
}  // namespace tacit::graph::onnx
