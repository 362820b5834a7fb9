#include <cmath>

#include "graph/integers.h"
#include "graph/reference/evaluate_for_test.h"

namespace tacit::graph::reference {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const Tensor kEight = reals({2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8});

Attributes options(std::initializer_list<std::pair<const char*, std::int64_t>> values) {
  Attributes attributes;
  for (const auto& [name, value] : values) attributes[name] = value;
  return attributes;
}

TEST(ReducedAxes, SeveralAndTheirPlaces) {
  const Tensor ends = only("ReduceSum", {kEight, integers({0, 2})});
  EXPECT_THAT(ends.data, ElementsAre(14, 22));
  EXPECT_THAT(ends.shape, ElementsAre(1, 2, 1));
  EXPECT_THAT(only("ReduceSum", {kEight, integers({0, -1})}, options({{"keepdims", 0}})).shape, ElementsAre(2));
  const Attributes middle{{"axes", Integers{1}}};
  EXPECT_THAT(only("ReduceMean", {kEight}, middle).data, ElementsAre(2, 3, 6, 7));
  EXPECT_THAT(only("ReduceProd", {kEight}, middle).data, ElementsAre(3, 8, 35, 48));
  EXPECT_THAT(only("ReduceMax", {kEight}, middle).data, ElementsAre(3, 4, 7, 8));
  EXPECT_THAT(only("ReduceMin", {kEight}, middle).data, ElementsAre(1, 2, 5, 6));
  EXPECT_THAT(only("ReduceSumSquare", {kEight}, middle).data, ElementsAre(10, 20, 74, 100));
  EXPECT_THAT(only("ReduceL1", {kEight}, middle).data, ElementsAre(4, 6, 12, 14));
  EXPECT_THAT(only("ReduceL2", {kEight}, middle).data, near({std::sqrt(10.0), std::sqrt(20.0), std::sqrt(74.0), 10}));
  EXPECT_THAT(only("ReduceLogSum", {kEight}, middle).data,
              near({std::log(4.0), std::log(6.0), std::log(12.0), std::log(14.0)}));
  const Tensor logarithms = only("ReduceLogSumExp", {kEight}, middle);
  EXPECT_THAT(logarithms.data, near({3 + std::log(1 + std::exp(-2)), 4 + std::log(1 + std::exp(-2)),
                                     7 + std::log(1 + std::exp(-2)), 8 + std::log(1 + std::exp(-2))}));
  EXPECT_THAT(logarithms.shape, ElementsAre(2, 1, 2));
  const Attributes dropped{{"axes", Integers{1}}, {"keepdims", std::int64_t{0}}};
  EXPECT_THAT(only("ReduceLogSumExp", {kEight}, dropped).shape, ElementsAre(2, 2));
}

TEST(ReducedAxes, ExponentialsOfInfinities) {
  EXPECT_THAT(only("ReduceLogSumExp", {reals({2}, {-HUGE_VAL, -HUGE_VAL})}).data, ElementsAre(-HUGE_VAL));
  EXPECT_THAT(only("ReduceLogSumExp", {reals({2}, {1, HUGE_VAL})}).data, ElementsAre(HUGE_VAL));
  EXPECT_THAT(only("ReduceLogSumExp", {reals({2}, {-1000, -1000})}).data, near({std::log(2.0) - 1000}));
  EXPECT_THAT(refusal("ReduceLogSumExp", {integers({1, 2})}),
              HasSubstr("it takes floating-point numbers; cast its integers first"));
}

TEST(ReducedAxes, IntegersAreCutTowardsZero) {
  const auto whole = [](const char* op, std::vector<double> data) {
    const Tensor made = only(op, {integers(std::move(data))});
    EXPECT_TRUE(made.integral) << op;
    return made.data;
  };
  EXPECT_THAT(whole("ReduceMean", {3, 4}), ElementsAre(3));
  EXPECT_THAT(whole("ReduceMean", {-3, -4}), ElementsAre(-3));
  EXPECT_THAT(whole("ReduceL2", {2, 2}), ElementsAre(2));
  EXPECT_THAT(whole("ReduceLogSum", {8}), ElementsAre(2));
  EXPECT_THAT(whole("ReduceSum", {3, 4}), ElementsAre(7));
  EXPECT_THAT(whole("ReduceSum", {0x1p53 - 1, 1}), ElementsAre(0x1p53));
  EXPECT_THAT(whole("ReduceProd", {-0x1p52, 2}), ElementsAre(-0x1p53));
  const char* const beyond = "what its integers add up to is beyond 2^53";
  EXPECT_THAT(refusal("ReduceSum", {integers({0x1p53, 2})}), HasSubstr(beyond));
  EXPECT_THAT(refusal("ReduceSum", {integers({-0x1p53, -2})}), HasSubstr(beyond));
  EXPECT_THAT(only("ReduceSum", {reals({2}, {0x1p53, 2})}).data, ElementsAre(0x1p53 + 2));
  EXPECT_FALSE(only("ReduceSum", {reals({1}, {1})}).integral);
}

TEST(CumulativeSums, AlongAnAxisInTheMiddle) {
  const Tensor x = reals({2, 3, 2}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}), middle = integers({}, {1});
  EXPECT_THAT(only("CumSum", {x, middle}).data, ElementsAre(1, 2, 4, 6, 9, 12, 7, 8, 16, 18, 27, 30));
  EXPECT_THAT(only("CumSum", {x, middle}, options({{"reverse", 1}})).data,
              ElementsAre(9, 12, 8, 10, 5, 6, 27, 30, 20, 22, 11, 12));
  EXPECT_THAT(only("CumSum", {x, middle}, options({{"reverse", 1}, {"exclusive", 1}})).data,
              ElementsAre(8, 10, 5, 6, 0, 0, 20, 22, 11, 12, 0, 0));
}

