#include <cmath>

#include "graph/integers.h"
#include "graph/reference/evaluate_for_test.h"

namespace tacit::graph::reference {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(Reduction, AxesAndKeptDimensions) {
  const Tensor x = reals({2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_THAT(only("ReduceSum", {x}).data, ElementsAre(21));
  EXPECT_THAT(only("ReduceSum", {x, integers({-1})}, {{"keepdims", std::int64_t{0}}}).shape, ElementsAre(2));
  EXPECT_THAT(only("ReduceMean", {x}, {{"axes", Integers{0}}}).data, ElementsAre(2.5, 3.5, 4.5));
  EXPECT_THAT(only("ReduceMax", {x}, {{"axes", Integers{1}}}).data, ElementsAre(3, 6));
  EXPECT_THAT(only("ReduceMin", {x}, {{"axes", Integers{1}}}).data, ElementsAre(1, 4));
  EXPECT_THAT(only("ReduceProd", {x}, {{"axes", Integers{1}}}).data, ElementsAre(6, 120));
  EXPECT_THAT(only("ReduceL1", {reals({2}, {-3, 4})}).data, ElementsAre(7));
  EXPECT_THAT(only("ReduceL2", {reals({2}, {-3, 4})}).data, ElementsAre(5));
  EXPECT_THAT(only("ReduceSumSquare", {x}, {{"axes", Integers{1}}}).data, ElementsAre(14, 77));
  EXPECT_THAT(only("ReduceLogSumExp", {reals({2}, {0, 0})}).data, near({std::log(2.0)}));
  EXPECT_THAT(only("ArgMax", {x}, {{"axis", std::int64_t{1}}}).data, ElementsAre(2, 2));
  const Tensor tie = reals({3}, {5, 5, 1});
  EXPECT_THAT(only("ArgMax", {tie}).data, ElementsAre(0));
  EXPECT_THAT(only("ArgMax", {tie}, {{"select_last_index", std::int64_t{1}}}).data, ElementsAre(1));
  EXPECT_THAT(only("ArgMin", {tie}, {{"keepdims", std::int64_t{0}}}).shape, ElementsAre());
}

TEST(Reduction, OfNothing) {
  const Tensor none = reals({2, 0}, {});
  const auto value = [&](const char* op) { return only(op, {none}, {{"axes", std::vector<std::int64_t>{1}}}).data; };
  EXPECT_THAT(only("ReduceSum", {none, integers({1})}).data, ElementsAre(0, 0));
  EXPECT_THAT(value("ReduceProd"), ElementsAre(1, 1));
  EXPECT_THAT(value("ReduceMax"), ElementsAre(-HUGE_VAL, -HUGE_VAL));
  EXPECT_THAT(value("ReduceMin"), ElementsAre(HUGE_VAL, HUGE_VAL));
  EXPECT_THAT(value("ReduceL1"), ElementsAre(0, 0));
  EXPECT_THAT(value("ReduceL2"), ElementsAre(0, 0));
  EXPECT_THAT(value("ReduceSumSquare"), ElementsAre(0, 0));
  EXPECT_THAT(value("ReduceLogSum"), ElementsAre(-HUGE_VAL, -HUGE_VAL));
  EXPECT_THAT(value("ReduceLogSumExp"), ElementsAre(-HUGE_VAL, -HUGE_VAL));
  EXPECT_TRUE(std::isnan(value("ReduceMean").at(0)));
  EXPECT_THAT(only("ReduceSum", {none, integers({0})}).shape, ElementsAre(1, 0));
  const Tensor no_truth = integers({0}, {});
  EXPECT_THAT(only("ReduceMax", {no_truth}).data, ElementsAre(-kLostInteger));  // those of int64
  EXPECT_THAT(only("ReduceMin", {no_truth}).data, ElementsAre(kLostInteger));
  EXPECT_THAT(refusal("ReduceMean", {no_truth}), HasSubstr("the mean of no integers"));
  EXPECT_THAT(refusal("ArgMax", {no_truth}), HasSubstr("has no extreme"));
}

TEST(Reduction, TruthValuesAndNoAxes) {
  const Tensor truth = integers({2, 2}, {1, 0, 0, 0});
  EXPECT_THAT(only("ReduceMax", {truth}, {{"axes", std::vector<std::int64_t>{1}}}).data, ElementsAre(1, 0));
  EXPECT_THAT(only("ReduceMin", {truth}, {{"axes", std::vector<std::int64_t>{0}}}).data, ElementsAre(0, 0));
  const Tensor x = reals({2}, {-3, 4});
  const Attributes keep{{"noop_with_empty_axes", std::int64_t{1}}};
  EXPECT_THAT(only("ReduceSum", {x}, keep).data, ElementsAre(-3, 4));
  EXPECT_THAT(only("ReduceSum", {x, integers({})}, keep).data, ElementsAre(-3, 4));
  EXPECT_THAT(only("ReduceL1", {x}, keep).data, ElementsAre(3, 4)) << "each element by itself";
  EXPECT_THAT(only("ReduceSumSquare", {x}, keep).data, ElementsAre(9, 16));
  EXPECT_THAT(only("ReduceSum", {x, integers({})}).data, ElementsAre(1));
  EXPECT_THAT(refusal("ReduceSum", {x, integers({1})}), HasSubstr("axis 1 is outside"));
  EXPECT_THAT(only("ReduceLogSumExp", {reals({2}, {1000, 1000})}).data, near({1000 + std::log(2.0)}));
}

TEST(Reduction, CumulativeSums) {
  const Tensor x = reals({2, 3}, {1, 2, 3, 4, 5, 6}), last = integers({}, {-1});
  EXPECT_THAT(only("CumSum", {x, last}).data, ElementsAre(1, 3, 6, 4, 9, 15));
  EXPECT_THAT(only("CumSum", {x, integers({}, {0})}).data, ElementsAre(1, 2, 3, 5, 7, 9));
  EXPECT_THAT(only("CumSum", {x, last}, {{"exclusive", std::int64_t{1}}}).data, ElementsAre(0, 1, 3, 0, 4, 9));
  EXPECT_THAT(only("CumSum", {x, last}, {{"reverse", std::int64_t{1}}}).data, ElementsAre(6, 5, 3, 15, 11, 6));
  EXPECT_THAT(only("CumSum", {x, last}, {{"exclusive", std::int64_t{1}}, {"reverse", std::int64_t{1}}}).data,
              ElementsAre(5, 3, 0, 11, 6, 0));
  EXPECT_THAT(refusal("CumSum", {x, integers({}, {2})}), HasSubstr("axis 2 is outside"));
}

TEST(Reduction, ExtremesOfNoIntegersAreThoseOfTheirType) {
  Graph graph;
  graph.tensors = {{"x", {0}, true}};
  const Tensor none = integers({0}, {});
  const Tensor* inputs[] = {&none};
  const auto extreme = [&](const char* op, IntegerType type) {
    graph.tensors[0].integers = type;
    return evaluate(graph, Node{op, "n", {0}, {0}, {}}, inputs).at(0).data.at(0);
  };
  EXPECT_EQ(extreme("ReduceMax", IntegerType::int8), -128);
  EXPECT_EQ(extreme("ReduceMin", IntegerType::int8), 127);
  EXPECT_EQ(extreme("ReduceMax", IntegerType::uint8), 0);
  EXPECT_EQ(extreme("ReduceMin", IntegerType::uint8), 255);
  EXPECT_EQ(extreme("ReduceMax", IntegerType::int32), -0x1p31);
  EXPECT_EQ(extreme("ReduceMin", IntegerType::int32), 0x1p31 - 1);
  EXPECT_EQ(extreme("ReduceMin", IntegerType::boolean), 1);
}

}  // namespace
}  // namespace tacit::graph::reference
