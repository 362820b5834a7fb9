#include "graph/passes/text_forms.h"

#include <gtest/gtest.h>

#include "graph/passes/sketch.h"
#include "layout/operators/combined.h"
#include "layout/operators/matrix.h"
#include "layout/operators/movement.h"

namespace tacit::graph::passes {
namespace {

TEST(TextForms, OfNodesNameOperandsAndAttributes) {
  Sketch s;
  const TensorId x = s.input({1, 2});
  const TensorId k = s.constant({2, 2}, {1, 2, 3, 4});
  s.output(s.node("Gemm", {x, k, kNoTensor}, {1, 2},
                  {{"alpha", 0.12345},
                   {"axes", std::vector<std::int64_t>{0, 1}},
                   {"count", std::int64_t{3}},
                   {"mode", std::string("linear")},
                   {"weights", std::vector<double>{1, 2}}}));
  EXPECT_EQ(to_text(s.graph),
            "inputs x[1, 2]\n"
            "Gemm0[1, 2] = Gemm x k1[2, 2] - alpha=0.123 axes=0,1 count=3 mode=linear weights=…\n"
            "outputs Gemm0[1, 2]\n");
}

TEST(TextForms, OfValuesNameOperandsRangesAndWhatIsKnown) {
  Network network;
  const Shape shape{1, 2};
  const auto identity = std::make_shared<const layout::Identity>(shape, shape);
  network.add({Private{0, {0.25, 0.5}}, shape, "x", "Input", {}});
  network.add({Affine{{{0, identity}}, layout::RepeatedReals(1)}, shape, "a", "Add", {-1.23456, 2}});
  Function function;
  function.input = 1;
  function.lowest = -1;
  function.highest = 2;
  function.coefficients = {0, 1, 2};
  function.parity = approximate::Parity::even;
  network.add({function, shape, "f", "Abs", {}});
  function.parity = approximate::Parity::odd;
  function.coefficients.clear();
  network.add({function, shape, "g", "Tanh", {}});
  network.add({Product{2, 3}, shape, "p", "Mul", {}});
  network.add({Refresh{4}, shape, "p", "Mul", {}});
  network.add({Affine{{{5, identity}, {2, identity}}}, shape, "s", "Sub", {}});
  network.values[6].stretch = layout::RepeatedReals(2);
  network.outputs = {6, 4};
  EXPECT_EQ(to_text(network),
            "%0 = input 0 times 0.25 : [1, 2]  # Input\n"
            "%1 = affine %0 identity of 2 entries and bias : [1, 2] in [-1.23, 2]  # Add\n"
            "%2 = function %1  on [-1, 2], even, degree 2 : [1, 2]  # Abs\n"
            "%3 = function %1  on [-1, 2], odd : [1, 2]  # Tanh\n"
            "%4 = product %2 %3 : [1, 2]  # Mul\n"
            "%5 = refresh %4 : [1, 2]  # Mul\n"
            "%6 = affine %5 identity of 2 entries %2 identity of 2 entries : [1, 2] stretched  # Sub\n"
            "outputs %6 %4\n");
  EXPECT_EQ(to_text(Range{}), "unknown");
}

TEST(TextForms, OfApproximationsSayTheirErrorInPercent) {
  const std::vector<Approximation> two{
      {.node = "a", .op = "Relu", .degree = 15, .lowest = -2, .highest = 3.14159, .share = 0.5, .reason = "the best"},
      {.node = "b", .op = "Exp", .degree = 7, .lowest = 0, .highest = 1, .share = 0.0004, .reason = "enough"}};
  EXPECT_EQ(to_text(two),
            "'a' (Relu): degree 15 on [-2, 3.14], off by 50.0 % at most: the best\n"
            "'b' (Exp): degree 7 on [0, 1], off by 0.0 % at most: enough\n");
}

TEST(TextForms, OfOperatorsNameTheirKindAndCountTheirEntries) {
  const Shape two{1, 2};
  const auto text_of = [](const layout::LinearOperatorPtr& op) {
    Network network;
    network.add({Private{3}, op->in_shape(), "x", "Input", {}});
    network.add({Affine{{{0, op}}}, op->out_shape(), "a", "Add", {}});
    network.outputs = {1};
    const std::string text = to_text(network), begin = "%1 = affine %0 ";
    EXPECT_TRUE(text.starts_with("%0 = input 3 : "));
    const std::size_t from = text.find(begin) + begin.size();
    return text.substr(from, text.find(" : ", from) - from);
  };
  const auto identity = [](std::int64_t count) { return std::make_shared<const layout::Identity>(Shape{count}); };
  EXPECT_EQ(text_of(identity(65536)), "identity of 65536 entries");
  EXPECT_EQ(text_of(identity(65537)), "identity") << "of so many rows nobody counts them";
  EXPECT_EQ(text_of(layout::scaled(identity(3), layout::RepeatedReals(2))), "scaled identity of 3 entries");
  const auto matrix = std::make_shared<const layout::Contraction>(layout::Contraction::dense(two, 2, {1, 2, 0, 4}));
  EXPECT_EQ(text_of(matrix), "contraction of 3 entries");
  EXPECT_EQ(text_of(std::make_shared<const layout::Gather>(two, two, std::vector<layout::Index>{1, 0})),
            "gather of 2 entries");
}

TEST(TextForms, OfFunctionsAndTreesSayWhatIsKnown) {
  Network network;
  const Shape shape{1, 2};
  network.add({Private{}, shape, "x", "Input", {}});
  Function function;  // of an interval that is not known
  function.coefficients = {1};
  network.add({function, shape, "f", "Tanh", {2, 2}});
  network.add({Trees{1, nullptr}, shape, "t", "Trees", {}});
  network.outputs = {2};
  EXPECT_EQ(to_text(network),
            "%0 = input 0 : [1, 2]  # Input\n"
            "%1 = function %0 , degree 0 : [1, 2] in [2, 2]  # Tanh\n"
            "%2 = trees %1 : [1, 2]  # Trees\n"
            "outputs %2\n");
  EXPECT_EQ(to_text(Range{-1.23456, 1000}), "[-1.23, 1e+03]");
}

}  // namespace
}  // namespace tacit::graph::passes
