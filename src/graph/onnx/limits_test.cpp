#include "graph/limits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph/onnx/run_model_for_test.h"

namespace tacit::graph::onnx {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::string tensor(int number) { return std::string("a").append(std::to_string(number)); }

/// `count` nodes, each of which reads the result of the one before: "a0" is the first operand, and "a<count>" the last
/// result. `%` stands for the operand.
std::string chain(const std::string& call, int count) {
  std::string nodes;
  for (int i = 0; i < count; ++i) {
    const std::string from = tensor(i);
    std::string step = call;
    for (std::size_t at = step.find('%'); at != std::string::npos; at = step.find('%')) step.replace(at, 1, from);
    nodes.append(tensor(i + 1)).append(" = ").append(step).append(" ");
  }
  return nodes;
}

TEST(Limits, InputsAndResultsAreBoundedByTheirShapes) {
  EXPECT_THAT(import_text_refusal("g (float[1, 268435456] x) => (float[1, 1] y) { y = ReduceMean <axes = [1]> (x) }"),
              AllOf(HasSubstr("input 'x' of shape [1, 268435456] has 268435456 elements"), HasSubstr("4194304")));
  EXPECT_THAT(import_text_refusal("g (float[1, 1, 1, 1] x) => (float[1, 1, A, B] y) <float[1, 1, 1, 1] w = {1}> "
                                  "{ y = Conv <pads = [8000, 8000, 8000, 8000]> (x, w) }"),
              AllOf(HasSubstr("node 'y' (Conv)"), HasSubstr("[1, 1, 16001, 16001] has 256032001 elements"),
                    HasSubstr("4194304")));
  EXPECT_THAT(import_text_refusal("g (float[1, 1, 1, 1] x) => (float[1, 1, A, B] y) "
                                  "<int64[8] p = {0, 0, 8000, 8000, 0, 0, 8000, 8000}> { y = Pad(x, p) }"),
              HasSubstr("node 'y' (Pad)"));
  EXPECT_THAT(
      import_text_refusal("g (float[1, 4] a0) => (float[A, B] a24) { " + chain("Concat <axis = 1> (%, %)", 24) + "}"),
      AllOf(HasSubstr("(Concat)"), HasSubstr("has 8388608 elements")));
}

TEST(Limits, ResultsAreBoundedInTotal) {
  EXPECT_THAT(
      import_text_refusal("g (float[1, 4194304] a0) => (float[A, B] a8) { " + chain("Neg (%)", 8) + "}"),
      AllOf(HasSubstr("node 'a4' (Neg)"), HasSubstr("20971520 elements by now"), HasSubstr("is the most for a file")));
}

TEST(Limits, ConstantsAreBoundedBeforeTheyAreComputed) {
  EXPECT_THAT(import_text_refusal("g (float[1] x) => (float[A] y) <int64[1] s = {268435456}> { k = ConstantOfShape(s) "
                                  "m = ReduceMax <keepdims = 1> (k) y = Mul(x, m) }"),
              AllOf(HasSubstr("node 'k' (ConstantOfShape)"), HasSubstr("268435456 elements by now"),
                    HasSubstr("16777220 is the most")));
  EXPECT_THAT(import_text_refusal("g (float[1] x) => (float[A] y) <float[4] a0 = {1, 2, 3, 4}> { " +
                                  chain("Concat <axis = 0> (%, %)", 30) + "y = Mul(x, a30) }"),
              HasSubstr("elements by now"));
  EXPECT_THAT(import_text_refusal("g (float[1] x) => (float[A] y) <float a = {0}, float b = {2e8}, float c = {1}> "
                                  "{ r = Range(a, b, c) y = Mul(x, r) }"),
              HasSubstr("node 'r' (Range)"));
  EXPECT_THAT(import_text_refusal(
                  "g (float[1] x) => (float[A, B] y) <int64[2] i = {0, 1}, int64 d = {134217728}, float[2] v = {0, 1}> "
                  "{ h = OneHot(i, d, v) y = Mul(x, h) }"),
              HasSubstr("(OneHot)"));
}

TEST(Limits, WorkIsBoundedBeforeItIsDone) {
  // 2^22 elements of 2^11 products each.
  EXPECT_THAT(
      import_text_refusal("g (float[1] x) => (float[A, B] y) <int64[2] s = {2048, 2048}> { k = ConstantOfShape(s) "
                          "p = MatMul(k, k) y = Mul(x, p) }"),
      AllOf(HasSubstr("node 'p' (MatMul)"), HasSubstr("steps by now")));
  EXPECT_THAT(import_text_refusal(
                  "g (float[2048, 2048] x) => (float[A, B] y) <int64[2] s = {2048, 2048}> { k = ConstantOfShape(s) "
                  "y = MatMul(x, k) }"),
              AllOf(HasSubstr("node 'y' (MatMul)"), HasSubstr("multiplications by now")));
}

TEST(Limits, LongTextsCount) {
  const std::string text(1 << 16, 'a');
  ::onnx::ModelProto model = text_model("g (float[1] x) => (float[1] y) { y = Identity(x) }");
  auto* weight = model.mutable_graph()->add_initializer();
  weight->set_name("a0");
  weight->set_data_type(::onnx::TensorProto::STRING);
  weight->add_dims(1);
  weight->add_string_data(text);
  for (int i = 0; i < 3000; ++i) {
    auto* node = model.mutable_graph()->add_node();
    node->set_op_type("Identity");
    node->add_input(tensor(i));
    node->add_output(tensor(i + 1));
  }
  EXPECT_THAT(import_refusal(model.SerializeAsString()), HasSubstr("elements by now"));
}

TEST(Limits, ManyNodesAreRead) {
  const Graph graph =
      import_text("g (float[1, 4] a0) => (float[1, 4] a5000) { " + chain("Identity (%)", 5000) + "}", 17);
  EXPECT_EQ(graph.nodes.size(), 5000U);
}

}  // namespace
}  // namespace tacit::graph::onnx
