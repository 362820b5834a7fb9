#include "graph/reference/operator_call.h"

#include <fmt/format.h>

#include "graph/integers.h"
#include "graph/reference/evaluate_for_test.h"

namespace tacit::graph::reference {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(OperatorCall, InputsAndOutputsThatAreThere) {
  const Graph graph;
  const Node node{"Op", "n", {}, {0, kNoTensor}, {}};
  const Tensor x = reals({1}, {5});
  const Tensor* inputs[] = {&x, nullptr};
  const Call call{node, inputs, graph};
  EXPECT_TRUE(call.has(0));
  EXPECT_FALSE(call.has(1));
  EXPECT_FALSE(call.has(2));
  EXPECT_EQ(&call.input(0), &x);
  for (const std::size_t absent : {1u, 2u})
    EXPECT_THAT(base::refusal([&] { call.input(absent); }),
                HasSubstr(fmt::format("node 'n' (Op): input {} is missing", absent)));
  EXPECT_TRUE(call.wants_output(0));
  EXPECT_FALSE(call.wants_output(1));
  EXPECT_FALSE(call.wants_output(2));
}

TEST(OperatorCall, IntegersPositionsAndNumbersOfAnInput) {
  const Graph graph;
  const Node node{"Op", "n", {}, {}, {}};
  const auto of = [&](const Tensor& tensor, auto read) {
    const Tensor* inputs[] = {nullptr, &tensor};
    return read(Call{node, inputs, graph});
  };
  const auto all_integers = [](const Call& call) { return call.integers(1); };
  const auto all_positions = [](const Call& call) { return call.positions(1); };
  const auto one_number = [](const Call& call) { return call.scalar(1); };
  constexpr std::int64_t kMost = std::int64_t{1} << 53, kEnd = std::int64_t{1} << 62;
  EXPECT_THAT(of(integers({0x1p53, -0x1p53, 7}), all_integers), ElementsAre(kMost, -kMost, 7));
  EXPECT_THAT(base::refusal([&] { of(integers({0x1p53 + 2}), all_integers); }),
              HasSubstr("input 1 holds a value that is not an integer"));
  EXPECT_THAT(base::refusal([&] { of(integers({-0x1p53 - 2}), all_integers); }), HasSubstr("is not an integer"));
  EXPECT_THAT(of(integers({0x1p62, -0x1p62, 7}), all_positions), ElementsAre(kEnd, -kEnd, 7));
  EXPECT_THAT(base::refusal([&] { of(reals({1}, {0x1p63}), all_positions); }),
              HasSubstr("input 1 holds a value that is no position"));
  EXPECT_EQ(of(reals({1, 1}, {0.5}), one_number), 0.5);
  for (const Tensor& other : {reals({2}, {1, 2}), reals({0}, {})})
    EXPECT_THAT(base::refusal([&] { of(other, one_number); }), HasSubstr("input 1 must hold one element"));
}

TEST(OperatorCall, FormatsAreThoseOfTheGraph) {
  Graph graph;
  graph.tensors = {{"a", {}}, {"b", {}}};
  graph.tensors[1].rounding = FloatFormat::float16;
  graph.tensors[1].integers = IntegerType::int8;
  const Node node{"Op", "n", {0, 1, 2, kNoTensor}, {}, {}};
  const Call call{node, {}, graph};
  EXPECT_EQ(call.rounding(1), FloatFormat::float16);
  EXPECT_EQ(call.integer_type(1), IntegerType::int8);
  for (const std::size_t unknown : {0u, 2u, 3u, 4u}) {
    EXPECT_EQ(call.rounding(unknown), FloatFormat::float64) << unknown;
    EXPECT_EQ(call.integer_type(unknown), IntegerType::int64) << unknown;
  }
}

TEST(OperatorCall, ResultsHaveSoManyElementsAtMost) {
  const Graph graph;
  const Node node{"Op", "n", {}, {}, {}};
  const Call call{node, {}, graph, 6};
  EXPECT_THAT(call.zeros({2, 3}).data, ElementsAre(0, 0, 0, 0, 0, 0));
  EXPECT_THAT(call.zeros({2, 3}).shape, ElementsAre(2, 3));
  EXPECT_FALSE(call.zeros({2}).integral);
  EXPECT_TRUE(call.zeros({2}, true).integral);
  EXPECT_THAT(base::refusal([&] { call.zeros({7}); }),
              HasSubstr("its result of shape [7] has 7 elements, and 6 is the most that it may have here"));
}

TEST(OperatorCall, ViewsAndStridesOfShapes) {
  const Shape shape{2, 3, 5, 7};
  const auto view = [&](std::size_t axis) {
    const AxisView seen = axis_view(shape, axis);
    return std::vector<std::int64_t>{seen.outer, seen.extent, seen.inner};
  };
  EXPECT_THAT(view(0), ElementsAre(1, 2, 105));
  EXPECT_THAT(view(1), ElementsAre(2, 3, 35));
  EXPECT_THAT(view(3), ElementsAre(30, 7, 1));
  EXPECT_THAT(strides_of(shape), ElementsAre(105, 35, 7, 1));
  EXPECT_THAT(strides_of({4}), ElementsAre(1));
  EXPECT_THAT(strides_of({}), testing::IsEmpty());
}

}  // namespace
}  // namespace tacit::graph::reference
