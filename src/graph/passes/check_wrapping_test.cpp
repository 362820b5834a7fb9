#include "graph/passes/check_wrapping.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/refusal_for_test.h"
#include "graph/passes/linearise.h"
#include "graph/passes/recognise.h"
#include "graph/passes/sketch.h"

namespace tacit::graph::passes {
namespace {

using testing::AllOf;
using testing::HasSubstr;

using Samples = std::vector<std::vector<Tensor>>;
using KnownRange = std::optional<std::pair<double, double>>;

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

std::string wrapping_refusal(IntegerType type, const Samples& samples, const KnownRange& range) {
  const Recognised recognised = recognise(affine(type));
  return base::refusal([&] { check_wrapping(linearise(recognised), recognised.graph, samples, range); });
}

TEST(CheckWrapping, RefusesWhatSamplesWouldWrap) {
  const Samples small{{{{1, 2}, {40, -10}, true}}}, large{{{{1, 2}, {41, -10}, true}}};
  EXPECT_EQ(wrapping_refusal(IntegerType::int8, small, {}), base::kNotRefused);  // up to 125
  EXPECT_THAT(wrapping_refusal(IntegerType::int8, large, {}),
              AllOf(HasSubstr("(Add)"), HasSubstr("-25 to 128"), HasSubstr("the type int8")));
  EXPECT_EQ(wrapping_refusal(IntegerType::int64, large, {}), base::kNotRefused);
}

TEST(CheckWrapping, RefusesWhatAPublicRangeAllows) {
  EXPECT_EQ(wrapping_refusal(IntegerType::uint8, {}, KnownRange({0, 83})), base::kNotRefused);
  EXPECT_THAT(wrapping_refusal(IntegerType::uint8, {}, KnownRange({0, 84})), HasSubstr("5 to 257"));
}

TEST(CheckWrapping, TakesWhatATypeHoldsWhereNothingIsKnown) {
  EXPECT_THAT(wrapping_refusal(IntegerType::uint8, {}, {}), AllOf(HasSubstr("(Mul)"), HasSubstr("0 to 765")));
  EXPECT_EQ(wrapping_refusal(IntegerType::uint64, {}, {}), base::kNotRefused);
}

/// x + 5 or x + y, of these types.
std::string refusal_of_sum(const std::vector<std::optional<IntegerType>>& types, IntegerType result,
                           const KnownRange& range) {
  Sketch s;
  const auto holding = [&](TensorId id, std::optional<IntegerType> type) {
    s.graph.tensors[id].integral = type.has_value();
    if (type) s.graph.tensors[id].integers = *type;
    return id;
  };
  std::vector<TensorId> operands;
  for (const auto& type : types) operands.push_back(holding(s.input({1, 2}), type));
  if (operands.size() == 1) operands.push_back(holding(s.constant({1, 2}, {5, 5}), types[0]));
  s.output(holding(s.node("Add", operands, {1, 2}), result));
  const Recognised recognised = recognise(s.graph);
  return base::refusal([&] { check_wrapping(linearise(recognised), recognised.graph, {}, range); });
}

TEST(CheckWrapping, TypesHoldTheirEnds) {
  const auto refused = [](double lowest, double highest) {
    return refusal_of_sum({IntegerType::int8}, IntegerType::int8, KnownRange({lowest, highest}));
  };
  const auto words = [](const std::string& reach) {
    return "node 'Add0' (Add): its integers may reach " + reach +
           " and have the type int8, in which they would wrap around; encrypted values do not: cast to a wider type "
           "first, or show with --calibrate or --input-range that they stay inside";
  };
  EXPECT_EQ(refused(-133, 122), base::kNotRefused);
  EXPECT_EQ(refused(-133, 123), words("-128 to 128"));
  EXPECT_EQ(refused(-134, 122), words("-129 to 127"));
}

TEST(CheckWrapping, TypesOfAllInputsCount) {
  const std::optional<IntegerType> small = IntegerType::int8, positive = IntegerType::uint8, real;
  EXPECT_THAT(refusal_of_sum({small, positive}, IntegerType::int8, {}), HasSubstr("may reach -256 to 510 and"));
  EXPECT_THAT(refusal_of_sum({positive, small}, IntegerType::uint8, {}), HasSubstr("may reach -256 to 510 and"));
  EXPECT_EQ(refusal_of_sum({small, positive}, IntegerType::int16, {}), base::kNotRefused);
  EXPECT_EQ(refusal_of_sum({small, real}, IntegerType::int8, {}), base::kNotRefused) << "nothing is known of reals";
  EXPECT_EQ(refusal_of_sum({real, small}, IntegerType::int8, {}), base::kNotRefused);
}

}  // namespace
}  // namespace tacit::graph::passes
