#include "graph/passes/text_forms.h"

#include <gtest/gtest.h>

#include "graph/passes/sketch.h"
#include "layout/operators/combined.h"
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

}  // namespace
}  // namespace tacit::graph::passes
