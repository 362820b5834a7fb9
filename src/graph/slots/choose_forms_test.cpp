#include "graph/slots/choose_forms.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace tacit::graph::passes {
namespace {

using ContractionForm = Contraction::Form;

constexpr layout::Index kSlots = 1024;

ValueId add_matrix(Network& network, decltype(Value::operation) operation) {
  return network.add({.operation = std::move(operation), .shape = {1, 8, 8}, .node = "n", .op = "MatMul", .range = {}});
}

ValueId add_product(Network& network, ValueId left, ValueId right) {
  return add_matrix(network, Contraction{.left = left,
                                         .right = right,
                                         .rows = 8,
                                         .inner = 8,
                                         .columns = 8,
                                         .left_steps = {.row = 8, .column = 1},
                                         .right_steps = {.row = 8, .column = 1}});
}

/// Two layers of attention without projections: scores of x and y, and their weighted sum of z.
struct Layers {
  Network network;
  Layers() {
    const ValueId x = add_matrix(network, Private{}), y = add_matrix(network, Private{}),
                  z = add_matrix(network, Private{});
    const ValueId first = add_product(network, add_product(network, x, y), z);
    const ValueId again = add_product(network, first, first);
    network.outputs = {add_product(network, again, first)};
  }
};

TEST(ChooseForms, ScoresAndWeightedSumsTakeDifferentForms) {
  const auto price = [](const ContractionForms& forms) {
    double sum = 0;
    for (std::size_t k = 0; k < forms.size(); ++k)
      sum += forms[k] == (k % 2 == 0 ? ContractionForm::shifted_columns : ContractionForm::shifted_inner) ? 1.0 : 2.0;
    return sum;
  };
  const auto chosen = choose_forms(Layers().network, kSlots, price);
  ASSERT_TRUE(chosen);
  EXPECT_EQ(*chosen, (ContractionForms{ContractionForm::shifted_columns, ContractionForm::shifted_inner,
                                       ContractionForm::shifted_columns, ContractionForm::shifted_inner}));
}

// No single group gains by turning its columns outermost, but both together do.
TEST(ChooseForms, AllColumnsFirstIsTried) {
  const auto price = [](const ContractionForms& forms) {
    const auto columns = std::ranges::count(forms, ContractionForm::columns_first);
    return columns == 4 ? 1.0 : 2.0 + static_cast<double>(columns);
  };
  EXPECT_EQ(choose_forms(Layers().network, kSlots, price), ContractionForms(4, ContractionForm::columns_first));
}

TEST(ChooseForms, OnlyFormsThatCanBeComputedAreTaken) {
  const auto only_columns = [](const ContractionForms& forms) {
    return forms == ContractionForms(4, ContractionForm::columns_first) ? 1.0 : INFINITY;
  };
  EXPECT_EQ(choose_forms(Layers().network, kSlots, only_columns), ContractionForms(4, ContractionForm::columns_first));
  EXPECT_FALSE(choose_forms(Layers().network, kSlots, [](const ContractionForms&) { return INFINITY; }));
  // A matrix of 8 x 8 distances does not fit 32 slots.
  int shifted = 0;
  choose_forms(Layers().network, 32, [&](const ContractionForms& forms) {
    for (const ContractionForm form : forms)
      shifted += form == ContractionForm::shifted_columns || form == ContractionForm::shifted_inner ? 1 : 0;
    return 1.0;
  });
  EXPECT_EQ(shifted, 0);
}

TEST(ChooseForms, EveryCombinationIsPricedOnce) {
  std::vector<ContractionForms> priced;
  choose_forms(Layers().network, kSlots, [&](const ContractionForms& forms) {
    priced.push_back(forms);
    return 1.0;
  });
  std::ranges::sort(priced);
  EXPECT_EQ(std::ranges::adjacent_find(priced), priced.end());
}

}  // namespace
}  // namespace tacit::graph::passes
