#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "base/error.h"
#include "base/refusal_for_test.h"
#include "graph/onnx/import.h"
#include "graph/onnx/run_model_for_test.h"
#include "graph/onnx/text_model.h"

namespace tacit::graph::onnx {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::string with_batch(const std::string& batch, const std::string& nodes, const std::string& result = "[Q, R]") {
  return "g (float[" + batch + ", 3] x) => (float" + result + " y) { " + nodes + " }";
}

TEST(BatchRows, ModelsThatMixTheRowsOfASymbolicBatchAreRefusedByTheNodeThatDoes) {
  const auto refused = [](const std::string& nodes, const std::string& node) {
    EXPECT_THAT(import_text_refusal(with_batch("N", nodes)),
                AllOf(HasSubstr(node), HasSubstr("it mixes the rows of a batch"),
                      HasSubstr("export the model with a fixed batch")))
        << nodes;
    EXPECT_EQ(import_text_refusal(with_batch("4", nodes)), base::kNotRefused) << nodes;
  };
  refused("r = Relu(x) y = Softmax <axis = 0> (r)", "node 'y' (Softmax)");
  refused("m = ReduceMean <axes = [0]> (x) y = Sub(x, m)", "node 'm' (ReduceMean)");
  refused("t = Transpose <perm = [1, 0]> (x) y = MatMul(x, t)", "node 'y' (MatMul)");
  refused("t = Transpose <perm = [1, 0]> (x) y = MatMul(t, x)", "node 'y' (MatMul)");
  refused("t = Transpose <perm = [1, 0]> (x) y = Softmax(t)", "node 'y' (Softmax)");
  refused("k = Constant <value = int64[1] {0}> () y = Gather <axis = 0> (x, k)", "node 'y' (Gather)");
  refused("y = ArgMax <axis = 0> (x)", "node 'y' (ArgMax)");
  refused("k = Constant <value = int64 {0}> () y = CumSum(x, k)", "node 'y' (CumSum)");
  refused("y = LpNormalization <axis = 0> (x)", "node 'y' (LpNormalization)");
  // What only a run tells: shapes are those of rows alone.
  refused("y = Concat <axis = 0> (x, x)", "node 'y' (Concat)");
  refused(
      "s = Constant <value = int64[1] {-1}> () e = Constant <value = int64[1] {-9}> () "
      "a = Constant <value = int64[1] {0}> () y = Slice(x, s, e, a, s)",
      "node 'y' (Slice)");
  refused("y = Trilu(x)", "node 'y' (Trilu)");
  refused("s = Constant <value = int64[2] {1, -1}> () f = Reshape(x, s) y = ai.onnx.ml.Normalizer(f)",
          "node 'y' (ai.onnx.ml.Normalizer)");
  refused("s = Shape(x) z = Constant <value = int64 {0}> () n = Gather(s, z) c = Cast <to = 1> (n) y = Div(x, c)",
          "node 'y' (Div)");
}

TEST(BatchRows, ModelsThatTreatEveryRowAloneAreAccepted) {
  for (const char* nodes :
       {"y = Softmax <axis = 1> (x)", "y = ReduceMean <axes = [1]> (x)",
        "t = Transpose <perm = [1, 0]> (x) y = Softmax <axis = 0> (t)", "s = Shape(x) y = Reshape(x, s)",
        "y = Concat <axis = 1> (x, x)", "k = Constant <value = int64[2] {1, 3}> () y = Reshape(x, k)"})
    EXPECT_EQ(import_text_refusal(with_batch("N", nodes)), base::kNotRefused) << nodes;
}

TEST(BatchRows, TheFirstNodeThatMixesIsNamed) {
  EXPECT_THAT(import_text_refusal(with_batch("N", "t = Trilu(x) y = Neg(t)")),
              HasSubstr("node 't' (Trilu): it mixes the rows"));
  EXPECT_THAT(import_text_refusal(with_batch("N", "a = Neg(x) t = Trilu(a) b = Neg(t) y = Neg(b)")),
              HasSubstr("node 't' (Trilu): it mixes the rows"));
}

// Shapes and operators do not settle it: rows are run alone and together.
TEST(BatchRows, WhatEveryRowSharesIsTheSameForAll) {
  const auto accepted = [](const std::string& inputs, const std::string& nodes) {
    EXPECT_EQ(import_text_refusal("g (" + inputs + ") => (float[Q, R] y) { " + nodes + " }"), base::kNotRefused)
        << nodes;
  };
  accepted("float[N, 3] x, float[3] s", "a = Add(x, s) y = Einsum <equation = \"ij->ij\"> (a)");
  accepted("float[3] s, float[N, 3] x", "a = Mul(x, s) y = Einsum <equation = \"ij->ij\"> (a)");
  accepted("float[N, 3] x, float[N, 3] z", "a = Sub(x, z) y = Einsum <equation = \"ij->ij\"> (a)");
  EXPECT_THAT(import_text_refusal("g (float[N, 3] x, float[3] s) => (float[Q, R] y) { a = Add(x, s) y = Trilu(a) }"),
              HasSubstr("node 'y' (Trilu)"));
}

TEST(BatchRows, ANetworkThatIsTooLargeToCompareIsRefused) {
  const auto network = [](const std::string& batch) {
    return import_text_refusal(
        "g (float[" + batch +
        ", 1, 512, 512] x) => (float[Q, R] y) <int64[4] s = {16, 1, 11, 11}> { w = ConstantOfShape(s) "
        "c = Conv <pads = [5, 5, 5, 5]> (x, w) m = GlobalAveragePool(c) f = Flatten(m) "
        "y = Einsum <equation = \"ij->ij\"> (f) }");
  };
  EXPECT_THAT(network("N"), AllOf(HasSubstr("would take too long to find out"),
                                  HasSubstr("export it with a batch of one in place of the open one")));
  EXPECT_EQ(network("1"), base::kNotRefused);
}

// Results of three rows of x, t and y are kept up to 2^22 elements.
TEST(BatchRows, OfALargeNetworkTheNodeThatMakesTheResultIsNamed) {
  const auto network = [](int columns) {
    return import_text_refusal(
        fmt::format("g (float[N, {}] x) => (float[Q, R] y) {{ t = Trilu(x) y = Neg(t) }}", columns));
  };
  EXPECT_THAT(network(466033), HasSubstr("node 't' (Trilu): it mixes the rows"));
  EXPECT_THAT(network(466034), HasSubstr("node 'y' (Neg): it mixes the rows"));
}

// Every one of these knows how many rows there are: n.
TEST(BatchRows, ResultsOfRowsAreAlikeWithinATenthOfAThousandth) {
  const auto of_count = [](const std::string& constants, const std::string& nodes) {
    return import_text_refusal("g (float[N, 3] x) => (float[Q, R] y) <int64 first = {0}, " + constants +
                               "> { s = Shape(x) m = Gather(s, first) n = Cast <to = 1> (m) " + nodes + " }");
  };
  // An offset of each row, which for three rows grows by two steps.
  const auto offset = [&](const std::string& start, const std::string& step) {
    return of_count("float zero = {0}, float start = {" + start + "}, float step = {" + step + "}",
                    "o = Mul(x, zero) d = Mul(n, step) e = Add(d, start) y = Add(o, e)");
  };
  EXPECT_EQ(offset("1000.0", "0.04"), base::kNotRefused) << "0.08 of 1000";
  EXPECT_THAT(offset("1000.0", "0.06"), HasSubstr("it mixes the rows of a batch")) << "0.12 of 1000";
  EXPECT_EQ(offset("0.0", "0.00004"), base::kNotRefused) << "0.00008 of one";
  EXPECT_THAT(offset("0.0", "0.000075"), HasSubstr("it mixes the rows of a batch")) << "0.00015 of one";
  EXPECT_THAT(of_count("float two = {2}", "d = Sub(two, n) y = Mul(x, d)"), HasSubstr("it mixes the rows of a batch"))
      << "x of one row, -x of three";
}

TEST(BatchRows, AFixedBatchIsTakenApartWhereItsRowsAreAlone) {
  const auto shape_of = [](const std::string& nodes) {
    const Graph graph = import_bytes(text_model_bytes(with_batch("4", nodes), 17), "m.onnx", {}, {{"x", {1, 3}}});
    return graph.tensors[graph.inputs[0]].shape;
  };
  EXPECT_EQ(shape_of("y = Softmax <axis = 1> (x)"), (Shape{1, 3}));
  EXPECT_THAT(base::refusal([&] { shape_of("y = Softmax <axis = 0> (x)"); }),
              HasSubstr("it mixes the rows of a batch"));
  EXPECT_THAT(base::refusal([&] { shape_of("k = Constant <value = int64[2] {4, 3}> () y = Reshape(x, k)"); }),
              HasSubstr("the model holds the number of rows of its batch"));
  EXPECT_THAT(base::refusal([&] { shape_of("k = Constant <value = int64[2] {1, 3}> () y = Reshape(x, k)"); }),
              HasSubstr("the model holds the number of rows of its batch"));
}

TEST(BatchRows, ABatchThatMustBeAMultipleIsNamed) {
  const std::string fours = "k = Constant <value = int64[3] {-1, 4, 3}> () y = Reshape(x, k)";
  EXPECT_THAT(import_text_refusal(with_batch("N", fours, "[P, Q, R]")),
              AllOf(HasSubstr("node 'y' (Reshape)"), HasSubstr("The model takes batches of 4 rows together"),
                    HasSubstr("--shape")));
  EXPECT_EQ(base::refusal([&] {
              import_bytes(text_model_bytes(with_batch("N", fours, "[P, Q, R]"), 17), "m.onnx", {}, {{"x", {4, 3}}});
            }),
            base::kNotRefused);
}

}  // namespace
}  // namespace tacit::graph::onnx
