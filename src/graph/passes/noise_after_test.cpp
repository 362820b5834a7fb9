#include "graph/passes/noise_after.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph/passes/sketch.h"

namespace tacit::graph::passes {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const Shape kChained{1, 2};
const std::map<std::string, Attribute> kToBoolean{{"to", std::int64_t{9}}}, kToWhole{{"to", std::int64_t{7}}},
    kToReal{{"to", std::int64_t{1}}};

/// A chain of operators that starts at a decrypted tensor.
class Chain {
 public:
  Chain() : at_(s_.input(kChained)) {}
  Chain& then(const std::string& op, std::map<std::string, Attribute> attributes = {}) {
    return with(op, {at_}, std::move(attributes));
  }
  /// Appends an operator with a constant as second operand.
  Chain& then(const std::string& op, double constant) { return with(op, {at_, s_.constant({1}, {constant})}); }
  /// Appends an operator with the same tensor on both sides.
  Chain& twice(const std::string& op) { return with(op, {at_, at_}); }
  Chain& whole() {
    s_.graph.tensors[at_].integral = true;
    return *this;
  }
  std::vector<std::size_t> upset() const { return upset(std::vector<char>(s_.graph.nodes.size(), 1)); }
  std::vector<std::size_t> upset(const std::vector<char>& last) const {
    return nodes_that_noise_upsets(s_.graph, last);
  }

