#include "graph/slots/contraction_plan.h"

#include <gtest/gtest.h>

#include <tuple>

#include "graph/passes/batched.h"
#include "graph/passes/clear_network.h"
#include "graph/passes/linearise.h"
#include "graph/passes/sketch.h"
#include "graph/reference/run.h"
#include "graph/slots/lower.h"
#include "graph/slots/random_numbers_for_test.h"
#include "program/slots/clear_program.h"
#include "program/slots/trace.h"

namespace tacit::graph::passes {
namespace {

Tensor random_tensor(const Shape& shape, unsigned seed) {
  return {shape, random_numbers(static_cast<std::size_t>(element_count(shape)), seed), false};
}

Network product_of(const std::string& op, const Shape& left, const Shape& right, const Shape& result,
                   std::map<std::string, Attribute> attributes = {}) {
  Sketch s;
  s.output(s.node(op, {s.input(left), s.input(right, "y")}, result, std::move(attributes)));
  return linearise(recognise(s.graph));
}

Lowered lowered_on(const Network& network, int log_slots) {
  static const params::CostTable kCosts;
  static const ProgramNames kNames{"product", {"x", "y"}, {"z"}};
  const params::CkksLiteral literal{.name = "test",
                                    .log_n = log_slots + 1,
                                    .q_bits = {40, 30, 30, 30, 30, 30},
                                    .p_bits = {45},
                                    .log_scale = 30,
                                    .insecure = true};
  return Lowering(network, kNames, kCosts).lower(literal).or_refuse();
}

/// Compares the program of a network of two inputs with the network.
void expect_computes(const Network& network, const Lowered& made, const std::vector<Tensor>& inputs) {
  const std::vector<double> expected = evaluate(network, inputs, Functions::exact).at(network.outputs[0]);
  const std::vector<double> got = slots::ClearProgram(made.program).run({inputs[0].data, inputs[1].data}).at(0);
  ASSERT_EQ(got.size(), expected.size());
  const double factor = made.normalised.factors[made.normalised.network.outputs[0]];
  for (std::size_t e = 0; e < got.size(); ++e) ASSERT_NEAR(got[e], factor * expected[e], 1e-9) << e;
}

/// The matrices of a stack, rows, terms of a sum and columns.
using Sizes = std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t>;

class Contractions : public ::testing::TestWithParam<std::tuple<Sizes, int>> {};

// Odd extents, results larger than a ciphertext, and results that leave room for many parts.
TEST_P(Contractions, TheProgramComputesTheProduct) {
  const auto [sizes, log_slots] = GetParam();
  const auto [stack, rows, inner, columns] = sizes;
  const Shape left{stack, rows, inner}, right{stack, inner, columns};
  const Network network = product_of("MatMul", left, right, {stack, rows, columns});
  expect_computes(network, lowered_on(network, log_slots), {random_tensor(left, 1), random_tensor(right, 2)});
}

TEST(Contraction, AGemmReadsTransposedMatricesInPlace) {
  for (const std::int64_t flip_left : {0, 1})
    for (const std::int64_t flip_right : {0, 1}) {
      const Shape left = flip_left ? Shape{5, 6} : Shape{6, 5}, right = flip_right ? Shape{7, 5} : Shape{5, 7};
      const Network network = product_of("Gemm", left, right, {6, 7}, {{"transA", flip_left}, {"transB", flip_right}});
      const std::vector<Tensor> inputs{random_tensor(left, 3), random_tensor(right, 4)};
      const std::vector<double> product = evaluate(network, inputs, Functions::exact).at(network.outputs[0]);
      double first = 0;  // row 2, column 3
      for (std::size_t k = 0; k < 5; ++k)
        first += inputs[0].data[flip_left ? 6 * k + 2 : 5 * 2 + k] * inputs[1].data[flip_right ? 5 * 3 + k : 7 * k + 3];
      EXPECT_NEAR(product[7 * 2 + 3], first, 1e-12);
      expect_computes(network, lowered_on(network, 8), inputs);
    }
}

TEST(Contraction, StacksAreBroadcastAsOnnxSays) {
  const Shape shapes[][3] = {
      {{4, 3, 5}, {5, 2}, {4, 3, 2}}, {{3, 5}, {4, 5, 2}, {4, 3, 2}}, {{2, 1, 3, 5}, {1, 3, 5, 2}, {2, 3, 3, 2}},
      {{5}, {4, 5, 2}, {4, 2}},       {{4, 3, 5}, {5}, {4, 3}},       {{5}, {5}, {}}};
  for (const auto& [left, right, result] : shapes) {
    const Network network = product_of("MatMul", left, right, result);
    const std::vector<Tensor> inputs{random_tensor(left, 5), random_tensor(right, 6)};
    Sketch s;
    s.output(s.node("MatMul", {s.input(left), s.input(right, "y")}, result));
    const std::vector<double> expected = reference::run(s.graph, inputs).at(0).data;
    const std::vector<double> got = evaluate(network, inputs, Functions::exact).at(network.outputs[0]);
    ASSERT_EQ(got.size(), expected.size());
    for (std::size_t e = 0; e < got.size(); ++e)
      EXPECT_NEAR(got[e], expected[e], 1e-12) << left.size() << " by " << right.size();
    expect_computes(network, lowered_on(network, 7), inputs);
  }
}

TEST(Contraction, SamplesOfABatchAreSeparateProducts) {
  for (const std::int64_t samples : {2, 3, 8}) {
    const Shape left{1, 2, 3, 4}, right{1, 2, 4, 5};
    const Network one = product_of("MatMul", left, right, {1, 2, 3, 5}), all = batched(one, samples);
    const Shape lefts{samples, 2, 3, 4}, rights{samples, 2, 4, 5};
    const std::vector<Tensor> inputs{random_tensor(lefts, 7), random_tensor(rights, 8)};
    const std::vector<double> together = evaluate(all, inputs, Functions::exact).at(all.outputs[0]);
    for (std::size_t sample = 0; sample < static_cast<std::size_t>(samples); ++sample) {
      const auto part = [&](const Tensor& tensor, std::size_t count) {
        const auto begin = tensor.data.begin() + static_cast<std::ptrdiff_t>(sample * count);
        return std::vector<double>(begin, begin + static_cast<std::ptrdiff_t>(count));
      };
      const std::vector<double> alone =
          evaluate(one, {{left, part(inputs[0], 24), false}, {right, part(inputs[1], 40), false}}, Functions::exact)
              .at(one.outputs[0]);
      for (std::size_t e = 0; e < alone.size(); ++e) EXPECT_EQ(together[30 * sample + e], alone[e]);
    }
    expect_computes(all, lowered_on(all, 9), inputs);
  }
}

// 64 x 64 matrices fill 4,096 slots. Each of the 64 products has a ciphertext, and one relinearisation serves them all.
TEST(Contraction, OneRelinearisationServesAllProductsOfACiphertext) {
  const Network network = product_of("MatMul", {64, 64}, {64, 64}, {64, 64});
  const slots::Program& program = lowered_on(network, 12).program;
  std::int64_t relinearisations = 0, products = 0;
  for (const slots::Instruction& made : program.instructions)
    if (const auto* multiply = std::get_if<slots::Multiply>(&made.operation)) {
      relinearisations += made.layout.ciphertexts();
      products += made.layout.ciphertexts() * multiply->terms;
    }
  EXPECT_EQ(relinearisations, 1);
  EXPECT_EQ(products, 64);
  EXPECT_EQ(slots::total_depth(program), 3);
}

TEST(Contraction, RoomForCopiesSharesTheProductsOut) {
  const Network network = product_of("MatMul", {16, 16}, {16, 16}, {16, 16});
  for (const auto& [log_slots, terms, rotations] : {std::tuple{8, 16, 0}, {10, 4, 2}, {12, 1, 4}, {14, 1, 4}}) {
    const slots::Program program = lowered_on(network, log_slots).program;
    int sums = 0;
    for (program::ValueId id = 0; id < program.instructions.size(); ++id) {
      const slots::Instruction& made = program.value(id);
      if (std::holds_alternative<slots::Input>(made.operation)) sums -= slots::trace_after(program, id);
      if (const auto* multiply = std::get_if<slots::Multiply>(&made.operation)) {
        EXPECT_EQ(multiply->terms, terms);
      }
      sums += std::holds_alternative<slots::RotateSum>(made.operation);
    }
    EXPECT_EQ(sums, rotations) << log_slots;
    EXPECT_EQ(slots::total_depth(program), terms <= 2 ? 2 : 3) << log_slots;
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, Contractions,
                         ::testing::Combine(::testing::Values(Sizes{1, 1, 1, 1}, Sizes{1, 4, 4, 4}, Sizes{1, 8, 8, 8},
                                                              Sizes{1, 3, 5, 7}, Sizes{2, 5, 4, 3}, Sizes{3, 2, 9, 6},
                                                              Sizes{1, 16, 4, 16}, Sizes{1, 4, 16, 4},
                                                              Sizes{1, 1, 16, 8}, Sizes{1, 8, 16, 1}, Sizes{5, 4, 1, 4},
                                                              Sizes{1, 32, 8, 32}, Sizes{1, 13, 12, 11}),
                                            ::testing::Values(6, 8, 10)));

}  // namespace
}  // namespace tacit::graph::passes
