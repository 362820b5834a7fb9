#include "graph/passes/operator_kind.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/refusal_for_test.h"
#include "graph/compile.h"
#include "graph/passes/sketch.h"

namespace tacit::graph::passes {
namespace {

using testing::HasSubstr;

using Attributes = std::map<std::string, Attribute>;
using Integers = std::vector<std::int64_t>;

/// The operands of the node that is classified.
struct Operands : Sketch {
  TensorId x = input({2, 2});
  TensorId y = input({2, 2}, "y");
  TensorId k = constant({2, 2}, {1, 2, 3, 4});
  TensorId scalar = constant({}, {2});
  OperatorKind of(const std::string& op, std::vector<TensorId> inputs, Attributes attributes = {}) {
    const TensorId out = node(op, std::move(inputs), {2, 2}, std::move(attributes));
    (void)out;
    return kind_of(graph, graph.nodes.back());
  }
};

TEST(OperatorKind, FunctionsAreOfOnePrivateTensor) {
  Operands s;
  for (const std::string op :
       {"Relu", "Gelu", "Mish", "Celu", "Selu", "Swish", "Erf", "Exp", "Log", "Sqrt", "Sigmoid"}) {
    EXPECT_EQ(s.of(op, {s.x}), OperatorKind::function) << op;
  }
  EXPECT_EQ(s.of("PRelu", {s.x, s.k}), OperatorKind::function);
  EXPECT_EQ(s.of("PRelu", {s.x, s.y}), OperatorKind::none) << "a private slope";
  EXPECT_EQ(s.of("Clip", {s.x, s.scalar}), OperatorKind::function);
  EXPECT_EQ(s.of("Max", {s.x, s.scalar}), OperatorKind::function);
  EXPECT_EQ(s.of("Max", {s.scalar, s.x}), OperatorKind::function);
  EXPECT_EQ(s.of("Max", {s.x, s.k}), OperatorKind::none) << "another bound for every element";
  EXPECT_EQ(s.of("Min", {s.x, s.y}), OperatorKind::none);
}

TEST(OperatorKind, FunctionsWithJumpsHaveNoEncryptedForm) {
  Operands s;
  for (const std::string op : {"Ceil", "Floor", "Round", "Sign"}) {
    EXPECT_EQ(s.of(op, {s.x}), OperatorKind::none) << op;
    EXPECT_EQ(kind_of(s.graph, s.graph.nodes.back(), true), OperatorKind::function) << "a table: " << op;
  }
  EXPECT_EQ(s.of("ThresholdedRelu", {s.x}, {{"alpha", 1.0}}), OperatorKind::none) << "from 0 to 1 at once";
  EXPECT_EQ(s.of("ThresholdedRelu", {s.x}), OperatorKind::none) << "its threshold is 1 where nothing is stated";
  EXPECT_EQ(s.of("ThresholdedRelu", {s.x}, {{"alpha", 0.0}}), OperatorKind::function) << "a Relu";
  EXPECT_EQ(s.of("Shrink", {s.x}), OperatorKind::none) << "from 0 to 0.5 at once";
  EXPECT_EQ(s.of("Shrink", {s.x}, {{"lambd", 0.25}, {"bias", 0.25}}), OperatorKind::function) << "soft";
}

TEST(OperatorKind, ArithmeticIsAffineInEveryPrivateOperand) {
  Operands s;
  for (const std::string op : {"Add", "Sub", "Sum", "Mean"}) {
    EXPECT_EQ(s.of(op, {s.x, s.k}), OperatorKind::affine) << op;
    EXPECT_EQ(s.of(op, {s.x, s.y}), OperatorKind::affine) << op;
    EXPECT_EQ(s.of(op, {s.k, s.x}), OperatorKind::affine) << op;
  }
  EXPECT_EQ(s.of("Neg", {s.x}), OperatorKind::affine);
  EXPECT_EQ(s.of("Mul", {s.x, s.k}), OperatorKind::affine);
  EXPECT_EQ(s.of("Mul", {s.k, s.x}), OperatorKind::affine);
  EXPECT_EQ(s.of("Mul", {s.x, s.y}), OperatorKind::product);
  EXPECT_EQ(s.of("Mul", {s.x, s.x}), OperatorKind::product);
  EXPECT_EQ(s.of("Div", {s.x, s.k}), OperatorKind::affine);
  EXPECT_EQ(s.of("Div", {s.scalar, s.x}), OperatorKind::function);
  EXPECT_EQ(s.of("Div", {s.k, s.x}), OperatorKind::none);
  EXPECT_EQ(s.of("Div", {s.x, s.y}), OperatorKind::none);
  EXPECT_EQ(s.of("BatchNormalization", {s.x, s.k, s.k, s.k, s.k}), OperatorKind::affine);
  EXPECT_EQ(s.of("BatchNormalization", {s.x, s.k, s.k, s.k, s.k}, {{"training_mode", std::int64_t{1}}}),
            OperatorKind::none);
  EXPECT_EQ(s.of("BatchNormalization", {s.x, s.y, s.k, s.k, s.k}), OperatorKind::none);
  EXPECT_EQ(s.of("ai.onnx.ml.Scaler", {s.x}), OperatorKind::affine);
  const TensorId quotient = s.node("Div", {s.x, s.k}, {2, 2});
  s.graph.tensors[quotient].integral = true;
  EXPECT_EQ(kind_of(s.graph, s.graph.nodes.back()), OperatorKind::none) << "a whole quotient is rounded";
}

TEST(OperatorKind, PowersAreProductsWhereTheExponentIsWhole) {
  Operands s;
  const auto power = [&](double exponent) { return s.of("Pow", {s.x, s.constant({}, {exponent})}); };
  EXPECT_EQ(power(2), OperatorKind::product);
  EXPECT_EQ(power(64), OperatorKind::product);
  EXPECT_EQ(power(65), OperatorKind::function);
  EXPECT_EQ(power(0.5), OperatorKind::function);
  EXPECT_EQ(power(-1), OperatorKind::function);
  EXPECT_EQ(s.of("Pow", {s.x, s.constant({2, 1}, {3, 3})}), OperatorKind::product);
  EXPECT_EQ(s.of("Pow", {s.x, s.constant({2, 1}, {2, 3})}), OperatorKind::none) << "exponents that differ";
  EXPECT_EQ(s.of("Pow", {s.x, s.constant({2, 1}, {0.5, 0.5})}), OperatorKind::none) << "no function of a scalar";
  EXPECT_EQ(s.of("Pow", {s.input({2}), s.constant({2, 2}, {2, 2, 2, 2})}), OperatorKind::none)
      << "a base that is repeated";
  EXPECT_EQ(s.of("Pow", {s.k, s.x}), OperatorKind::none);
  EXPECT_EQ(s.of("Pow", {s.x, s.y}), OperatorKind::none);
  EXPECT_EQ(s.of("ReduceSumSquare", {s.x}), OperatorKind::product);
  EXPECT_EQ(s.of("ReduceProd", {s.x}), OperatorKind::product);
}

TEST(OperatorKind, MovementsHaveConstantIndices) {
  Operands s;
  for (const std::string op : {"Reshape", "Transpose", "Identity", "Flatten", "Trilu", "Squeeze"}) {
    EXPECT_EQ(s.of(op, {s.x}), OperatorKind::movement) << op;
  }
  EXPECT_EQ(s.of("Gather", {s.x, s.k}), OperatorKind::movement);
  EXPECT_EQ(s.of("GatherND", {s.x, s.k}), OperatorKind::movement);
  EXPECT_EQ(s.of("ai.onnx.ml.ArrayFeatureExtractor", {s.x, s.k}), OperatorKind::movement);
  EXPECT_EQ(s.of("Gather", {s.k, s.x}), OperatorKind::none) << "a private index";
  EXPECT_EQ(s.of("Gather", {s.x, s.y}), OperatorKind::none);
  EXPECT_EQ(s.of("Concat", {s.x, s.k, s.y}), OperatorKind::movement);
  EXPECT_EQ(s.of("ai.onnx.ml.FeatureVectorizer", {s.x, s.y}), OperatorKind::movement);
  EXPECT_EQ(s.of("Cast", {s.x}, {{"to", std::int64_t{1}}}), OperatorKind::movement);
  EXPECT_EQ(s.of("Cast", {s.x}, {{"to", std::int64_t{10}}}), OperatorKind::movement) << "float16";
  EXPECT_EQ(s.of("Cast", {s.x}, {{"to", std::int64_t{7}}}), OperatorKind::none) << "int64";
}

TEST(OperatorKind, LinearOperatorsTakeOnePrivateOperandAndProductsOfMatricesTwo) {
  Operands s;
  for (const std::string op : {"MatMul", "Gemm", "Conv", "ConvTranspose", "Einsum"}) {
    EXPECT_EQ(s.of(op, {s.x, s.k}), OperatorKind::linear) << op;
    const bool matrices = op == "MatMul" || op == "Gemm";
    EXPECT_EQ(s.of(op, {s.x, s.y}), matrices ? OperatorKind::product : OperatorKind::none) << op;
  }
  for (const std::string op : {"AveragePool", "GlobalAveragePool", "ReduceMean", "ReduceSum", "Resize"})
    EXPECT_EQ(s.of(op, {s.x}), OperatorKind::linear) << op;
}

TEST(OperatorKind, WhatHasNoFormHasNone) {
  Operands s;
  for (const std::string op : {"MaxPool", "Softmax", "ArgMax", "TopK", "LayerNormalization", "ai.onnx.ml.Imputer",
                               "ai.onnx.ml.Normalizer", "tacit.LinearVotes"})
    EXPECT_EQ(s.of(op, {s.x}), OperatorKind::none) << op;
  EXPECT_EQ(s.of("Greater", {s.x, s.k}), OperatorKind::none);
  EXPECT_EQ(s.of("Where", {s.x, s.k, s.k}), OperatorKind::none);
  s.graph.tensors[s.x].text = true;
  EXPECT_EQ(s.of("Identity", {s.x}), OperatorKind::none) << "texts cannot be encrypted";
}

TEST(OperatorKind, PrivateInputsAreThoseThatAreNoConstants) {
  Operands s;
  s.of("Clip", {s.x, kNoTensor, s.scalar});
  EXPECT_EQ(private_inputs(s.graph, s.graph.nodes.back()), (std::vector<std::size_t>{0}));
  s.of("Concat", {s.k, s.y, s.x});
  EXPECT_EQ(private_inputs(s.graph, s.graph.nodes.back()), (std::vector<std::size_t>{1, 2}));
}

TEST(OperatorKind, AJumpBetweenLayersIsRefusedByName) {
  Sketch s;
  TensorId h = s.node("MatMul", {s.input({1, 2}), s.constant({2, 2}, {1, 2, 3, 4})}, {1, 2});
  h = s.node("Sign", {h}, {1, 2});
  s.output(s.node("MatMul", {h, s.constant({2, 2}, {1, 2, 3, 4})}, {1, 2}));
  CompileOptions options;
  options.calibration = {{{{1, 2}, {1, -1}, false}}, {{{1, 2}, {-1, 0.5}, false}}};
  EXPECT_THAT([&] { compile(s.graph, options); },
              testing::ThrowsMessage<base::InputError>(
                  testing::AllOf(HasSubstr("node 'Sign1' (Sign)"), HasSubstr("a jump or a very steep slope"))));
  for (const auto& [op, supported] : {std::pair("ThresholdedRelu", "alpha = 0"), {"Shrink", "a bias equal to lambd"}}) {
    s.graph.nodes[1].op = op;
    EXPECT_THAT([&] { compile(s.graph, options); },
                testing::ThrowsMessage<base::InputError>(testing::AllOf(HasSubstr(fmt::format(
                    "node 'Sign1' ({}): this operator has no encrypted form here; supported: {}", op, supported)))));
  }
}

TEST(OperatorKind, BoundsOfWholeExponents) {
  Operands s;
  const auto power = [&](double exponent) { return s.of("Pow", {s.x, s.constant({}, {exponent})}); };
  EXPECT_EQ(power(0), OperatorKind::function);
  EXPECT_EQ(power(1), OperatorKind::product);
  EXPECT_EQ(power(63), OperatorKind::product);
  EXPECT_EQ(power(1.5), OperatorKind::function);
  EXPECT_EQ(s.of("Pow", {s.x, s.constant({1}, {0.5})}), OperatorKind::function);
  EXPECT_EQ(s.of("Pow", {s.x, s.constant({2}, {0, 0})}), OperatorKind::none);
}

/// A Gemm adds its third operand, which may be private in addition to another one.
TEST(OperatorKind, OffsetsOfMatrixProductsMayBePrivate) {
  Operands s;
  EXPECT_EQ(s.of("Gemm", {s.x, s.k, s.y}), OperatorKind::linear);
  EXPECT_EQ(s.of("Gemm", {s.k, s.x, s.y}), OperatorKind::linear);
  EXPECT_EQ(s.of("Gemm", {s.k, s.k, s.y}), OperatorKind::linear);
  EXPECT_EQ(s.of("Gemm", {s.x, s.y, s.k}), OperatorKind::product);
  EXPECT_EQ(s.of("Gemm", {s.x, s.y, s.x}), OperatorKind::product);
  EXPECT_EQ(s.of("Conv", {s.x, s.k, s.y}), OperatorKind::none);
}

TEST(OperatorKind, TablesAnswerQuestionsAboutOneTensor) {
  Operands s;
  const auto by_table = [&](const std::string& op, std::vector<TensorId> inputs) {
    EXPECT_EQ(s.of(op, inputs), OperatorKind::none) << op;
    return kind_of(s.graph, s.graph.nodes.back(), true);
  };
  for (const char* op : {"Ceil", "Floor", "Sign"}) EXPECT_EQ(by_table(op, {s.x}), OperatorKind::function) << op;
  EXPECT_EQ(by_table("ThresholdedRelu", {s.x}), OperatorKind::function);
  EXPECT_EQ(by_table("Shrink", {s.x}), OperatorKind::function);
  EXPECT_EQ(by_table("PRelu", {s.x, s.y}), OperatorKind::none);
}

TEST(OperatorKind, CastsHaveTheTypesOfOnnx) {
  const auto cast = [](std::int64_t to) { return Node{"Cast", "c", {0}, {1}, {{"to", to}}}; };
  for (std::int64_t to = 1; to <= 13; ++to) {
    const bool real = to == 1 || to == 10 || to == 11;
    if (to == 8) continue;  // texts
    EXPECT_EQ(casts_to_real(cast(to)), real) << to;
    EXPECT_EQ(casts_to_boolean(cast(to)), to == 9) << to;
  }
  EXPECT_TRUE(casts_to_real(cast(16))) << "bfloat16";
}

TEST(OperatorKind, PowersHaveTwoOperands) {
  Operands s;
  EXPECT_EQ(s.of("Pow", {s.x, s.scalar}), OperatorKind::product);
  EXPECT_EQ(s.of("Pow", {s.x, s.scalar, s.scalar}), OperatorKind::none);
}

/// The form on integers is named where tables are there, unless it is the one on slots.
TEST(OperatorKind, RefusalsNameTheFormThatIsSupported) {
  const auto words = [](const char* op, bool tables) {
    return base::refusal([&] { refuse_operator({op, "n", {0}, {1}, {}}, "a private index", tables); });
  };
  const std::string way_out = "; write it in such a form, or end the model before it and compute the rest in the clear";
  EXPECT_EQ(words("Floor", true),
            "node 'n' (Floor): a private index has no encrypted form here; supported: a table" + way_out);
  EXPECT_EQ(
      words("Floor", false),
      "node 'n' (Floor): a private index has no encrypted form here; supported: the client runs it: on the inputs, or "
      "behind the last layer" +
          way_out);
  EXPECT_EQ(words("Transpose", true), words("Transpose", false));
  EXPECT_THAT(words("Transpose", true),
              testing::EndsWith("; supported: moves elements; joins its neighbours" + way_out));
}

}  // namespace
}  // namespace tacit::graph::passes
