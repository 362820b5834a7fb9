// What docs/add-an-operator.md shows: three operators of different kinds, from the model to the program.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "base/error.h"
#include "graph/compile.h"
#include "graph/declaration.h"
#include "graph/onnx/import.h"
#include "graph/onnx/text_model.h"
#include "graph/passes/fold.h"
#include "graph/passes/linearise.h"
#include "graph/passes/operator_kind.h"
#include "graph/passes/recognise.h"
#include "graph/passes/sketch.h"
#include "graph/passes/text_forms.h"
#include "graph/passes/write_out.h"
#include "graph/reference/run.h"
#include "printed_page.h"
#include "program/slots/clear_program.h"

namespace tacit::guide {
namespace {

using graph::Graph;
using graph::Node;
using graph::Tensor;
using graph::TensorId;
using graph::passes::OperatorKind;

// guide: declared
TEST(GuideOperator, ADeclarationIsReadEverywhere) {
  const graph::Operator& triangle = *graph::find_operator("Trilu");
  EXPECT_EQ(graph::to_text(triangle.inputs), "x, optionally k");
  EXPECT_EQ(graph::slots_form(triangle), "moves elements; joins its neighbours");
  const auto refuses = [](const Node& node, const std::string& why) {
    EXPECT_THAT([&] { graph::check_declared(node); },
                testing::ThrowsMessage<base::InputError>(testing::HasSubstr(why)));
  };
  refuses({"Trilu", "t", {0, 1, 2}, {3}, {}}, "node 't' (Trilu): it has 3 inputs; it takes x, optionally k");
  refuses({"Trilu", "t", {0}, {1}, {{"lower", std::int64_t{1}}}}, "'lower' is not known for this operator");
  refuses({"Trilu", "t", {0}, {1}, {{"upper", std::int64_t{2}}}}, "attribute 'upper' holds 2; it must be 0 or 1");
}
// guide: end

// guide: reference
TEST(GuideOperator, TheReferenceRunGivesItsMeaning) {
  const Tensor x{{1, 2}, {-3, 4}, false};
  const Tensor* const inputs[] = {&x};
  const Node norm{"ReduceL2", "norm", {0}, {1}, {{"axes", std::vector<std::int64_t>{1}}}};
  EXPECT_EQ(graph::reference::evaluate(Graph{}, norm, inputs).at(0).data, std::vector<double>{5});
}
// guide: end

// guide: kinds
TEST(GuideOperator, EveryOperatorHasAKind) {
  graph::passes::Sketch s;
  const TensorId x = s.input({2, 2}), k = s.constant({2, 2}, {1, 2, 3, 4});
  const auto kind = [&](const std::string& op, const std::vector<TensorId>& inputs) {
    s.node(op, inputs, {2, 2});
    return graph::passes::kind_of(s.graph, s.graph.nodes.back());
  };
  EXPECT_EQ(kind("Trilu", {x}), OperatorKind::movement);
  EXPECT_EQ(kind("Neg", {x}), OperatorKind::affine);
  EXPECT_EQ(kind("MatMul", {x, k}), OperatorKind::linear);
  EXPECT_EQ(kind("Mul", {x, x}), OperatorKind::product);
  EXPECT_EQ(kind("Mish", {x}), OperatorKind::function);
  EXPECT_EQ(kind("Softmax", {x}), OperatorKind::none);
}
// guide: end

// guide: model
const char* const kThree = R"(three (float[N, 2, 2] x) => (float[N, 2, 1] y) <
  float[2, 2] w = {1, 2, 3, 4}, int64[1] last = {2}
> {
  upper = Trilu (x)
  mixed = MatMul (upper, w)
  smooth = Mish (mixed)
  y = ReduceL2 (smooth, last)
})";
// guide: end

std::vector<std::vector<Tensor>> matrices(std::size_t count, unsigned seed) {
  std::mt19937_64 random(seed);
  std::vector<std::vector<Tensor>> samples;
  for (std::size_t s = 0; s < count; ++s) {
    Tensor matrix{{1, 2, 2}, {}, false};
    for (int i = 0; i < 4; ++i) matrix.data.push_back(1 + static_cast<double>(random() >> 60) / 16);
    samples.push_back({matrix});
  }
  return samples;
}

TEST(GuideOperator, ThreeOperatorsGoTheirWays) {
  using namespace graph::passes;
  PrintedPage page("add-an-operator.md");
  const Graph imported = graph::onnx::import_bytes(graph::onnx::text_model_bytes(kThree, 18), "three.onnx");
  page.expect("imported", to_text(imported));
  const Graph written = write_out(imported);
  page.expect("written", to_text(written));
  page.expect("network", to_text(fold(linearise(recognise(written)))));
  page.check();
}

// guide: compiled
TEST(GuideOperator, TheProgramComputesWhatTheReferenceRunComputes) {
  const Graph model = graph::onnx::import_bytes(graph::onnx::text_model_bytes(kThree, 18), "three.onnx");
  graph::CompileOptions options;
  options.calibration = matrices(32, 1);
  options.client_before = options.client_after = false;  // or the client would run Trilu, and the norm
  const graph::CompiledModel compiled = graph::compile(model, options);
  const slots::ClearProgram clear(compiled.program);
  for (const std::vector<Tensor>& sample : matrices(20, 2)) {
    const auto norms = program::from_units(compiled.client, clear.run({sample[0].data})).at(0);
    const std::vector<double> expected = graph::reference::run(model, sample).at(0).data;
    EXPECT_THAT(norms, testing::Pointwise(testing::DoubleNear(0.02), expected));
  }
}
// guide: end

}  // namespace
}  // namespace tacit::guide
