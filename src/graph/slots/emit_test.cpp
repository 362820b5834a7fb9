#include "graph/slots/emit.h"

#include <gtest/gtest.h>

#include <memory>
#include <utility>
#include <vector>

#include "layout/operators/movement.h"

namespace tacit::graph::passes {
namespace {

using layout::Fill;
using layout::Index;
using layout::Layout;
using program::ValueId;

const Shape kFour{1, 4};

layout::LinearOperatorPtr same() { return std::make_shared<layout::Identity>(kFour); }
layout::LinearOperatorPtr reversed() {
  return std::make_shared<layout::Gather>(kFour, kFour, std::vector<Index>{3, 2, 1, 0});
}

/// Values of four elements in as many slots, and the programs that they are written as.
class Emitted {
 public:
  graph::passes::ValueId add(decltype(Value::operation) operation, const Range& range = {}, Fill fill = Fill::zero) {
    layouts.push_back(Layout::row_major(kFour, 4).filled(fill));
    const std::string number = std::to_string(network.values.size());
    return network.add(
        {.operation = std::move(operation), .shape = kFour, .node = "n" + number, .op = "Op" + number, .range = range});
  }
  /// `products` of every planned linear map, in their order. 1 for the others.
  slots::Program program(const std::vector<Index>& products = {}) {
    std::size_t next = 0;
    const auto plan = [&](const layout::LinearMap& map, graph::passes::ValueId id) {
      planned.emplace_back(map.op, id);
      return PlannedMap{{.steps = {}, .folds = {static_cast<Index>(planned.size())}},
                        {.products = next < products.size() ? products[next++] : 1}};
    };
    BootstrapSchedules bootstraps;
    bootstraps.folded.output_level = 5;
    bootstraps.linear.output_level = 7;
    places.clear();
    return emit(network, layouts, plan, {"model", {"a", "b"}, {"first", "second"}}, bootstraps, places);
  }