TEST(CumulativeSums, AxesAndSumsAreBounded) {
  const Tensor x = reals({2}, {1, 2});
  EXPECT_THAT(refusal("CumSum", {x, reals({}, {0x1p31})}), HasSubstr("axis 2147483648 is outside [-1, 1)"));
  EXPECT_THAT(refusal("CumSum", {x, reals({}, {0x1p31 + 1})}), HasSubstr("axis 2147483649 is no axis"));
  EXPECT_THAT(refusal("CumSum", {x, reals({}, {-0x1p31 - 1})}), HasSubstr("axis -2147483649 is no axis"));
  EXPECT_THAT(refusal("CumSum", {x, reals({}, {NAN})}), HasSubstr("is no axis"));
  const Tensor first = integers({}, {0});
  EXPECT_THAT(only("CumSum", {integers({0x1p53 - 1, 1}), first}).data, ElementsAre(0x1p53 - 1, 0x1p53));
  EXPECT_THAT(refusal("CumSum", {integers({0x1p53, 1}), first}), HasSubstr("a sum of its integers is beyond 2^53"));
  EXPECT_THAT(only("CumSum", {reals({2}, {0x1p61, 0x1p61}), first}).data, ElementsAre(0x1p61, 0x1p62));
}

TEST(CumulativeSums, IntegersWrapInTheirType) {
  Graph graph;
  graph.tensors = {{"x", {3}, true}, {"axis", {}, true}};
  graph.tensors[0].integers = IntegerType::int8;
  const Tensor x = integers({100, 100, 100}), axis = integers({}, {0});
  const Tensor* inputs[] = {&x, &axis};
  const Tensor made = evaluate(graph, Node{"CumSum", "n", {0, 1}, {0}, {}}, inputs).at(0);
  EXPECT_THAT(made.data, ElementsAre(100, -56, 44));
  EXPECT_TRUE(made.integral);
}

TEST(Extremes, PlacesAlongEveryAxis) {
  const Tensor x = reals({2, 3, 2}, {1, 9, 7, 9, 3, 2, 4, 0, 4, 5, 4, 6});
  const auto place = [&](const char* op, std::int64_t axis, std::int64_t last) {
    const Tensor made = only(op, {x}, options({{"axis", axis}, {"select_last_index", last}}));
    EXPECT_TRUE(made.integral);
    return made.data;
  };
  EXPECT_THAT(place("ArgMax", 1, 0), ElementsAre(1, 0, 0, 2));
  EXPECT_THAT(place("ArgMax", 1, 1), ElementsAre(1, 1, 2, 2));
  EXPECT_THAT(place("ArgMin", 1, 0), ElementsAre(0, 2, 0, 0));
  EXPECT_THAT(place("ArgMin", -2, 1), ElementsAre(0, 2, 2, 0));
  EXPECT_THAT(place("ArgMax", -1, 0), ElementsAre(1, 1, 0, 0, 1, 1));
  EXPECT_THAT(only("ArgMax", {x}).data, ElementsAre(1, 0, 0, 0, 1, 1)) << "axis 0 where nothing is said";
  EXPECT_THAT(only("ArgMin", {x}).data, ElementsAre(0, 1, 1, 1, 0, 0));
  EXPECT_THAT(only("ArgMax", {x}).shape, ElementsAre(1, 3, 2));
  EXPECT_THAT(only("ArgMax", {x}, options({{"axis", 1}, {"keepdims", 0}})).shape, ElementsAre(2, 2));
  EXPECT_THAT(only("ArgMin", {reals({1}, {5})}).data, ElementsAre(0));
  EXPECT_THAT(refusal("ArgMin", {reals({2, 0}, {})}, options({{"axis", 1}})),
              HasSubstr("an axis without elements has no extreme"));
  EXPECT_THAT(only("ArgMin", {reals({2, 0}, {})}).shape, ElementsAre(1, 0));
}