 private:
  Chain& with(const std::string& op, std::vector<TensorId> inputs, std::map<std::string, Attribute> attributes = {}) {
    at_ = s_.node(op, std::move(inputs), kChained, std::move(attributes));
    return *this;
  }
  Sketch s_;
  TensorId at_;
};

TEST(NoiseAfter, UpsetsWhatAsksForExactNumbers) {
  for (const char* op : {"Equal", "Mod", "OneHot", "ai.onnx.ml.CategoryMapper", "ai.onnx.ml.Imputer",
                         "ai.onnx.ml.LabelEncoder", "ai.onnx.ml.OneHotEncoder"}) {
    EXPECT_THAT(Chain().then(op).upset(), ElementsAre(0)) << op;
    EXPECT_THAT(Chain().whole().then(op).upset(), IsEmpty()) << op << " of whole numbers";
    EXPECT_THAT(Chain().then(op).upset({0}), IsEmpty()) << op << " at the server";
  }
  for (const char* op : {"Relu", "Sigmoid", "Greater", "Add", "Floor"})
    EXPECT_THAT(Chain().then(op).upset(), IsEmpty()) << op;
  EXPECT_THAT(Chain().then("Relu").then("Equal", 1).then("Neg").then("Equal", 1).upset(), ElementsAre(1, 3));
}

TEST(NoiseAfter, StepsTakeTheNoiseAway) {
  for (const char* op : {"Floor", "Ceil", "Round", "Sign", "ai.onnx.ml.Binarizer"}) {
    EXPECT_THAT(Chain().then(op).then("Equal", 1).upset(), IsEmpty()) << op;
    EXPECT_THAT(Chain().then(op).then("Equal", 1).upset({0, 1}), ElementsAre(1))
        << op << " of the server is decrypted with noise";
  }
  for (const char* op : {"Relu", "Exp", "Neg"})
    EXPECT_THAT(Chain().then(op).then("Equal", 1).upset(), ElementsAre(1)) << op;
}

TEST(NoiseAfter, TruncationsAreUpsetAndOtherFormatsAreNot) {
  EXPECT_THAT(Chain().then("Cast", kToWhole).upset(), ElementsAre(0));
  EXPECT_THAT(Chain().then("Relu").then("Cast", kToWhole).upset(), ElementsAre(1));
  EXPECT_THAT(Chain().then("Floor").then("Cast", kToWhole).upset(), IsEmpty());
  EXPECT_THAT(Chain().then("Cast", kToReal).upset(), IsEmpty());
}

TEST(NoiseAfter, TruthOfPositiveNumbersIsNotUpset) {
  EXPECT_THAT(Chain().then("Cast", kToBoolean).upset(), ElementsAre(0));
  for (const char* op : {"Exp", "HardSigmoid", "Relu", "Sigmoid", "Softmax", "Softplus"}) {
    EXPECT_THAT(Chain().then(op).then("Cast", kToBoolean).upset(), IsEmpty()) << op;
    EXPECT_THAT(Chain().then(op).then("Cast", kToBoolean).upset({0, 1}), ElementsAre(1)) << op << " of the server";
    EXPECT_THAT(Chain().then(op).then("Flatten").then("Cast", kToBoolean).upset(), IsEmpty()) << op;
    EXPECT_THAT(Chain().then(op).then("Neg").then("Cast", kToBoolean).upset(), ElementsAre(2)) << op;
    EXPECT_THAT(Chain().then(op).twice("Sub").then("Cast", kToBoolean).upset(), ElementsAre(2)) << op;
    for (const char* made : {"Add", "Sum", "Mul", "Div"})
      EXPECT_THAT(Chain().then(op).twice(made).then("Cast", kToBoolean).upset(), IsEmpty()) << op << " " << made;
    for (const char* made : {"Reciprocal", "ReduceMean", "ReduceProd", "ReduceSum"})
      EXPECT_THAT(Chain().then(op).then(made).then("Cast", kToBoolean).upset(), IsEmpty()) << op << " " << made;
  }
  EXPECT_THAT(Chain().then("Tanh").then("Cast", kToBoolean).upset(), ElementsAre(1));
}

TEST(NoiseAfter, ConstantsMoveTheLeastNumber) {
  const auto upset = [](Chain chain) { return !chain.then("Cast", kToBoolean).upset().empty(); };
  EXPECT_FALSE(upset(Chain().then("Relu").then("Add", 0.5)));
  EXPECT_FALSE(upset(Chain().then("Relu").then("Add", 0)));
  EXPECT_TRUE(upset(Chain().then("Relu").then("Add", -0.5)));
  EXPECT_FALSE(upset(Chain().then("Relu").then("Add", 0.5).then("Sum", -0.5)));
  EXPECT_TRUE(upset(Chain().then("Relu").then("Add", 0.5).then("Sum", -0.75)));
  EXPECT_FALSE(upset(Chain().then("Relu").then("Mul", 2)));
  EXPECT_TRUE(upset(Chain().then("Relu").then("Mul", -2)));
  EXPECT_FALSE(upset(Chain().then("Clip", 0)));
  EXPECT_FALSE(upset(Chain().then("Clip", 0.25)));
  EXPECT_TRUE(upset(Chain().then("Clip", -1)));
  EXPECT_FALSE(upset(Chain().then("Clip", -1).then("Add", 1)));
  EXPECT_TRUE(upset(Chain().then("Clip"))) << "without a lower bound";
}

/// The results of operators on numbers from 0 on are bounded by 0, and may reach it.
TEST(NoiseAfter, WhatIsMadeOfPositiveNumbersStartsAtZero) {
  const auto upset = [](Chain chain) { return !chain.then("Cast", kToBoolean).upset().empty(); };
  EXPECT_TRUE(upset(Chain().then("Relu").then("Mul", 2).then("Add", -0.5)));
  EXPECT_TRUE(upset(Chain().then("Exp").then("Add", -0.5)));
  for (const char* made : {"Reciprocal", "ReduceMean", "ReduceProd", "ReduceSum"}) {
    EXPECT_TRUE(upset(Chain().then("Relu").then(made).then("Add", -0.5))) << made;
    EXPECT_FALSE(upset(Chain().then("Relu").then("Add", 2).then(made).then("Add", 0))) << made;
  }
}

/// The shape of a Reshape is among its inputs, and says nothing about its results.
TEST(NoiseAfter, IntegersBesideWhatIsMovedDoNotCount) {
  Sketch s;
  const TensorId relu = s.node("Relu", {s.input(kChained)}, kChained), shape = s.constant({2}, {-1, 2});
  const TensorId moved = s.node("Reshape", {relu, shape}, kChained);
  s.output(s.node("Cast", {moved}, kChained, kToBoolean));
  s.graph.tensors[shape].integral = true;
  EXPECT_THAT(nodes_that_noise_upsets(s.graph, {1, 1, 1}), IsEmpty());
  s.graph.tensors[shape].integral = false;
  EXPECT_THAT(nodes_that_noise_upsets(s.graph, {1, 1, 1}), ElementsAre(2)) << "as a real operand it would";
}

/// Programs on integers give whole scores exactly, unless the server computes with them, too.
TEST(NoiseAfter, WholeScoresOfTreesCarryNone) {
  const auto tree = [](double yes, double no) {
    return std::map<std::string, Attribute>{{"nodes_treeids", std::vector<std::int64_t>{0, 0, 0}},
                                            {"nodes_nodeids", std::vector<std::int64_t>{0, 1, 2}},
                                            {"nodes_featureids", std::vector<std::int64_t>{0, 0, 0}},
                                            {"nodes_values", std::vector<double>{0, 0, 0}},
                                            {"nodes_modes", std::vector<std::string>{"BRANCH_LEQ", "LEAF", "LEAF"}},
                                            {"nodes_truenodeids", std::vector<std::int64_t>{1, 0, 0}},
                                            {"nodes_falsenodeids", std::vector<std::int64_t>{2, 0, 0}},
                                            {"target_treeids", std::vector<std::int64_t>{0, 0}},
                                            {"target_nodeids", std::vector<std::int64_t>{1, 2}},
                                            {"target_ids", std::vector<std::int64_t>{0, 0}},
                                            {"target_weights", std::vector<double>{yes, no}}};
  };
  const auto cast = [&](double yes, double no) {
    return Chain().then("tacit.TreeScores", tree(yes, no)).then("Cast", kToWhole);
  };
  EXPECT_THAT(cast(3, -4).upset({0, 1}), IsEmpty());
  EXPECT_THAT(cast(3, -4.5).upset({0, 1}), ElementsAre(1));
  EXPECT_THAT(cast(3, 1e6).upset({0, 1}), ElementsAre(1)) << "more scores than a sum of leaves tells apart";
  EXPECT_THAT(Chain().then("tacit.TreeScores", tree(3, -4)).then("Neg").then("Cast", kToWhole).upset({0, 0, 1}),
              ElementsAre(2));
}

}  // namespace
}  // namespace tacit::graph::passes