  Network network;
  std::vector<Layout> layouts;
  std::vector<std::pair<layout::LinearOperatorPtr, graph::passes::ValueId>> planned;
  std::vector<ValueId> places;
};

TEST(Emit, EveryValueIsOneInstructionThatKeepsWhatIsKnownOfIt) {
  Emitted e;
  e.add(Private{1, {1, 2, 4, 8}}, {-2, 1});
  e.add(Private{0}, {0, 3});
  e.add(Affine{{{0, reversed()}, {1, same()}}, layout::RepeatedReals({1, 2, 3, 4}, 1)}, {-5, 4});
  e.add(Product{2, 1});
  e.add(Refresh{3, true, 3});
  e.add(Refresh{2, false, 3});
  e.network.outputs = {5, 4};
  const slots::Program program = e.program();
  EXPECT_EQ(program.name, "model");
  EXPECT_EQ(program.slots, 4);
  ASSERT_EQ(program.instructions.size(), 8u);
  EXPECT_EQ(e.places, (std::vector<ValueId>{0, 1, 2, 3, 4, 5}));
  const auto& input = std::get<slots::Input>(program.value(0).operation);
  EXPECT_EQ(input.name, "b");
  EXPECT_EQ(input.units, (std::vector<double>{1, 2, 4, 8}));
  EXPECT_EQ(std::get<slots::Input>(program.value(1).operation).name, "a");
  const auto& linear = std::get<slots::Linear>(program.value(2).operation);
  ASSERT_EQ(linear.terms.size(), 2u);
  for (std::size_t t = 0; t < 2; ++t) {
    EXPECT_EQ(linear.terms[t].input, t);
    EXPECT_EQ(linear.terms[t].map.op, std::get<Affine>(e.network.values[2].operation).terms[t].op);
    EXPECT_EQ(linear.terms[t].schedule.folds, std::vector<Index>{static_cast<Index>(t) + 1});
    EXPECT_EQ(linear.terms[t].diagonals->products, 1);
    EXPECT_EQ(e.planned.at(t).second, 2u);
  }
  ASSERT_TRUE(linear.bias.has_value());
  EXPECT_EQ(linear.bias->expanded(4), (std::vector<double>{1, 2, 3, 4}));
  const auto& product = std::get<slots::Multiply>(program.value(3).operation);
  EXPECT_EQ(product.left, 2u);
  EXPECT_EQ(product.right, 1u);
  const auto &folded = std::get<slots::Bootstrap>(program.value(4).operation),
             &whole = std::get<slots::Bootstrap>(program.value(5).operation);
  EXPECT_EQ(folded.inputs, std::vector<ValueId>{3});
  EXPECT_EQ(folded.schedule.output_level, 5);
  EXPECT_EQ(whole.inputs, std::vector<ValueId>{2});
  EXPECT_EQ(whole.schedule.output_level, 7);
  const auto &first = std::get<slots::Output>(program.value(6).operation),
             &second = std::get<slots::Output>(program.value(7).operation);
  EXPECT_EQ(first.input, 5u);
  EXPECT_EQ(first.name, "first");
  EXPECT_EQ(second.input, 4u);
  EXPECT_EQ(second.name, "second");
  const std::vector<double> bounds{2, 3, 5, 0, 0, 0, 0, 0};
  for (ValueId id = 0; id < 8; ++id) {
    const slots::Instruction& made = program.value(id);
    EXPECT_EQ(made.bound, bounds[id]) << id;
    EXPECT_EQ(made.level, -1) << id;
    EXPECT_EQ(made.scale, 0) << id;
  }
  EXPECT_EQ(program.value(3).node, "n3");
  EXPECT_EQ(program.value(3).source, "model: Op3 'n3'");
  EXPECT_EQ(program.value(7).node, "n4");
}

// One factor per element, if elements stay in place, nothing is added, and nothing else is summed.
TEST(Emit, OnlyFactorsOfElementsThatStayAreNoLinearMaps) {
  const auto is_factor = [](const Affine& affine, const Layout& out) {
    Emitted e;
    e.add(Private{0});
    e.add(Private{1});
    e.add(affine);
    e.layouts[2] = out;
    const slots::Program program = e.program();
    EXPECT_EQ(e.places, (std::vector<ValueId>{0, 1, 2}));
    EXPECT_EQ(program.value(2).layout, out);
    const auto* plain = std::get_if<slots::MultiplyPlain>(&program.value(2).operation);
    if (plain == nullptr) return false;
    EXPECT_EQ(plain->input, 1u);
    EXPECT_EQ(plain->factor.expanded(4), (std::vector<double>{1, 1, 1, 1}));
    EXPECT_EQ(plain->terms, 1);
    EXPECT_TRUE(e.planned.empty());
    return true;
  };
  const Layout here = Layout::row_major(kFour, 4);
  const Layout columns{kFour, {}, {{1, 2, 1, ""}, {1, 2, 2, ""}}, {}};
  EXPECT_TRUE(is_factor({{{1, same()}}}, here));
  EXPECT_TRUE(is_factor({{{1, same()}}}, here.filled(Fill::unknown))) << "what lies beside the elements says nothing";
  EXPECT_FALSE(is_factor({{{1, same()}}}, columns)) << "elements move";
  EXPECT_FALSE(is_factor({{{1, reversed()}}}, here));
  EXPECT_FALSE(is_factor({{{1, same()}, {1, same()}}}, here));
  EXPECT_FALSE(is_factor({{{1, same()}}, layout::RepeatedReals(1)}, here));
  EXPECT_FALSE(is_factor({{{1, same()}}, layout::RepeatedReals({0, 0, 0, 1}, 1)}, here));
}

TEST(Emit, TermsThatMultiplyNothingAreLeftOutUnlessAllAre) {
  const auto terms_of = [](const std::vector<Index>& products) {
    Emitted e;
    e.add(Private{0});
    e.add(Affine{{{0, reversed()}, {0, same()}, {0, reversed()}}});
    const slots::Program program = e.program(products);
    const auto& linear = std::get<slots::Linear>(program.value(1).operation);
    EXPECT_FALSE(linear.bias.has_value()) << "there is nothing to add";
    std::vector<Index> left;
    for (const slots::LinearTerm& term : linear.terms) left.push_back(term.diagonals->products);
    return left;
  };
  EXPECT_EQ(terms_of({1, 2, 3}), (std::vector<Index>{1, 2, 3}));
  EXPECT_EQ(terms_of({1, 0, 3}), (std::vector<Index>{1, 3}));
  EXPECT_EQ(terms_of({0, 0, 1}), (std::vector<Index>{1}));
  EXPECT_EQ(terms_of({0, 0, 0}), (std::vector<Index>{0, 0, 0}));
}

// 0.25 + T1 + 0.5 T2 is -0.25 at 0.
TEST(Emit, SeriesAreZeroAtZeroWhereZerosLieBesideTheElements) {
  const std::vector<double> series{0.25, 1, 0.5};
  const auto made = [&](const Range& range, Fill fill) {
    Emitted e;
    e.add(Private{0});
    e.add(Function{.input = 0, .function = {}, .coefficients = series}, range, fill);
    e.network.outputs = {1};
    slots::Program program = e.program();
    EXPECT_EQ(e.places, (std::vector<ValueId>{0, fill == Fill::zero ? 2u : 1u}));
    EXPECT_EQ(std::get<slots::Polynomial>(program.value(1).operation).input, 0u);
    EXPECT_EQ(std::get<slots::Polynomial>(program.value(1).operation).schedule, params::PolynomialSchedule::choose(2));
    return program;
  };
  const slots::Program guarded = made({-3, 1}, Fill::zero), open = made({-3, 1}, Fill::unknown),
                       unbounded = made({}, Fill::zero);
  ASSERT_EQ(guarded.instructions.size(), 4u);
  EXPECT_EQ(std::get<slots::Polynomial>(guarded.value(1).operation).coefficients, (std::vector<double>{0.5, 1, 0.5}));
  EXPECT_EQ(guarded.value(1).bound, 3.25);
  const auto& plain = std::get<slots::AddPlain>(guarded.value(2).operation);
  EXPECT_EQ(plain.input, 1u);
  EXPECT_EQ(plain.addend.expanded(4), (std::vector<double>{-0.25, -0.25, -0.25, -0.25}));
  EXPECT_EQ(guarded.value(2).bound, 3);
  EXPECT_EQ(std::get<slots::Output>(guarded.value(3).operation).input, 2u);
  ASSERT_EQ(open.instructions.size(), 3u);
  EXPECT_EQ(std::get<slots::Polynomial>(open.value(1).operation).coefficients, series);
  EXPECT_EQ(open.value(1).bound, 3);
  EXPECT_EQ(unbounded.value(1).bound, 0) << "unknown stays unknown";
}

TEST(Emit, AnInputMayBeAllThereIs) {
  Emitted e;
  e.add(Private{0});
  e.network.outputs = {0};
  const slots::Program program = e.program();
  EXPECT_EQ(program.slots, 4);
  ASSERT_EQ(program.instructions.size(), 2u);
  EXPECT_EQ(std::get<slots::Output>(program.value(1).operation).input, 0u);
}

// T1 + 0.25 T2 is -0.25 at 0.
TEST(Emit, TheBoundOfASeriesThatIsZeroAtZeroGrowsByItsValueThere) {
  for (const double bound : {0.5, 1.0, 1.5}) {
    Emitted e;
    e.add(Private{0});
    e.add(Function{.input = 0, .function = {}, .coefficients = {0, 1, 0.25}}, {-bound, 0});
    EXPECT_EQ(e.program().value(1).bound, bound + 0.25);
  }
}

}  // namespace
}  // namespace tacit::graph::passes
