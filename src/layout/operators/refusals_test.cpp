#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "base/refusal_for_test.h"
#include "layout/operators/combined.h"
#include "layout/operators/matrix.h"
#include "layout/operators/movement.h"
#include "layout/operators/repeated.h"
#include "layout/operators/row_band.h"

// What operators say where their parts do not fit each other, and that they take what lies beside it.
namespace tacit::layout {
namespace {

using base::refusal;

const std::string kTaken = base::kNotRefused;

LinearOperatorPtr same(const Shape& shape) { return std::make_shared<Identity>(shape); }

TEST(OperatorRefusals, GathersReadTheirInput) {
  const auto gather = [](const std::vector<Index>& source, const std::vector<double>& weights = {}) {
    return refusal([&] { Gather({2}, {2}, source, weights); });
  };
  EXPECT_EQ(gather({1, Gather::kNothing}), kTaken);
  EXPECT_EQ(gather({0, 1}, {2, 3}), kTaken);
  EXPECT_EQ(gather({0, 2}), "gather: a source lies outside the input");
  EXPECT_EQ(gather({0, -2}), "gather: a source lies outside the input");
  EXPECT_EQ(gather({0}), "gather: one source per output element");
  EXPECT_EQ(gather({0, 1, 1}), "gather: one source per output element");
  EXPECT_EQ(gather({0, 1}, {2}), "gather: one weight per output element, or none");
  EXPECT_EQ(gather({0, 1}, {2, 3, 4}), "gather: one weight per output element, or none");
  EXPECT_EQ(gather({0, 1}, {2, std::nan("")}), "gather: a weight is not finite");
  EXPECT_EQ(refusal([] { Identity({2, 2}, {5}); }), "identity: the shapes have different numbers of elements");
}

TEST(OperatorRefusals, ReductionsNameEveryAxisOnce) {
  const auto reduction = [](const Shape& out, const std::vector<Index>& axes, double factor = 1) {
    return refusal([&] { Reduction({2, 3}, out, axes, factor); });
  };
  EXPECT_EQ(reduction({3}, {0}), kTaken);
  EXPECT_EQ(reduction({2, 1}, {1}), kTaken);
  EXPECT_EQ(reduction({}, {1, 0}), kTaken);
  EXPECT_EQ(reduction({2, 3}, {}), kTaken);
  const std::string axis = "reduction: an axis does not exist or is named twice";
  EXPECT_EQ(reduction({2}, {2}), axis);
  EXPECT_EQ(reduction({2}, {-1}), axis);
  EXPECT_EQ(reduction({2}, {1, 1}), axis);
  EXPECT_EQ(reduction({2}, {0}), "reduction: the output has another number of elements");
  EXPECT_EQ(reduction({3}, {0}, HUGE_VAL), "reduction: a weight is not finite");
}

TEST(OperatorRefusals, MatricesHaveRowsAndALastAxis) {
  const auto dense = [](const Shape& in, Index rows, std::size_t weights) {
    return refusal([&] { Contraction::dense(in, rows, std::vector<double>(weights, 1.0)); });
  };
  EXPECT_EQ(dense({3}, 1, 3), kTaken);
  EXPECT_EQ(dense({3}, 0, 0), "matrix product: a matrix needs a last axis and at least one row");
  EXPECT_EQ(dense({}, 1, 3), "matrix product: a matrix needs a last axis and at least one row");
  EXPECT_EQ(dense({3}, 2, 5), "matrix product: a row leaves the input or the weights");
}

TEST(OperatorRefusals, PartsOfCombinationsFitEachOther) {
  const std::string reads = "composition: the outer operator reads another number of elements than the inner one makes";
  EXPECT_EQ(refusal([] { Composed(same({2, 2}), same({4})); }), kTaken);
  EXPECT_EQ(refusal([] { Composed(same({5}), same({4})); }), reads);
  EXPECT_EQ(refusal([] { composed(same({5}), same({4})); }), reads);
  EXPECT_EQ(refusal([] { Sum(same({4}), same({4})); }), kTaken);
  const LinearOperatorPtr wider = std::make_shared<Gather>(Shape{4}, Shape{5}, std::vector<Index>(5, 0)),
                          narrower = std::make_shared<Gather>(Shape{5}, Shape{4}, std::vector<Index>(4, 0));
  for (const LinearOperatorPtr& other : {wider, narrower, same({2, 2})})
    EXPECT_EQ(refusal([&] { Sum(same({4}), other); }), "sum of operators: the shapes differ");
  const auto around = [](const Shape& in, const Shape& out) {
    return refusal([&] { Scaled(same({4}), RepeatedReals(2), RepeatedReals(), in, out); });
  };
  EXPECT_EQ(around({2, 2}, {4, 1}), kTaken);
  EXPECT_EQ(around({5}, {4}), "scaled operator: a shape has another number of elements");
  EXPECT_EQ(around({4}, {5}), "scaled operator: a shape has another number of elements");
  EXPECT_EQ(refusal([] { Repeated(same({4}), 1); }), kTaken);
  EXPECT_EQ(refusal([] { Repeated(same({4}), 0); }), "repeated operator: it is repeated less than once");
  const LinearOperatorPtr from_nothing =
                              std::make_shared<Gather>(Shape{0}, Shape{2}, std::vector<Index>(2, Gather::kNothing)),
                          to_nothing = std::make_shared<Gather>(Shape{2}, Shape{0}, std::vector<Index>{});
  for (const LinearOperatorPtr& empty : {same({0}), from_nothing, to_nothing})
    EXPECT_EQ(refusal([&] { Repeated(empty, 2); }), "repeated operator: a tensor is empty");
}

TEST(OperatorRefusals, RowsOfABandLieInTheInput) {
  constexpr Index kStep = Index{1} << 28;
  const Shape maps{1, 2, 6, 3};
  const auto band = [&](const RowSelection& selection) { return refusal([&] { RowBand(same(maps), selection); }); };
  for (const RowSelection& taken : {RowSelection{.in = maps, .out = maps, .rows = 6},
                                    {.in = maps, .out = maps, .begin = 5, .rows = 1},
                                    {.in = maps, .out = maps, .stride = kStep, .begin = 2, .rows = 4},
                                    {.in = maps, .out = maps, .first = -kStep, .last = kStep, .rows = 1},
                                    {.in = maps, .out = maps, .first = kStep, .last = -kStep, .rows = 1},
                                    {.in = {2, 1, 6, 3}, .out = {1, 1, 6, 6}, .rows = 1}})
    EXPECT_EQ(band(taken), kTaken);
  for (const RowSelection& wrong : {RowSelection{.in = maps, .out = maps, .rows = 0},
                                    {.in = maps, .out = maps, .rows = 7},
                                    {.in = maps, .out = maps, .begin = 1, .rows = 6},
                                    {.in = maps, .out = maps, .begin = -1, .rows = 2}})
    EXPECT_EQ(band(wrong), "row band: rows lie outside the input");
  for (const RowSelection& wrong : {RowSelection{.in = maps, .out = maps, .stride = 0, .rows = 1},
                                    {.in = maps, .out = maps, .stride = kStep + 1, .rows = 1},
                                    {.in = maps, .out = maps, .first = kStep + 1, .rows = 1},
                                    {.in = maps, .out = maps, .first = -kStep - 1, .rows = 1},
                                    {.in = maps, .out = maps, .last = kStep + 1, .rows = 1},
                                    {.in = maps, .out = maps, .last = -kStep - 1, .rows = 1}})
    EXPECT_EQ(band(wrong), "row band: a stride is below 1, or a stride or an offset exceeds 2^28");
  EXPECT_EQ(band({.in = {2, 6, 3}, .out = maps, .rows = 1}), "row band: a tensor is no feature map");
  EXPECT_EQ(band({.in = maps, .out = {1, 1, 2, 6, 3}, .rows = 1}), "row band: a tensor is no feature map");
  const std::string size = "row band: the feature maps have another size than the operator's tensors";
  EXPECT_EQ(band({.in = {1, 2, 6, 4}, .out = maps, .rows = 1}), size);
  EXPECT_EQ(band({.in = maps, .out = {1, 2, 6, 4}, .rows = 1}), size);
  const Shape none{1, 0, 6, 3};
  const auto from_nothing = std::make_shared<Gather>(none, maps, std::vector<Index>(36, Gather::kNothing)),
             to_nothing = std::make_shared<Gather>(maps, none, std::vector<Index>{});
  EXPECT_EQ(refusal([&] { RowBand(from_nothing, {.in = none, .out = maps, .rows = 1}); }), size);
  EXPECT_EQ(refusal([&] { RowBand(to_nothing, {.in = maps, .out = none, .rows = 1}); }), size);
}

}  // namespace
}  // namespace tacit::layout
