#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "graph/onnx/run_model_for_test.h"

namespace tacit::graph::onnx {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

/// Distances from the rows of `w`, as skl2onnx writes them.
std::string distances(const std::string& body, const std::string& rows = "float[3, 2] w = {0, 0, 1, -1, 4, 2}") {
  return "m (float[N, 2] x) => (float[M, N] y) <" + rows + "> { s, y = Scan <num_scan_inputs = 1, body = b " + body +
         "> (x, w) }";
}
const char* const kSquares =
    "(float[N, 2] a, float[2] r) => (float[N, 2] c, float[N] t) { c = Identity(a) d = Sub(a, r) "
    "t = ReduceSumSquare <axes = [1], keepdims = 0> (d) }";

TEST(ControlFlow, AScanOverRowsIsTheSameOperatorsOnAllRows) {
  const Graph graph = import_text(distances(kSquares), 17);
  EXPECT_THAT(operators_of(graph), testing::Contains("ReduceSumSquare").Times(1));
  EXPECT_THAT(operators_of(graph), testing::Contains("Sub").Times(1));
  const std::vector<Tensor> outputs = reference::run(graph, std::vector<Tensor>{{{1, 2}, {3, 1}, false}});
  EXPECT_EQ(outputs.at(0).shape, (Shape{3, 1}));
  EXPECT_THAT(outputs[0].data, ElementsAre(10, 8, 2));
  // Magnitudes, and operands of unequal ranks: the largest of a row is a number, which meets the row again.
  const std::vector<Tensor> more = run_text(
      distances("(float[N, 2] a, float[2] r) => (float[N, 2] c, float[N, 2] t) { c = Identity(a) d = Sub(r, a) "
                "e = Abs(d) k = ReduceMax <keepdims = 0> (r) f = Mul(e, k) t = Identity(f) }"),
      17, {{1, 2}, {3, 1}, false});
  EXPECT_THAT(more.at(0).data, ElementsAre(0, 0, 2, 2, 4, 4));
}

TEST(ControlFlow, OtherScansAreUnrolled) {
  // A running total of the private rows, weighted.
  const char* const text =
      "m (float[1, 3, 2] x) => (float[2] s, float[3, 2] y) < int64[2] k = {3, 2}, float[2] z = {0, 0}, float h = {2} > "
      "{ rows = Reshape(x, k) s, y = Scan <num_scan_inputs = 1, body = b (float[2] a, float[2] r) => (float[2] c, "
      "float[2] t) { p = Mul(r, h) c = Add(a, p) t = Relu(c) }> (z, rows) }";
  const std::vector<Tensor> outputs = run_text(text, 17, {{1, 3, 2}, {1, -2, 3, 4, -5, 0.5}, false});
  EXPECT_THAT(outputs.at(0).data, ElementsAre(-2, 5));
  EXPECT_THAT(outputs.at(1).data, ElementsAre(2, 0, 8, 4, 0, 5));
  EXPECT_EQ(outputs[1].shape, (Shape{3, 2}));
}

TEST(ControlFlow, AConditionThatIsConstantTakesItsBranch) {
  const std::string text =
      "m (float[1, 2] x) => (float[1, 2] y) < float k = {3} > { s = Size(x) two = Constant <value = int64 {2}> () "
      "c = Equal(s, two) y = If (c) <then_branch = a () => (float[1, 2] p) { p = Mul(x, k) }, "
      "else_branch = b () => (float[1, 2] q) { q = LRN <size = 3> (x) }> }";
  const Graph graph = import_text(text, 17);
  EXPECT_THAT(operators_of(graph), ElementsAre("Mul", "Identity")) << "the other branch is not read";
  EXPECT_THAT(run_text(text, 17, {{1, 2}, {1, -2}, false}).at(0).data, ElementsAre(3, -6));
}

TEST(ControlFlow, WithAPrivateConditionBothBranchesAreRun) {
  const auto text = [](const std::string& other) {
    return "m (float[1, 2] x) => (float[1, 2] y) < float k = {3}, float z = {0}, int64[1] all = {-1} > { "
           "t = ReduceSum <keepdims = 0> (x) c = Greater(t, z) y = If (c) <then_branch = a () => (float[1, 2] p) "
           "{ p = Mul(x, k) }, else_branch = b () => (float[1, 2] q) { q = " +
           other + " }> }";
  };
  EXPECT_THAT(run_text(text("Neg(x)"), 17, {{1, 2}, {1, -2}, false}).at(0).data, ElementsAre(-1, 2));
  EXPECT_THAT(run_text(text("Neg(x)"), 17, {{1, 2}, {1, 2}, false}).at(0).data, ElementsAre(3, 6));
  EXPECT_THAT(import_text_refusal(text("Reshape(x, all)"), 17),
              HasSubstr("node 'y' (If): its condition depends on private data, and its branches give shapes [1, 2] and "
                        "[2]"));
}

TEST(ControlFlow, ALoopOfKnownRoundsIsUnrolled) {
  const auto text = [](const std::string& rounds, const std::string& condition) {
    return "m (float[1, 2] x) => (float[1, 2] s, float[M, 1, 2] y) < int64 n = {" + rounds +
           "}, bool on = {1}, float h = {0.5}, int64 last = {1} > { s, y = Loop <body = b (int64 i, bool c, "
           "float[1, 2] a) => (bool d, float[1, 2] e, float[1, 2] t) { d = " +
           condition + " f = Cast <to = 1> (i) g = Add(a, f) e = Mul(g, h) t = Neg(e) }> (n, on, x) }";
  };
  const Tensor x{{1, 2}, {4, -8}, false};
  const std::vector<Tensor> three = run_text(text("3", "Identity(c)"), 17, x);
  EXPECT_THAT(three.at(0).data, ElementsAre(1.75, 0.25));  // 2, 1.5, 1.75 and -4, -1.5, 0.25
  EXPECT_THAT(three.at(1).data, ElementsAre(-2, 4, -1.5, 1.5, -1.75, -0.25));
  EXPECT_THAT(run_text(text("9", "Less(i, last)"), 17, x).at(0).data, ElementsAre(1.5, -1.5)) << "two rounds";
  EXPECT_THAT(
      import_text_refusal("m (float[1, 2] x, int64 n) => (float[1, 2] s) < bool on = {1} > { s = Loop <body = b "
                          "(int64 i, bool c, float[1, 2] a) => (bool c, float[1, 2] e) { e = Neg(a) }> (n, on, "
                          "x) }",
                          17),
      HasSubstr("its number of rounds depends on private data"));
  EXPECT_THAT(import_text_refusal(text("1000000", "Identity(c)"), 17), HasSubstr("have more than 16384 nodes"));
}

TEST(ControlFlow, NetworksInsideNodesAreScreened) {
  const auto refused = [](const std::string& body, const std::string& node = "Scan <num_scan_inputs = 1, body = ") {
    return import_text_refusal(
        "m (float[1, 2] x) => (float[1, 2] y) < float[3, 2] w = {0, 0, 1, -1, 4, 2} > { s, y = " + node + body +
            "> (x, w) }",
        17);
  };
  EXPECT_THAT(refused("b (float[1, 2] a, float[2] r) => (float[1, 2] a, float[2] t) { t = Sub(r, gone) }"),
              HasSubstr("its input 'gone' is computed by no earlier node"));
  EXPECT_THAT(refused("b (float[1, 2] a, float[2] r) => (float[1, 2] a, float[2] gone) { t = Sub(r, a) }"),
              HasSubstr("the output 'gone' of its network is computed by no node"));
  EXPECT_THAT(refused("b (float[1, 2] a) => (float[1, 2] a, float[1, 2] t) { t = Neg(a) }"),
              HasSubstr("its network takes 1 inputs and it has 2"));
  EXPECT_THAT(refused("b (float[1, 2] a, float[2] r) => (float[1, 2] a, float[2] t) { t = own.Sub(r, r) }"),
              HasSubstr("the operator domain 'own' is not supported"));
  EXPECT_THAT(refused("b (float[1, 2] a, float[2] r) => (float[1, 2] a, float[2] t) { t = Neg(r) }",
                      "Scan <scan_input_axes = [1], num_scan_inputs = 1, body = "),
              HasSubstr("attribute 'scan_input_axes' must be 0"));
}

}  // namespace
}  // namespace tacit::graph::onnx
