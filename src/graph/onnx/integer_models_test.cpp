#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/refusal_for_test.h"
#include "graph/onnx/run_model_for_test.h"

namespace tacit::graph::onnx {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

/// What the constant k that `nodes` make folds to: a model chooses it in place of an input. Expected values are those
/// of ONNX Runtime 1.31.
std::vector<double> folded(const std::string& type, const std::string& weights, const std::string& nodes) {
  const std::string text =
      "g (bool[1] c, " + type + "[1] z) => (" + type + "[N] y) <" + weights + "> { " + nodes + " y = Where(c, k, z) }";
  const std::vector<Tensor> inputs{{{1}, {1}, true}, {{1}, {0}, type.find("int") != std::string::npos}};
  return reference::run(import_text(text, 17), inputs).at(0).data;
}

TEST(IntegerModels, ConstantsWrapAroundInTheirType) {
  EXPECT_THAT(folded("uint8", "uint8[2] a = {200, 3}, uint8[2] b = {100, 4}", "k = Add(a, b)"), ElementsAre(44, 7));
  EXPECT_THAT(folded("uint8", "uint8[2] a = {3, 9}, uint8[2] b = {4, 4}", "k = Sub(a, b)"), ElementsAre(255, 5));
  EXPECT_THAT(folded("int32", "int32[2] a = {65537, -65537}", "k = Mul(a, a)"), ElementsAre(131073, 131073));
  EXPECT_THAT(folded("int32", "int32[1] a = {-2147483648}", "k = Neg(a)"), ElementsAre(-2147483648.0));
  EXPECT_THAT(folded("int8", "int8[2] a = {-128, 5}", "k = Abs(a)"), ElementsAre(-128, 5));
  EXPECT_THAT(folded("int32", "int32[3] a = {2147483647, 1, 1}, int64 d = {0}", "k = CumSum(a, d)"),
              ElementsAre(2147483647, -2147483648.0, -2147483647.0));
  EXPECT_THAT(folded("int64", "int64[2] a = {1099511627776, 3}", "k = Mul(a, a)"), ElementsAre(0, 9));  // 2^80
  EXPECT_THAT(folded("int32", "int32[1, 2] a = {65537, 2}, int32[2, 1] b = {65537, 3}, int64[1] s = {1}",
                     "m = MatMul(a, b) k = Reshape(m, s)"),
              ElementsAre(131079));
  EXPECT_THAT(folded("int32", "int32[2] a = {65537, 2}, int32[2] b = {65537, 3}, int64[1] s = {1}",
                     "m = Einsum <equation = \"i,i->\"> (a, b) k = Reshape(m, s)"),
              ElementsAre(131079));
}

TEST(IntegerModels, CastsWrapAround) {
  EXPECT_THAT(folded("uint8", "int64[3] a = {300, -1, 8589934597}", "k = Cast <to = 2> (a)"), ElementsAre(44, 255, 5));
  EXPECT_THAT(folded("int8", "float[3] a = {300.0, -300.5, 2.9}", "k = Cast <to = 3> (a)"), ElementsAre(44, -44, 2));
  EXPECT_THAT(folded("uint32", "int64[2] a = {-1, 4294967301}", "k = Cast <to = 12> (a)"),
              ElementsAre(4294967295.0, 5));
  EXPECT_THAT(import_text_refusal("g (int32[1] x) => (int32[1] y) <float[1] a = {3000000000.0}> "
                                  "{ k = Cast <to = 6> (a) y = Add(x, k) }",
                                  17),
              HasSubstr("3000000000 has no exact value of type int32"));
}

TEST(IntegerModels, DivisionCutsTowardZeroAndRemaindersFollowTheOperator) {
  EXPECT_THAT(folded("int32", "int32[3] a = {7, -7, -7}, int32[3] b = {2, 2, -2}", "k = Div(a, b)"),
              ElementsAre(3, -3, 3));
  EXPECT_THAT(folded("int64", "int64[1] a = {9007199254740991}, int64[1] b = {2}", "k = Div(a, b)"),
              ElementsAre(4503599627370495.0));
  EXPECT_THAT(folded("int32", "int32[2] a = {-7, 7}, int32[2] b = {3, -3}", "k = Mod(a, b)"), ElementsAre(2, -2));
  EXPECT_THAT(folded("int32", "int32[2] a = {-7, 7}, int32[2] b = {3, -3}", "k = Mod <fmod = 1> (a, b)"),
              ElementsAre(-1, 1));
}

TEST(IntegerModels, RealConstantsAreRoundedToTheirTypeAtEveryStep) {
  // 1 / 0.1 is 10 in float32 and 9.99999985 in double precision.
  EXPECT_THAT(folded("int64", "float[1] a = {1.0}, float[1] b = {0.1}", "q = Div(a, b) k = Cast <to = 7> (q)"),
              ElementsAre(10));
  EXPECT_THAT(folded("int64", "float a = {0.1}, float b = {1.1}, float d = {0.1}, int64[1] s = {1}",
                     "r = Range(a, b, d) n = Size(r) k = Reshape(n, s)"),
              ElementsAre(10));
}

TEST(IntegerModels, IntegersBeyond2To53EndASliceAndAreRefusedElsewhere) {
  const std::string slice =
      "g (float[1, 3] x) => (float[1, 2] y) <int64[1] a = {1}, int64[1] b = {9223372036854775807}, "
      "int64[1] d = {1}> { e = Identity(b) y = Slice(x, a, e, d) }";
  EXPECT_THAT(run_text(slice, 17, {{1, 3}, {1, 2, 3}}).at(0).data, ElementsAre(2, 3));
  for (const char* constant : {"4611686018427387904", "9007199254740993", "-9223372036854775808"}) {
    const std::string text = "g (float[1, 1] x) => (float[1, 1] y) <int64[1] a = {" + std::string(constant) +
                             "}> { f = Cast <to = 1> (a) y = Mul(x, f) }";
    EXPECT_THAT(import_text_refusal(text, 17), HasSubstr("2^53")) << constant;
  }
  EXPECT_THAT(
      import_text_refusal("g (int64[1] x) => (int64[1] y) <int64[1] a = {4611686018427387904}> { y = Add(x, a) }", 17),
      AllOf(HasSubstr("node 'y' (Add)"), HasSubstr("an integer beyond 2^53")));
  EXPECT_THAT(import_text_refusal("g (int64[1] x) => (int64[1] y) <int64[1] a = {4503599627370496}> "
                                  "{ b = Mul(a, a) y = Add(x, b) }",
                                  17),
              base::kNotRefused);  // 2^104 wraps to 0
  EXPECT_THAT(import_text_refusal("g (int64[1] x) => (int64[1] y) <int64[1] a = {3037000500}> "
                                  "{ b = Mul(a, a) y = Add(x, b) }",
                                  17),
              HasSubstr("it makes an integer of type int64 beyond 2^53"));
}

TEST(IntegerModels, ResultsThatRuntimesDoNotAgreeOnAreRefused) {
  EXPECT_THAT(import_text_refusal("g (int32[1] x) => (int32[1] y) <int32[1] a = {65536}, int32[1] b = {2}> "
                                  "{ k = Pow(a, b) y = Add(x, k) }",
                                  17),
              HasSubstr("it makes 4294967296 of integers of type int32"));
  // ONNX Runtime stops at 2147483647, and NumPy wraps around.
  EXPECT_THAT(import_text_refusal("g (int32[1] x) => (int32[1] y) <int32[2] a = {2147483647, 1}, int64[1] d = {0}> "
                                  "{ k = ReduceSum(a, d) y = Add(x, k) }",
                                  17),
              HasSubstr("it makes 2147483648 of integers of type int32"));
  // To the front by ONNX Runtime, an empty slice by the ONNX project.
  EXPECT_THAT(import_text_refusal("g (float[1, 3] x) => (float[1, 3] y) <int64[3] k = {1, 2, 3}, int64[1] a = {2}, "
                                  "int64[1] b = {2147483647}, int64[1] d = {0}, int64[1] e = {-1}> "
                                  "{ s = Slice(k, a, b, d, e) y = Reshape(x, s) }",
                                  17),
              HasSubstr("a slice backward that ends at 2147483647"));
}

TEST(IntegerModels, InputsThatTakeIntegersTakeNoFractions) {
  const Graph graph = import_text("g (uint8[1, 2] x) => (uint8[1, 2] y) <uint8[1] a = {200}> { y = Add(x, a) }", 17);
  const auto refusal = [&](std::vector<double> numbers) {
    return base::refusal([&] { reference::run(graph, std::vector{Tensor{{1, 2}, std::move(numbers), true}}); });
  };
  EXPECT_THAT(reference::run(graph, std::vector{Tensor{{1, 2}, {100, 3}, true}}).at(0).data, ElementsAre(44, 203));
  EXPECT_THAT(refusal({1, 2.5}), AllOf(HasSubstr("input 'x' takes integers (uint8), and element 1")));
  EXPECT_THAT(refusal({256, 2}), HasSubstr("input 'x' takes integers from 0 to 255 (uint8), and element 0"));
  EXPECT_THAT(refusal({-1, 2}), HasSubstr("lies outside"));
}

TEST(IntegerModels, OperandsOfOneTypeAreOfOneType) {
  EXPECT_THAT(import_text_refusal("g (float[1] x) => (float[1] y) <int64[1] a = {1}> { y = Add(x, a) }", 17),
              HasSubstr("its inputs have the element types FLOAT and INT64 where it takes one"));
}

}  // namespace
}  // namespace tacit::graph::onnx
