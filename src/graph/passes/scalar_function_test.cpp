#include "graph/passes/scalar_function.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "graph/passes/sketch.h"

namespace tacit::graph::passes {
namespace {

using testing::ElementsAre;

const Shape kThree{1, 3};

/// A function of x that a chain of operators makes; those of two operands take x, or the constant, as the second.
class Steps {
 public:
  Steps() : x_(s_.input(kThree)), at_(x_) {}
  Steps& then(const std::string& op, std::map<std::string, Attribute> attributes = {}) {
    at_ = s_.node(op, {at_}, kThree, std::move(attributes));
    return *this;
  }
  Steps& then(const std::string& op, double constant) {
    at_ = s_.node(op, {at_, s_.constant({}, {constant})}, kThree);
    return *this;
  }
  Steps& with_x(const std::string& op) {
    at_ = s_.node(op, {at_, x_}, kThree);
    return *this;
  }
  ScalarFunction function() const { return {s_.graph, s_.graph.nodes, x_, at_}; }
  std::string name() const { return function().name(); }

 private:
  Sketch s_;
  TensorId x_, at_;
};

TEST(ScalarFunction, ComputesWhatItsStepsCompute) {
  const ScalarFunction function = Steps().then("Add", 2).then("Relu").with_x("Mul").function();
  EXPECT_THAT(function(std::vector<double>{-3, -1, 0, 4}), ElementsAre(0, -1, 0, 24));
  EXPECT_THAT(function(std::vector<double>{0.5}), ElementsAre(1.25)) << "of any number of points";
}

/// Functions that exporters spell out have the name that people know.
TEST(ScalarFunction, NamesOfWellKnownFunctions) {
  EXPECT_EQ(Steps().then("Tanh").name(), "Tanh");
  EXPECT_EQ(Steps().then("Sigmoid").with_x("Mul").name(), "Silu");
  EXPECT_EQ(Steps().then("HardSigmoid").with_x("Mul").name(), "HardSwish");
  EXPECT_EQ(Steps().then("Sigmoid").with_x("Add").name(), "Sigmoid+Add");
  EXPECT_EQ(Steps().then("HardSigmoid").with_x("Add").name(), "HardSigmoid+Add");
  EXPECT_EQ(Steps().then("Tanh").with_x("Mul").name(), "Tanh+Mul");
  EXPECT_EQ(Steps().then("Sigmoid").with_x("Mul").then("Neg").name(), "Sigmoid+Mul+Neg");
  EXPECT_EQ(Steps().then("Div", 1.4).then("Erf").then("Add", 1).with_x("Mul").name(), "Gelu");
  EXPECT_EQ(Steps().then("Mul", 0.8).then("Tanh").then("Add", 1).with_x("Mul").name(), "Gelu");
  EXPECT_EQ(Steps().then("Erf").then("Add", 1).with_x("Mul").name(), "Erf+Add+Mul") << "three operators";
  EXPECT_EQ(Steps().then("Div", 1.4).then("Erf").then("Add", 1).with_x("Sub").name(), "Div+Erf+Add+Sub");
  EXPECT_EQ(Steps().then("Mul", 0.8).then("Tanh").then("Sub", 1).with_x("Mul").name(), "Mul+Tanh+Sub+Mul");
  EXPECT_EQ(Steps().then("Mul", 0.8).then("Relu").then("Add", 1).with_x("Mul").name(), "Mul+Relu+Add+Mul");
}

/// Names of 96 letters before the last operator's plus sign are the longest.
TEST(ScalarFunction, ChainsOfNamesAreCutBehindNinetySixLetters) {
  using Texts = std::vector<std::string>;
  const std::string half(48, 'a'), more(49, 'b'), whole(120, 'c');
  EXPECT_EQ(chain_name(Texts{}), "");
  EXPECT_EQ(chain_name(Texts{"Relu", "Exp"}), "Relu+Exp");
  EXPECT_EQ(chain_name(Texts{half, half}), half + "+" + half);
  EXPECT_EQ(chain_name(Texts{half, more}), half + "+...");
  EXPECT_EQ(chain_name(Texts{half, more, "Relu"}), half + "+...");
  EXPECT_EQ(chain_name(Texts{whole}), whole) << "the first is never cut";
  EXPECT_EQ(chain_name(Texts{whole, "Relu"}), whole + "+...");
}

/// f(c x) = c f(x) for every c above 0: two lines that meet in 0.
TEST(ScalarFunction, OfDegreeOneAreTwoLinesThatMeetInZero) {
  for (const char* op : {"Relu", "Abs", "LeakyRelu", "Neg"})
    EXPECT_TRUE(has_degree_one(Steps().then(op).function(), 3)) << op;
  EXPECT_TRUE(has_degree_one(Steps().then("Abs").with_x("Add").function(), 0.5));
  for (const char* op : {"Tanh", "Exp", "Sigmoid"}) EXPECT_FALSE(has_degree_one(Steps().then(op).function(), 3)) << op;
  EXPECT_FALSE(has_degree_one(Steps().then("Relu").then("Add", 0.01).function(), 3));
  EXPECT_FALSE(has_degree_one(Steps().with_x("Mul").function(), 3)) << "of degree two";
  // One side is bent: far from 0, and near it.
  EXPECT_FALSE(has_degree_one(Steps().then("Max", -2).function(), 3));
  EXPECT_FALSE(has_degree_one(Steps().then("Min", 2).function(), 3));
  EXPECT_TRUE(has_degree_one(Steps().then("Max", -3).function(), 3)) << "bent beyond the reach";
  EXPECT_FALSE(has_degree_one(Steps().then("ThresholdedRelu", {{"alpha", 0.2}}).function(), 3));
  EXPECT_FALSE(has_degree_one(Steps().then("ThresholdedRelu", {{"alpha", 0.02}}).function(), 1));
}

/// Multiples of 0.1 are rounded. On the side where a function is 0 there is nothing to measure rounding by.
TEST(ScalarFunction, RoundingDoesNotChangeTheDegree) {
  EXPECT_TRUE(has_degree_one(Steps().then("Relu").then("Mul", 0.1).function(), 3));
  EXPECT_TRUE(has_degree_one(Steps().then("Min", 0.0).then("Mul", 0.1).function(), 3));
  EXPECT_TRUE(has_degree_one(Steps().with_x("Sub").function(), 3)) << "0 everywhere";
  EXPECT_FALSE(has_degree_one(Steps().with_x("Mul").function(), 1e-3)) << "small numbers are held to small bounds";
}

/// The function is x, except for a spike at 2.1, at seven tenths of the reach.
TEST(ScalarFunction, SpikesChangeTheDegree) {
  Steps spike;
  spike.then("Sub", 2.1).then("Abs").then("Mul", 10).then("Neg").then("Add", 1).then("Relu").with_x("Add");
  EXPECT_THAT(spike.function()(std::vector<double>{-3, 0.9, 2, 3}), ElementsAre(-3, 0.9, 2, 3));
  EXPECT_FALSE(has_degree_one(spike.function(), 3));
}

TEST(ScalarFunction, ConstantsAreRealNumbers) {
  Sketch s;
  const TensorId x = s.input(kThree);
  const TensorId below = s.node("Less", {x, s.constant({}, {0})}, kThree);
  const TensorId chosen = s.node("Where", {below, s.constant({}, {0.5}), s.constant({}, {2.5})}, kThree);
  const TensorId y = s.node("Mul", {chosen, s.constant({}, {1.5})}, kThree);
  const ScalarFunction function(s.graph, s.graph.nodes, x, y);
  EXPECT_THAT(function(std::vector<double>{-1, 3}), ElementsAre(0.75, 3.75));
}

}  // namespace
}  // namespace tacit::graph::passes