TEST(TopElements, BestFirstAlongEveryAxis) {
  const Tensor x = reals({2, 3, 2}, {1, 9, 7, 9, 3, 2, 4, 0, 4, 5, 4, 6}), two = integers({2});
  auto both = all_of("TopK", {x, two}, options({{"axis", 1}}), 2);
  EXPECT_THAT(both.at(0).data, ElementsAre(7, 9, 3, 9, 4, 6, 4, 5));
  EXPECT_THAT(both.at(1).data, ElementsAre(1, 0, 2, 1, 0, 2, 1, 1)) << "the lower of equal elements first";
  EXPECT_THAT(both.at(0).shape, ElementsAre(2, 2, 2));
  EXPECT_THAT(both.at(1).shape, ElementsAre(2, 2, 2));
  EXPECT_FALSE(both.at(0).integral);
  EXPECT_TRUE(both.at(1).integral);
  both = all_of("TopK", {x, two}, options({{"axis", 1}, {"largest", 0}}), 2);
  EXPECT_THAT(both.at(0).data, ElementsAre(1, 2, 3, 9, 4, 0, 4, 5));
  EXPECT_THAT(both.at(1).data, ElementsAre(0, 2, 2, 0, 0, 0, 1, 1));
  both = all_of("TopK", {x, integers({1})}, {}, 2);
  EXPECT_THAT(both.at(0).data, ElementsAre(9, 9, 3, 4, 5, 6)) << "the largest of the last axis";
  EXPECT_THAT(both.at(1).data, ElementsAre(1, 1, 0, 0, 1, 1));
  EXPECT_TRUE(all_of("TopK", {integers({3, 4}), integers({1})}, {}, 2).at(0).integral);
}

TEST(TopElements, WhatIsNoNumberComesLast) {
  const Tensor x = reals({5}, {NAN, 2, NAN, 3, 1});
  EXPECT_THAT(all_of("TopK", {x, integers({5})}, {}, 2).at(1).data, ElementsAre(3, 1, 4, 0, 2));
  EXPECT_THAT(all_of("TopK", {x, integers({5})}, options({{"largest", 0}}), 2).at(1).data, ElementsAre(4, 1, 3, 0, 2));
}

TEST(TopElements, NoMoreThanThereAre) {
  const Tensor x = reals({2, 3}, {1, 2, 3, 6, 5, 4});
  EXPECT_THAT(all_of("TopK", {x, integers({3})}, {}, 2).at(0).data, ElementsAre(3, 2, 1, 6, 5, 4));
  EXPECT_THAT(all_of("TopK", {x, integers({0})}, {}, 2).at(0).shape, ElementsAre(2, 0));
  EXPECT_THAT(all_of("TopK", {x, integers({0})}, {}, 2).at(1).shape, ElementsAre(2, 0));
  EXPECT_THAT(refusal("TopK", {x, integers({4})}), HasSubstr("K is 4, outside [0, 3], the extent of its axis"));
  EXPECT_THAT(refusal("TopK", {x, integers({-1})}), HasSubstr("K is -1, outside [0, 3], the extent of its axis"));
  EXPECT_THAT(refusal("TopK", {x, integers({3})}, options({{"axis", 0}})), HasSubstr("K is 3, outside [0, 2]"));
  EXPECT_THAT(refusal("TopK", {x, integers({1, 1})}), HasSubstr("input 1 must hold one element"));
}

}  // namespace
}  // namespace tacit::graph::reference
