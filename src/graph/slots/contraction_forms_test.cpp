#include <gtest/gtest.h>

#include <tuple>
#include <utility>

#include "graph/passes/batched.h"
#include "graph/passes/clear_network.h"
#include "graph/passes/linearise.h"
#include "graph/passes/sketch.h"
#include "graph/slots/choose_forms.h"
#include "graph/slots/choose_layouts.h"
#include "graph/slots/contraction_plan.h"
#include "graph/slots/emit.h"
#include "graph/slots/place_bootstraps.h"
#include "graph/slots/random_numbers_for_test.h"
#include "layout/diagonals.h"
#include "program/slots/clear_program.h"
#include "program/slots/levels.h"
#include "program/slots/linear_plan.h"
#include "program/slots/operation_prices.h"

// Every form of a contraction computes the same product, in programs whose layouts are chosen as in a lowering.
namespace tacit::graph::passes {
namespace {

using ContractionForm = Contraction::Form;

constexpr ContractionForm kForms[] = {ContractionForm::rows_first, ContractionForm::columns_first,
                                      ContractionForm::shifted_columns, ContractionForm::shifted_inner};

params::CkksLiteral literal_with(int log_slots) {
  return {.name = "test",
          .log_n = log_slots + 1,
          .q_bits = {40, 30, 30, 30, 30, 30, 30, 30},
          .p_bits = {45},
          .log_scale = 30,
          .insecure = true};
}

struct Emitted {
  slots::Program program;
  int levels = 0;  // that the contraction takes
};

/// Returns the program of a network whose contractions all take a form.
Emitted emitted(Network network, ContractionForm form, int log_slots) {
  const params::CkksLiteral literal = literal_with(log_slots);
  const slots::OperationPrices prices(literal, params::CostTable{});
  const layout::Index slots = layout::Index{1} << log_slots;
  take_forms(network, ContractionForms(network.values.size(), form), slots);
  ContractionPlans contractions;
  const Refreshed written = without_bootstraps(network, {}, slots, contractions);
  const auto splits = [](const layout::LinearMap& map) {
    return slots::LinearSplits{layout::diagonal_set(map), map.in.ciphertexts(), map.out.ciphertexts()};
  };
  const ChosenLayouts chosen = choose_layouts(
      written.network, slots,
      [&](const layout::LinearMap& map, ValueId) { return splits(map).seconds(prices.linear(3)); },
      [](ValueId, layout::Index) { return 0.0; }, {}, written.fixed, written.offered);
  std::vector<program::ValueId> places;
  Emitted result;
  result.program = emit(
      written.network, chosen.layouts,
      [&](const layout::LinearMap& map, ValueId) {
        const slots::LinearSplits known = splits(map);
        return PlannedMap{known.cheapest(prices.linear(3)), known.count()};
      },
      ProgramNames{"product", {"x", "y"}, {"z"}}, {}, places);
  slots::verify(result.program);
  result.levels = depth_of(network);
  return result;
}

Network matrix_product(const Shape& left, const Shape& right, const Shape& result) {
  Sketch s;
  s.output(s.node("MatMul", {s.input(left), s.input(right, "y")}, result));
  return linearise(recognise(s.graph));
}

void expect_form_computes(const Network& network, ContractionForm form, int log_slots) {
  const Shape &left = network.values[0].shape, &right = network.values[1].shape;
  const std::vector<double> x = random_numbers(static_cast<std::size_t>(element_count(left)), 1),
                            y = random_numbers(static_cast<std::size_t>(element_count(right)), 2);
  const std::vector<double> expected =
      evaluate(network, {{left, x, false}, {right, y, false}}, Functions::exact).at(network.outputs[0]);
  const Emitted made = emitted(network, form, log_slots);
  const std::vector<double> got = slots::ClearProgram(made.program).run({x, y}).at(0);
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t e = 0; e < got.size(); ++e) ASSERT_NEAR(got[e], expected[e], 1e-9) << e;
  slots::Program levelled = made.program;
  const auto lacking = slots::try_levels(
      levelled, params::CkksParameters::possible(literal_with(log_slots)).or_refuse(), 7 - made.levels);
  EXPECT_FALSE(lacking) << "takes more levels than it states: " << made.levels;
}

/// The matrices of a stack, rows, terms of a sum and columns.
using FormSizes = std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t>;

class FormsOfSizes : public ::testing::TestWithParam<std::tuple<FormSizes, int>> {};

// Odd extents, distances in many ciphertexts, and distances that leave room for copies.
TEST_P(FormsOfSizes, ComputeTheProductInTheLevelsTheyState) {
  const auto [sizes, log_slots] = GetParam();
  const auto [stack, rows, inner, columns] = sizes;
  const Network network = matrix_product({stack, rows, inner}, {stack, inner, columns}, {stack, rows, columns});
  const Contraction contraction = std::get<Contraction>(network.values[network.outputs[0]].operation);
  int taken = 0;
  for (const ContractionForm form : kForms) {
    if (!can_take(contraction, form, layout::Index{1} << log_slots)) continue;
    SCOPED_TRACE(static_cast<int>(form));
    expect_form_computes(network, form, log_slots);
    ++taken;
  }
  EXPECT_GE(taken, 2);
}

TEST(ContractionForms, SamplesOfABatchAreSeparateProducts) {
  for (const std::int64_t samples : {2, 3, 8}) {
    const Network network = batched(matrix_product({1, 2, 3, 4}, {1, 2, 4, 5}, {1, 2, 3, 5}), samples);
    for (const ContractionForm form : kForms) {
      SCOPED_TRACE(static_cast<int>(form));
      expect_form_computes(network, form, 8);
      expect_form_computes(network, form, 5);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Sizes, FormsOfSizes,
    ::testing::Combine(::testing::Values(FormSizes{1, 1, 1, 1}, FormSizes{1, 4, 4, 4}, FormSizes{1, 8, 8, 8},
                                         FormSizes{1, 3, 5, 7}, FormSizes{2, 5, 4, 3}, FormSizes{3, 2, 9, 6},
                                         FormSizes{1, 16, 4, 16}, FormSizes{1, 4, 16, 4}, FormSizes{1, 2, 2, 16},
                                         FormSizes{1, 2, 16, 2}, FormSizes{5, 4, 1, 4}, FormSizes{1, 32, 8, 32},
                                         FormSizes{1, 13, 12, 11}),
                       ::testing::Values(6, 8, 10)));

}  // namespace
}  // namespace tacit::graph::passes
