#include "graph/slots/meanings.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <utility>

#include "graph/compile.h"
#include "graph/passes/sketch.h"
#include "layout/operators/movement.h"
#include "params/small_ring_for_test.h"

namespace tacit::graph::passes {
namespace {

using testing::ElementsAre;

// A matrix, squares, a matrix: every value is a tensor of the model.
TEST(Meanings, ValuesAreTheTensorsThatTheyHold) {
  Sketch s;
  const TensorId x = s.input({1, 2});
  const TensorId g = s.node("MatMul", {x, s.constant({2, 2}, {1, 2, 3, 4})}, {1, 2});
  const TensorId q = s.node("Mul", {g, g}, {1, 2});
  s.output(s.node("MatMul", {q, s.constant({2, 1}, {1, -1})}, {1, 1}));
  CompileOptions options;
  const auto sample = [](double a, double b) { return std::vector<Tensor>{{{1, 2}, {a, b}, false}}; };
  for (const double size : {1.0, 10.0}) {
    options.calibration = {sample(size, 2 * size), sample(-size, size / 2)};
    const CompiledModel model = compile(s.graph, options);
    ASSERT_EQ(model.meanings.size(), model.program.instructions.size());
    ASSERT_EQ(model.meanings.size(), 7u);  // input and its trace of two, linear, multiply, linear, output
    const std::vector<std::string> tensors{"", "", "x", "MatMul0", "Mul1", "MatMul2"};
    for (std::size_t id = 0; id < tensors.size(); ++id) EXPECT_EQ(model.meanings[id].tensor, tensors[id]) << id;
    // The client's last factor is the inverse of the result's stored factor.
    EXPECT_THAT(model.meanings[5].factors, ElementsAre(1 / model.client.outputs.at(0).unit)) << size;
    for (std::size_t id = 0; id < tensors.size(); ++id) EXPECT_EQ(model.meanings[id].offset, 0) << id;
  }
}

/// Four layers of a map and an odd series on a set with eight levels between bootstraps; every value is a tensor.
TEST(Meanings, WhatIsRefreshedIsTheTensorThatItWas) {
  const Shape shape{1, 8};
  const auto rotated =
      std::make_shared<layout::Gather>(shape, shape, std::vector<layout::Index>{1, 2, 3, 4, 5, 6, 7, 0});
  Network network;
  Graph encrypted;
  const auto add = [&](auto operation) {
    const auto id = static_cast<TensorId>(network.values.size());
    encrypted.tensors.emplace_back();
    encrypted.tensors.back().name = fmt::format("t{}", id);
    return network.add(
        {.operation = std::move(operation), .shape = shape, .node = "n", .op = "Op", .range = {-1, 1}, .tensor = id});
  };
  ValueId x = add(Private{});
  for (int layer = 0; layer < 4; ++layer) {
    x = add(Affine{{{x, rotated}}});
    Function function;
    function.input = x;
    function.lowest = -1;
    function.highest = 1;
    function.coefficients = {0, 0.5, 0, 0.1, 0, 0.1, 0, 0.1};
    x = add(std::move(function));
  }
  network.outputs = {x};
  const params::CkksLiteral literal = params::insecure_on_small_ring("S8", 9);
  const ProgramNames names{"layers", {"x"}, {"y"}};
  const params::CostTable costs;
  const Lowered lowered = Lowering(network, names, costs).lower(literal).or_refuse();
  const std::vector<program::Meaning> found = meanings(encrypted, lowered);
  int refreshed = 0;
  for (program::ValueId id = 0; id < found.size(); ++id) {
    const auto* bootstrap = std::get_if<slots::Bootstrap>(&lowered.program.value(id).operation);
    if (bootstrap == nullptr) continue;
    ++refreshed;
    EXPECT_FALSE(found[id].tensor.empty());
    EXPECT_EQ(found[id].tensor, found.at(bootstrap->inputs.at(0)).tensor);
    EXPECT_THAT(found[id].factors, ElementsAre(1)) << "the same of all elements";
  }
  EXPECT_GE(refreshed, 1);
}

}  // namespace
}  // namespace tacit::graph::passes
