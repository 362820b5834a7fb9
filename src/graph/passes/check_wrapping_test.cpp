#include "graph/passes/check_wrapping.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "graph/passes/linearise.h"
#include "graph/passes/recognise.h"
#include "graph/passes/sketch.h"

namespace tacit::graph::passes {
namespace {

using testing::AllOf;
using testing::HasSubstr;

using Samples = std::vector<std::vector<Tensor>>;
using Range = std::optional<std::pair<double, double>>;

/// 3 x + 5 in integers of a type, then a real number.
Graph affine(IntegerType type) {
  Sketch s;
  const auto integer = [&](TensorId id) {
    s.graph.tensors[id].integral = true;
    s.graph.tensors[id].integers = type;
    return id;
  };
  const TensorId x = integer(s.input({1, 2}));
  const TensorId three = integer(s.constant({}, {3})), five = integer(s.constant({}, {5}));
  const TensorId product = integer(s.node("Mul", {x, three}, {1, 2}));
  const TensorId sum = integer(s.node("Add", {product, five}, {1, 2}));
  s.output(s.node("Cast", {sum}, {1, 2}, {{"to", std::int64_t{1}}}));
  return s.graph;
}

std::string refusal(IntegerType type, const Samples& samples, const Range& range) {
  const Recognised recognised = recognise(affine(type));
  try {
    check_wrapping(linearise(recognised), recognised.graph, samples, range);
  } catch (const base::InputError& error) {
    return error.what();
  }
  return "";
}

TEST(CheckWrapping, RefusesWhatSamplesWouldWrap) {
  const Samples small{{{{1, 2}, {40, -10}, true}}}, large{{{{1, 2}, {41, -10}, true}}};
  EXPECT_EQ(refusal(IntegerType::int8, small, {}), "");  // up to 125
  EXPECT_THAT(refusal(IntegerType::int8, large, {}),
              AllOf(HasSubstr("(Add)"), HasSubstr("-25 to 128"), HasSubstr("the type int8")));
  EXPECT_EQ(refusal(IntegerType::int64, large, {}), "");
}

TEST(CheckWrapping, RefusesWhatAPublicRangeAllows) {
  EXPECT_EQ(refusal(IntegerType::uint8, {}, Range({0, 83})), "");
  EXPECT_THAT(refusal(IntegerType::uint8, {}, Range({0, 84})), HasSubstr("5 to 257"));
}

TEST(CheckWrapping, TakesWhatATypeHoldsWhereNothingIsKnown) {
  EXPECT_THAT(refusal(IntegerType::uint8, {}, {}), AllOf(HasSubstr("(Mul)"), HasSubstr("0 to 765")));
  EXPECT_EQ(refusal(IntegerType::uint64, {}, {}), "");
}

}  // namespace
}  // namespace tacit::graph::passes
