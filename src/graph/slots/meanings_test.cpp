#include "graph/slots/meanings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph/compile.h"
#include "graph/passes/sketch.h"

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
    ASSERT_EQ(model.meanings.size(), 5u);  // input, linear, multiply, linear, output
    const std::vector<std::string> tensors{"x", "MatMul0", "Mul1", "MatMul2"};
    for (std::size_t id = 0; id < tensors.size(); ++id) EXPECT_EQ(model.meanings[id].tensor, tensors[id]) << id;
    // What the client multiplies by in the end is the inverse of what the result is stored at.
    EXPECT_THAT(model.meanings[3].factors, ElementsAre(1 / model.client.outputs.at(0).unit)) << size;
    for (std::size_t id = 0; id < tensors.size(); ++id) EXPECT_EQ(model.meanings[id].offset, 0) << id;
  }
}

}  // namespace
}  // namespace tacit::graph::passes
