#include <fmt/format.h>

#include <cmath>

#include "graph/reference/evaluate_for_test.h"

namespace tacit::graph::reference {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const Tensor kSix = reals({2, 3}, {1, 2, 3, 4, 5, 6});

Attributes number(const char* name, std::int64_t value) { return {{name, value}}; }

TEST(Reshaping, OpenAndCopiedExtents) {
  const auto shape = [](const Tensor& x, std::vector<double> to, const Attributes& attributes = {}) {
    const Tensor made = only("Reshape", {x, integers(std::move(to))}, attributes);
    EXPECT_EQ(made.data, x.data);
    return made.shape;
  };
  EXPECT_THAT(shape(kSix, {-1}), ElementsAre(6));
  EXPECT_THAT(shape(kSix, {3, -1}), ElementsAre(3, 2));
  EXPECT_THAT(shape(kSix, {-1, 0}), ElementsAre(2, 3)) << "the second extent is copied";
  EXPECT_THAT(shape(kSix, {1, 0, 2}), ElementsAre(1, 3, 2));
  EXPECT_THAT(shape(reals({1, 1}, {5}), {}), IsEmpty());
  const Tensor none = reals({0, 3}, {});
  EXPECT_THAT(shape(none, {3, -1}), ElementsAre(3, 0));
  EXPECT_THAT(shape(none, {3, 0}, number("allowzero", 1)), ElementsAre(3, 0)) << "zero is an extent";
  EXPECT_THAT(shape(none, {0, 1, 5}), ElementsAre(0, 1, 5));
}

TEST(Reshaping, RefusesShapesThatDoNotFit) {
  const auto refused = [](const Tensor& x, std::vector<double> to, const Attributes& attributes = {}) {
    return refusal("Reshape", {x, integers(std::move(to))}, attributes);
  };
  EXPECT_THAT(refused(kSix, {2, 3, 0}), HasSubstr("shape [2, 3, 0] copies an axis that [2, 3] lacks"));
  EXPECT_THAT(refused(kSix, {-1, 2, -1}), HasSubstr("shape [-1, 2, -1] leaves two axes open"));
  EXPECT_THAT(refused(kSix, {-2, 3}), HasSubstr("shape [-2, 3] has a negative extent"));
  EXPECT_THAT(refused(kSix, {4, -1}), HasSubstr("a tensor of shape [2, 3] does not fit the shape [4, -1]"));
  EXPECT_THAT(refused(kSix, {7}), HasSubstr("a tensor of shape [2, 3] does not fit the shape [7]"));
  EXPECT_THAT(refused(kSix, {5}), HasSubstr("a tensor of shape [2, 3] does not fit the shape [5]"));
  EXPECT_THAT(refused(reals({0, 3}, {}), {0, -1}), HasSubstr("a tensor of shape [0, 3] does not fit the shape"))
      << "any extent would do";
  EXPECT_THAT(refused(kSix, {0, -1}, number("allowzero", 1)), HasSubstr("does not fit the shape [0, -1]"));
}

TEST(Reshaping, FlattenSplitsAtAnyAxis) {
  const Tensor x = reals({2, 1, 3}, {1, 2, 3, 4, 5, 6});
  const auto shape = [&](std::int64_t axis) { return only("Flatten", {x}, number("axis", axis)).shape; };
  EXPECT_THAT(only("Flatten", {x}).shape, ElementsAre(2, 3)) << "behind the batch where nothing is said";
  EXPECT_THAT(only("Flatten", {reals({2, 2, 1}, {1, 2, 3, 4})}).shape, ElementsAre(2, 2));
  EXPECT_THAT(only("Flatten", {reals({2, 3, 2}, std::vector<double>(12))}).shape, ElementsAre(2, 6));
  EXPECT_THAT(shape(0), ElementsAre(1, 6));
  EXPECT_THAT(shape(3), ElementsAre(6, 1));
  EXPECT_THAT(shape(-3), ElementsAre(1, 6));
  EXPECT_THAT(shape(-1), ElementsAre(2, 3));
  for (const std::int64_t axis : {-4, 4})
    EXPECT_THAT(refusal("Flatten", {x}, number("axis", axis)),
                HasSubstr(fmt::format("axis {} is outside a tensor of rank 3", axis)));
  EXPECT_THAT(only("Flatten", {reals({}, {7})}, number("axis", 0)).shape, ElementsAre(1, 1));
}

TEST(Reshaping, SqueezeDropsStatedAxesOnly) {
  const Tensor x = reals({1, 2, 1, 1}, {1, 2});
  EXPECT_THAT(only("Squeeze", {x, integers({0})}).shape, ElementsAre(2, 1, 1));
  EXPECT_THAT(only("Squeeze", {x, integers({-1, 0})}).shape, ElementsAre(2, 1));
  EXPECT_THAT(only("Squeeze", {x, integers({})}).shape, ElementsAre(1, 2, 1, 1));
  EXPECT_THAT(only("Squeeze", {x}).shape, ElementsAre(2));
  EXPECT_THAT(refusal("Squeeze", {x, integers({1})}), HasSubstr("axis 1 of shape [1, 2, 1, 1] is not of extent 1"));
  EXPECT_THAT(refusal("Squeeze", {x, integers({4})}), HasSubstr("axis 4 is outside [-4, 4) of a tensor of rank 4"));
}

TEST(Reshaping, UnsqueezeCountsAxesOfTheResult) {
  EXPECT_THAT(only("Unsqueeze", {kSix, integers({1})}).shape, ElementsAre(2, 1, 3));
  EXPECT_THAT(only("Unsqueeze", {kSix, integers({2, 0})}).shape, ElementsAre(1, 2, 1, 3));
  EXPECT_THAT(only("Unsqueeze", {kSix, integers({-4, 3})}).shape, ElementsAre(1, 2, 3, 1));
  EXPECT_THAT(only("Unsqueeze", {reals({}, {7}), integers({0})}).shape, ElementsAre(1));
  EXPECT_THAT(refusal("Unsqueeze", {kSix, integers({0, -4})}), HasSubstr("axis -4 is inserted twice"));
  EXPECT_THAT(refusal("Unsqueeze", {kSix, integers({3})}),
              HasSubstr("axis 3 is outside [-3, 3) of a tensor of rank 3"));
}

TEST(ShapeReaders, EndsOfAShapeAreCutToIt) {
  const Tensor x = reals({2, 3, 4, 5}, std::vector<double>(120));
  const auto part = [&](std::int64_t start, std::int64_t end) {
    return only("Shape", {x}, {{"start", start}, {"end", end}}).data;
  };
  EXPECT_THAT(only("Shape", {x}).data, ElementsAre(2, 3, 4, 5));
  EXPECT_TRUE(only("Shape", {x}).integral);
  EXPECT_THAT(only("Shape", {x}).shape, ElementsAre(4));
  EXPECT_THAT(part(0, 1), ElementsAre(2));
  EXPECT_THAT(part(1, 3), ElementsAre(3, 4));
  EXPECT_THAT(part(-3, -1), ElementsAre(3, 4));
  EXPECT_THAT(part(-9, 9), ElementsAre(2, 3, 4, 5));
  EXPECT_THAT(part(0, -4), IsEmpty());
  EXPECT_THAT(part(3, 1), IsEmpty());
  EXPECT_THAT(part(9, 9), IsEmpty());
  EXPECT_THAT(only("Shape", {reals({}, {1})}).shape, ElementsAre(0));
}

TEST(ShapeReaders, SizeIsTheNumberOfElements) {
  const Tensor made = only("Size", {kSix});
  EXPECT_THAT(made.data, ElementsAre(6));
  EXPECT_THAT(made.shape, IsEmpty());
  EXPECT_TRUE(made.integral);
  EXPECT_THAT(only("Size", {reals({}, {3})}).data, ElementsAre(1));
  EXPECT_THAT(only("Size", {reals({0, 3}, {})}).data, ElementsAre(0));
}

TEST(ShapeReaders, DropoutPassesOnAndMasksNothing) {
  const auto both = all_of("Dropout", {kSix}, {}, 2);
  EXPECT_EQ(both.at(0).data, kSix.data);
  EXPECT_THAT(both.at(1).data, ElementsAre(1, 1, 1, 1, 1, 1));
  EXPECT_THAT(both.at(1).shape, ElementsAre(2, 3));
  EXPECT_TRUE(both.at(1).integral);
  EXPECT_EQ(all_of("Dropout", {kSix}).size(), 1u);
  const Tensor ratio = reals({}, {0.5});
  EXPECT_EQ(only("Dropout", {kSix, ratio}).data, kSix.data);
  EXPECT_EQ(only("Dropout", {kSix, ratio, integers({}, {0})}).data, kSix.data);
  EXPECT_THAT(refusal("Dropout", {kSix, ratio, integers({}, {1})}), HasSubstr("training mode is not supported"));
}

TEST(ShapeMakers, ConstantsHaveOneElementToFillWith) {
  const auto value = [](Tensor filled) { return Attributes{{"value", std::move(filled)}}; };
  EXPECT_THAT(only("ConstantOfShape", {integers({2, 2})}, value(reals({1}, {0.5}))).data,
              ElementsAre(0.5, 0.5, 0.5, 0.5));
  EXPECT_THAT(only("ConstantOfShape", {integers({})}, value(reals({}, {3}))).data, ElementsAre(3));
  EXPECT_THAT(only("ConstantOfShape", {integers({0, 2})}).shape, ElementsAre(0, 2));
  EXPECT_THAT(refusal("ConstantOfShape", {integers({2})}, value(reals({2}, {1, 2}))),
              HasSubstr("attribute 'value' must hold one element"));
  EXPECT_THAT(refusal("ConstantOfShape", {integers({2})}, value(reals({0}, {}))),
              HasSubstr("attribute 'value' must hold one element"));
  EXPECT_THAT(refusal("ConstantOfShape", {integers({2})}, value(texts({"a"}))),
              HasSubstr("attribute 'value' holds a text, where a number is needed"));
}

std::vector<double> range_of_reals(double start, double limit, double step) {
  const Tensor made = only("Range", {reals({}, {start}), reals({}, {limit}), reals({}, {step})});
  EXPECT_FALSE(made.integral);
  EXPECT_THAT(made.shape, ElementsAre(static_cast<std::int64_t>(made.data.size())));
  return made.data;
}

TEST(ShapeMakers, RangesEndBeforeTheirLimit) {
  EXPECT_THAT(range_of_reals(1, 2, 0.25), ElementsAre(1, 1.25, 1.5, 1.75));
  EXPECT_THAT(range_of_reals(1, 2.125, 0.25), ElementsAre(1, 1.25, 1.5, 1.75, 2));
  EXPECT_THAT(range_of_reals(2, 1, -0.5), ElementsAre(2, 1.5));
  EXPECT_THAT(range_of_reals(2, 1, 0.5), IsEmpty());
  EXPECT_THAT(range_of_reals(3, 3, 1), IsEmpty());
  EXPECT_TRUE(only("Range", {integers({}, {2}), integers({}, {7}), integers({}, {2})}).integral);
  EXPECT_THAT(only("Range", {integers({}, {2}), integers({}, {7}), integers({}, {2})}).data, ElementsAre(2, 4, 6));
}

TEST(ShapeMakers, RangesAreFiniteAndMove) {
  const auto refused = [](double start, double limit, double step) {
    return refusal("Range", {reals({}, {start}), reals({}, {limit}), reals({}, {step})});
  };
  const char* const ends = "a range needs finite ends and a step other than zero";
  EXPECT_THAT(refused(0, 1, 0), HasSubstr(ends));
  EXPECT_THAT(refused(-HUGE_VAL, 1, 1), HasSubstr(ends));
  EXPECT_THAT(refused(0, NAN, 1), HasSubstr(ends));
  EXPECT_THAT(refused(0, 1, HUGE_VAL), HasSubstr(ends));
  EXPECT_THAT(refused(0, 0x1p31, 1), HasSubstr("a range has too many elements"));
  EXPECT_THAT(refused(0, 0x1p31 - 1, 1), HasSubstr("a tensor of shape [2147483647] has more than 268435456 elements"));
}

/// float16 has 11 digits: 1 - start is 1843.25 / 2048, and three steps are 1228.5 / 4096 before they are rounded.
TEST(ShapeMakers, RangesAreWorkedOutInTheirFormat) {
  Graph graph;
  graph.tensors = {{"start", {}}, {"limit", {}}, {"delta", {}}};
  const double tenth = 1638.0 / 16384;
  const auto made = [&](double start, double limit, double step, FloatFormat format) {
    graph.tensors[0].rounding = format;
    const Tensor ends[] = {reals({}, {start}), reals({}, {limit}), reals({}, {step})};
    const Tensor* inputs[] = {&ends[0], &ends[1], &ends[2]};
    return evaluate(graph, Node{"Range", "n", {0, 1, 2}, {0}, {}}, inputs).at(0).data;
  };
  EXPECT_THAT(made(tenth, 1, 1843.0 / 2048, FloatFormat::float16), ElementsAre(tenth));
  EXPECT_EQ(made(tenth, 1, 1843.0 / 2048, FloatFormat::float64).size(), 2u);
  EXPECT_THAT(made(0, 0.35, tenth, FloatFormat::float16), ElementsAre(0, tenth, 2 * tenth, 1228.0 / 4096));
  EXPECT_THAT(made(0, 0.35, tenth, FloatFormat::float64), ElementsAre(0, tenth, 2 * tenth, 1228.5 / 4096));
}

}  // namespace
}  // namespace tacit::graph::reference
