#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "base/refusal_for_test.h"
#include "graph/passes/clear_network.h"
#include "graph/passes/linearise.h"
#include "graph/passes/sketch.h"
#include "layout/operators/movement.h"

namespace tacit::graph::passes {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pointwise;

using Reals = std::vector<double>;
using Integers = std::vector<std::int64_t>;
using Attributes = std::map<std::string, Attribute>;

/// A sketch whose last node is its output.
struct Form : Sketch {
  Form& ends_in(const std::string& op, const std::vector<TensorId>& inputs, const Shape& shape,
                const Attributes& attributes = {}) {
    output(node(op, inputs, shape, attributes));
    return *this;
  }
  TensorId integers(const Integers& values) {
    const TensorId id = constant({static_cast<std::int64_t>(values.size())}, {values.begin(), values.end()});
    graph.constants.back().integral = graph.tensors[id].integral = true;
    return id;
  }
  Network network() const { return linearise(recognise(graph)); }
  /// Returns the first output for these inputs, in the declared shapes.
  Reals of(const std::vector<Reals>& inputs) const {
    std::vector<Tensor> tensors;
    for (std::size_t i = 0; i < inputs.size(); ++i)
      tensors.push_back({graph.tensors[graph.inputs[i]].shape, inputs[i], false});
    const Network made = network();
    return evaluate(made, tensors).at(made.outputs.at(0));
  }
  std::string refused() const {
    return base::refusal([&] { network(); });
  }
};

auto near_to(const Reals& expected) { return Pointwise(DoubleNear(1e-12), expected); }

TEST(LineariseForms, InputsKeepTheirNamesAndTensors) {
  Form s;
  const TensorId x = s.input({1, 2}, "first"), y = s.input({1, 2}, "second");
  const Network network = s.ends_in("Sub", {x, y}, {1, 2}).network();
  ASSERT_EQ(network.values.size(), 3U);
  EXPECT_EQ(network.values[1].node, "second");
  EXPECT_EQ(network.values[1].op, "Input");
  EXPECT_EQ(network.values[1].tensor, y);
  EXPECT_EQ(std::get<Private>(network.values[0].operation).input, 0U);
  EXPECT_EQ(std::get<Private>(network.values[1].operation).input, 1U);
  EXPECT_EQ(network.values[2].node, "Sub0");
  EXPECT_EQ(network.values[2].op, "Sub");
  EXPECT_EQ(s.of({{5, 7}, {1, 10}}), (Reals{4, -3}));
}

TEST(LineariseForms, OutputsAndOperandsMustComeFromInputs) {
  Form constant;
  constant.output(constant.constant({2}, {1, 2}));
  EXPECT_THAT(constant.refused(), HasSubstr("output 'k0' does not depend on a private input"));

  Form loose;
  const TensorId x = loose.input({1, 2}), nowhere = GraphEditor(loose.graph).tensor("nowhere", {1, 2});
  EXPECT_EQ(loose.ends_in("Add", {x, nowhere}, {1, 2}).refused(),
            "node 'Add0' (Add): its input 1 is not a value of the network");
}

TEST(LineariseForms, SlopesByChannelWeighAnElementAndItsPositivePart) {
  Form s;
  const TensorId x = s.input({1, 2, 2});
  s.ends_in("PRelu", {x, s.constant({2, 1}, {0.25, -2})}, {1, 2, 2});
  const Network network = s.network();
  ASSERT_EQ(network.values.size(), 3U);
  EXPECT_TRUE(std::holds_alternative<Function>(network.values[1].operation));
  EXPECT_EQ(std::get<Affine>(network.values[2].operation).terms.size(), 2U);
  EXPECT_EQ(s.of({{-4, 4, -1, 3}}), (Reals{-1, 4, 2, 3}));
}

/// x to an exponent that is given twice, which is not a function of one variable.
Form power_of(const Reals& exponents, const Shape& base, const Shape& shape) {
  Form s;
  const TensorId x = s.input(base);
  return s.ends_in("Pow", {x, s.constant({static_cast<std::int64_t>(exponents.size())}, exponents)}, shape);
}

TEST(LineariseForms, PowersShareTheirFactors) {
  struct Power {
    double exponent;
    std::size_t products;
  };
  // 7 = 4 + 3, of which 4 and 3 are made of 2; 64 is six squares.
  for (const auto& [exponent, products] :
       {Power{1, 0}, Power{2, 1}, Power{3, 2}, Power{4, 2}, Power{7, 4}, Power{64, 6}}) {
    SCOPED_TRACE(exponent);
    const Form s = power_of({exponent, exponent}, {2}, {2});
    const Network network = s.network();
    EXPECT_EQ(network.values.size(), 1 + products);
    EXPECT_EQ(network.values.at(network.outputs.at(0)).tensor, products == 0 ? s.graph.inputs[0] : s.graph.outputs[0]);
    EXPECT_EQ(s.of({{2, -1}}),
              (Reals{std::exp2(exponent), exponent == 1 || exponent == 3 || exponent == 7 ? -1. : 1.}));
  }
}

TEST(LineariseForms, PowersThatProductsDoNotMakeAreRefused) {
  const std::string words = " is not supported here; whole exponents from 1 to 64 are";
  EXPECT_EQ(power_of({65, 65}, {2}, {2}).refused(), "node 'Pow0' (Pow): the exponent 65" + words);
  EXPECT_EQ(power_of({0, 0}, {2}, {2}).refused(), "node 'Pow0' (Pow): the exponent 0" + words);
  EXPECT_EQ(power_of({1.5, 1.5}, {2}, {2}).refused(), "node 'Pow0' (Pow): the exponent 1.5" + words);
  EXPECT_EQ(power_of({}, {1}, {0}).refused(), "node 'Pow0' (Pow): the exponent 0" + words);
  EXPECT_EQ(power_of({2, 3}, {2}, {2}).refused(),
            "node 'Pow0' (Pow): exponents that differ between elements are not supported; Pow takes one constant "
            "exponent");
  EXPECT_EQ(power_of({2, 2}, {1}, {2}).refused(),
            "node 'Pow0' (Pow): a base that is broadcast against its exponent is not supported; Pow takes a scalar "
            "exponent");
  const std::string encrypted =
      "node 'Pow0' (Pow): an encrypted exponent has no encrypted form; Pow takes a constant exponent";
  Form both;
  const TensorId x = both.input({2}), y = both.input({2}, "y");
  EXPECT_EQ(both.ends_in("Pow", {x, y}, {2}).refused(), encrypted);
  Form second;
  const TensorId z = second.input({2});
  EXPECT_EQ(second.ends_in("Pow", {second.constant({2}, {2, 3}), z}, {2}).refused(), encrypted);
}

TEST(LineariseForms, ProductsOfAxesTakeUpTo64Factors) {
  const auto of = [](std::int64_t count) {
    Form s;
    const TensorId x = s.input({count});
    return s.ends_in("ReduceProd", {x}, {1});
  };
  Reals factors(64, 1.0);
  factors[0] = 2;
  factors[31] = -3;
  factors[63] = 5;
  EXPECT_EQ(of(64).of({factors}), Reals{-30});
  const Network network = of(64).network();
  EXPECT_EQ(network.values.size(), 1U + 64 + 63) << "the input, its factors, and their products";
  const std::vector<int> levels = levels_of(network);
  EXPECT_EQ(levels[0], 1 + 6) << "a move, and six products";
  EXPECT_EQ(of(5).of({{2, 3, 5, 7, 11}}), Reals{2310});
  EXPECT_EQ(levels_of(of(5).network())[0], 1 + 3);
  const std::string words = "node 'ReduceProd0' (ReduceProd): a product of ";
  EXPECT_EQ(of(65).refused(), words + "65 encrypted factors is not supported; at most 64 are");
  EXPECT_EQ(of(0).refused(), words + "0 encrypted factors is not supported; at most 64 are");
}

TEST(LineariseForms, SumsAndMeansCountEveryOperandAlike) {
  const auto of = [](const std::string& op) {
    Form s;
    const TensorId x = s.input({2, 1}), y = s.input({2}, "y");
    return s.ends_in(op, {x, y, s.constant({1}, {30})}, {2, 2}).of({{3, 6}, {9, 12}});
  };
  EXPECT_THAT(of("Sum"), near_to({42, 45, 45, 48}));
  EXPECT_THAT(of("Mean"), near_to({14, 15, 15, 16}));
}

TEST(LineariseForms, ArithmeticWithConstantsOnEitherSide) {
  struct Case {
    std::string op;
    bool constant_first;
    Reals expected;  // of (3, 6) in a column and (2, -4) in a row
  };
  for (const auto& [op, constant_first, expected] :
       {Case{"Add", false, {5, -1, 8, 2}}, Case{"Sub", false, {1, 7, 4, 10}}, Case{"Sub", true, {-1, -7, -4, -10}},
        Case{"Mul", false, {6, -12, 12, -24}}, Case{"Mul", true, {6, -12, 12, -24}},
        Case{"Div", false, {1.5, -0.75, 3, -1.5}}}) {
    SCOPED_TRACE(op);
    Form s;
    const TensorId x = s.input({2, 1}), row = s.constant({2}, {2, -4});
    s.ends_in(op, constant_first ? std::vector{row, x} : std::vector{x, row}, {2, 2});
    EXPECT_THAT(s.of({{3, 6}}), near_to(expected));
  }
}

TEST(LineariseForms, ProductsOfInputsAreBroadcast) {
  Form s;
  const TensorId x = s.input({2, 1}), y = s.input({2}, "y");
  s.ends_in("Mul", {x, y}, {2, 2});
  EXPECT_EQ(s.of({{3, 6}, {2, -4}}), (Reals{6, -12, 12, -24}));
  EXPECT_EQ(s.network().values.size(), 5U) << "both operands are repeated";

  Form same;
  const TensorId z = same.input({2});
  same.ends_in("Mul", {z, z}, {2});
  EXPECT_EQ(same.of({{3, -6}}), (Reals{9, 36}));
  EXPECT_EQ(same.network().values.size(), 2U);
}

TEST(LineariseForms, SumsOfSquaresAreOneProductAndASum) {
  Form s;
  const TensorId x = s.input({2, 3});
  s.ends_in("ReduceSumSquare", {x}, {2, 1}, {{"axes", Integers{-1}}});
  EXPECT_EQ(s.of({{1, 2, 3, 4, 5, 6}}), (Reals{14, 77}));
  EXPECT_EQ(s.network().values.size(), 3U);
}

TEST(LineariseForms, BiasesOfMatrixProductsMayBeEncrypted) {
  Form s;
  const TensorId x = s.input({2, 2}), bias = s.input({1, 3}, "bias");
  s.ends_in("Gemm", {x, s.constant({2, 3}, {1, 2, 3, 4, 5, 6}), bias}, {2, 3}, {{"alpha", 2.0}, {"beta", -0.5}});
  // 2 (1, 10) W = (82, 104, 126), 2 (-1, 0) W = (-2, -4, -6)
  EXPECT_THAT(s.of({{1, 10, -1, 0}, {2, 4, 8}}), near_to({81, 102, 122, -3, -6, -10}));
}

TEST(LineariseForms, DivisionsAndNormalisationsWithoutAnAffineFormAreRefused) {
  Form under;
  const TensorId x = under.input({2});
  EXPECT_EQ(under.ends_in("Div", {under.constant({2}, {1, 2}), x}, {2}).refused(),
            "node 'Div0' (Div): division by an encrypted value has no encrypted form; multiply by a constant instead");
  Form whole;
  const TensorId y = whole.input({2});
  whole.ends_in("Div", {y, whole.constant({2}, {1, 2})}, {2});
  whole.graph.tensors.back().integral = true;
  EXPECT_EQ(whole.refused(),
            "node 'Div0' (Div): integer division rounds, which has no encrypted form; divide floating-point tensors");

  const auto normalised = [](bool training, bool private_mean) {
    Form s;
    const TensorId in = s.input({1, 2});
    const TensorId ones = s.constant({2}, {1, 1}), mean = private_mean ? s.input({2}, "mean") : s.constant({2}, {1, 2});
    return s.ends_in("BatchNormalization", {in, ones, ones, mean, s.constant({2}, {4, 1})}, {1, 2},
                     {{"training_mode", std::int64_t{training}}, {"epsilon", 0.0}});
  };
  const std::string words =
      "node 'BatchNormalization0' (BatchNormalization): training mode is not supported; export the model for inference "
      "with constant statistics";
  EXPECT_EQ(normalised(true, false).refused(), words);
  EXPECT_EQ(normalised(false, true).refused(), words);
  EXPECT_THAT(normalised(false, false).of({{3, 5}}), near_to({2, 4}));
}

TEST(LineariseForms, OperatorsOnTwoEncryptedOperandsSayWhichIsTooMany) {
  Form weights;
  const TensorId x = weights.input({1, 1, 2}), w = weights.input({1, 1, 2}, "w");
  EXPECT_THAT(weights.ends_in("Conv", {x, w}, {1, 1, 1}).refused(),
              HasSubstr("node 'Conv0' (Conv): an encrypted weight has no encrypted form"));
}

TEST(LineariseForms, AGemmOfEncryptedMatricesHasItsFactorAndItsAddend) {
  const Reals left{1, 2, 3, 4}, right{5, 6, 7, 8};  // the product is 19, 22, 43, 50
  const auto gemm = [&](const std::function<std::vector<TensorId>(Form&)>& addend, const std::vector<Reals>& inputs) {
    Form s;
    std::vector<TensorId> operands{s.input({2, 2}), s.input({2, 2}, "b")};
    for (const TensorId id : addend(s)) operands.push_back(id);
    s.ends_in("Gemm", operands, {2, 2}, {{"alpha", 0.5}, {"beta", 2.0}});
    return s.of(inputs);
  };
  EXPECT_EQ(gemm([](Form&) { return std::vector<TensorId>{}; }, {left, right}), (Reals{9.5, 11, 21.5, 25}));
  EXPECT_EQ(gemm(
                [](Form& s) {
                  return std::vector{s.constant({2}, {1, -1})};
                },
                {left, right}),
            (Reals{11.5, 9, 23.5, 23}));
  EXPECT_EQ(gemm(
                [](Form& s) {
                  return std::vector{s.input({2, 2}, "c")};
                },
                {left, right, {1, 2, 3, 4}}),
            (Reals{11.5, 15, 27.5, 33}));
}

TEST(LineariseForms, MovementsTakeElementsOfSeveralInputsAndConstants) {
  Form s;
  const TensorId x = s.input({2}), y = s.input({3}, "y");
  const double largest = std::nextafter(0x1p45, 0);  // a constant may be that much
  s.ends_in("Concat", {y, s.constant({2}, {largest, -7}), x, y}, {10}, {{"axis", std::int64_t{0}}});
  const Network network = s.network();
  EXPECT_EQ(std::get<Affine>(network.values.back().operation).terms.size(), 3U) << "one for every operand";
  EXPECT_EQ(s.of({{1, 2}, {3, 4, 5}}), (Reals{3, 4, 5, largest, -7, 1, 2, 3, 4, 5}));
}

TEST(LineariseForms, ConstantsThatLookLikeElementsAreRefused) {
  const auto padded = [](double value) {
    Form s;
    const TensorId x = s.input({1}), pads = s.integers({1, 2});
    return s.ends_in("Pad", {x, pads, s.constant({}, {value})}, {4});
  };
  EXPECT_EQ(padded(9).of({{5}}), (Reals{9, 5, 9, 9}));
  EXPECT_EQ(padded(0x1p45).refused(),
            "node 'Pad0' (Pad): it places the constant 35184372088832 beside encrypted values; at most 2^45 fits");
  EXPECT_EQ(padded(std::nan("")).refused(),
            "node 'Pad0' (Pad): it places the constant nan beside encrypted values; at most 2^45 fits");
  // The ends of slices are counts, and no element is placed by them.
  Form all;
  const TensorId x = all.input({3});
  all.ends_in("Slice", {x, all.integers({1}), all.integers({std::int64_t{1} << 46})}, {2});
  EXPECT_EQ(all.of({{3, 4, 5}}), (Reals{4, 5}));
}

TEST(LineariseForms, EveryResultOfAMovementIsAValueUnlessItIsNotAskedFor) {
  Form s;
  const TensorId x = s.input({1, 5});
  const TensorId first = s.node("Split", {x, s.integers({1, 2, 2})}, {1, 1}, {{"axis", std::int64_t{1}}});
  const TensorId last = GraphEditor(s.graph).tensor("last", {1, 2});
  s.graph.nodes.back().outputs = {first, kNoTensor, last};
  s.output(last);
  s.output(first);
  const Network network = s.network();
  ASSERT_EQ(network.values.size(), 3U);
  const auto values = evaluate(network, {Tensor{{1, 5}, {1, 2, 3, 4, 5}, false}});
  EXPECT_THAT(values.at(network.outputs.at(0)), ElementsAre(4, 5));
  EXPECT_THAT(values.at(network.outputs.at(1)), ElementsAre(1));
  EXPECT_EQ(network.values[1].tensor, first);
  EXPECT_EQ(network.values[2].shape, (Shape{1, 2}));
}

TEST(LineariseForms, MovementsThatKeepTheOrderMultiplyByOneAndOthersGather) {
  const auto op = [](const std::string& name, const Shape& shape) {
    Form s;
    const TensorId x = s.input({2, 3});
    const Attributes turned{{"perm", Integers{1, 0}}};
    if (name == "Transpose") return s.ends_in(name, {x}, shape, turned).network();
    return s.ends_in(name, {x, s.integers({6})}, shape).network();
  };
  const Network kept = op("Reshape", {6}), turned = op("Transpose", {3, 2});
  const auto of = [](const Network& network) {
    return std::get<Affine>(network.values.back().operation).terms.at(0).op;
  };
  EXPECT_NE(dynamic_cast<const layout::Identity*>(of(kept).get()), nullptr);
  EXPECT_NE(dynamic_cast<const layout::Gather*>(of(turned).get()), nullptr);
}

TEST(LineariseForms, AMovementThatKeepsNoElementIsRefused) {
  Form s;
  const TensorId x = s.input({3});
  s.ends_in("Slice", {x, s.integers({0}), s.integers({0})}, {0});
  EXPECT_EQ(s.refused(), "node 'Slice0' (Slice): its output holds no element of an encrypted input");
}

TEST(LineariseForms, SlopesOfTheLastElementsCount) {
  Form s;
  const TensorId x = s.input({1, 2, 2});
  s.ends_in("PRelu", {x, s.constant({2, 1}, {0.25, -2})}, {1, 2, 2});
  EXPECT_EQ(s.of({{4, -4, 3, -1}}), (Reals{4, -1, 3, 2}));
}

TEST(LineariseForms, FunctionsHaveNoIntervalYet) {
  Form s;
  const Network network = s.ends_in("Tanh", {s.input({2})}, {2}).network();
  const auto& function = std::get<Function>(network.values.at(1).operation);
  EXPECT_EQ(function.lowest, 0);
  EXPECT_EQ(function.highest, 0);
}

// 1e17 + 1 is 1e17 in a double.
TEST(LineariseForms, WeightsOfSumsAndMeansDoNotDependOnWhatIsAdded) {
  for (const auto& [op, weight] : {std::pair{"Sum", 1.0}, std::pair{"Mean", 0.5}}) {
    SCOPED_TRACE(op);
    Form s;
    const TensorId x = s.input({2});
    const Network network = s.ends_in(op, {x, s.constant({2}, {1e17, 1e17})}, {2}).network();
    const auto& affine = std::get<Affine>(network.values.at(1).operation);
    layout::RowEntries row;
    affine.terms.at(0).op->append_row(0, row);
    EXPECT_EQ(row.weights, Reals{weight});
    EXPECT_EQ(affine.bias[0], weight * 1e17);
  }
}

TEST(LineariseForms, WholeNumbersDivideWithoutRounding) {
  Form s;
  const TensorId x = s.input({2});
  s.ends_in("Div", {x, s.integers({2, 4})}, {2});
  EXPECT_EQ(s.of({{3, 3}}), (Reals{1.5, 0.75}));
}

TEST(LineariseForms, MovementsThatChangeTheFirstElementAloneGather) {
  Form s;
  const TensorId x = s.input({3});
  s.ends_in("Gather", {x, s.integers({1, 1, 2})}, {3});
  EXPECT_EQ(s.of({{10, 20, 30}}), (Reals{20, 20, 30}));
}

TEST(LineariseForms, ConstantsThatLookLikeElementsAreRefusedInFrontToo) {
  Form s;
  const TensorId huge = s.constant({1}, {0x1p45}), x = s.input({1});
  EXPECT_EQ(
      s.ends_in("Concat", {huge, x}, {2}, {{"axis", std::int64_t{0}}}).refused(),
      "node 'Concat0' (Concat): it places the constant 35184372088832 beside encrypted values; at most 2^45 fits");
}

}  // namespace
}  // namespace tacit::graph::passes
