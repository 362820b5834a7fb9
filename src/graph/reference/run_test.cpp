#include "graph/reference/run.h"

#include "graph/reference/evaluate_for_test.h"

namespace tacit::graph::reference {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// Four pairs of numbers: the input x, and three that nodes make.
Graph pairs() {
  Graph graph;
  graph.tensors = {{"x", {2}}, {"a", {2}}, {"b", {2}}, {"c", {2}}};
  graph.inputs = {0};
  return graph;
}

TEST(ReferenceRun, TensorsLiveUntilTheirLastReader) {
  Graph graph = pairs();
  graph.nodes = {{"Neg", "n0", {0}, {1}, {}}, {"Mul", "n1", {1, 1}, {2}, {}}, {"Add", "n2", {1, 2}, {3}, {}}};
  graph.outputs = {3};
  EXPECT_THAT(run(graph, std::vector{reals({2}, {2, -3})}).at(0).data, ElementsAre(2, 12));
  graph.outputs = {1, 3, 0};
  const auto outputs = run(graph, std::vector{reals({2}, {2, -3})});
  EXPECT_THAT(outputs.at(0).data, ElementsAre(-2, 3)) << "an output lives on behind its readers";
  EXPECT_THAT(outputs.at(1).data, ElementsAre(2, 12));
  EXPECT_THAT(outputs.at(2).data, ElementsAre(2, -3)) << "an input may be an output";
}

TEST(ReferenceRun, ConstantsAndAbsentOperands) {
  Graph graph = pairs();
  graph.tensors[1].constant = 0;
  graph.constants = {reals({}, {1})};
  graph.tensors[1].shape = {};
  graph.nodes = {{"Clip", "clip", {0, kNoTensor, 1}, {2}, {}}};
  graph.outputs = {2, 1};
  const auto outputs = run(graph, std::vector{reals({2}, {5, -3})});
  EXPECT_THAT(outputs.at(0).data, ElementsAre(1, -3)) << "cut above only";
  EXPECT_THAT(outputs.at(1).data, ElementsAre(1));
}

TEST(ReferenceRun, OutputsThatNobodyNames) {
  Graph graph = pairs();
  graph.tensors[0].shape = {1, 2};
  graph.tensors[3] = {"places", {1, 1}, true};
  graph.nodes = {{"TopK", "top", {0, 1}, {kNoTensor, 3}, {}}};
  graph.tensors[1] = {"k", {1}, true, 0};
  graph.constants = {integers({1})};
  graph.outputs = {3};
  std::size_t made = 0;
  const auto outputs = run(graph, std::vector{reals({1, 2}, {5, 8})},
                           [&](const Node&, std::span<const Tensor> tensors) { made = tensors.size(); });
  EXPECT_THAT(outputs.at(0).data, ElementsAre(1));
  EXPECT_EQ(made, 2u);
}

TEST(ReferenceRun, SaysWhatDoesNotFit) {
  Graph graph = pairs();
  graph.nodes = {{"Neg", "n0", {0}, {1}, {}}};
  graph.outputs = {1};
  const auto refused = [&](const std::vector<Tensor>& inputs) { return base::refusal([&] { run(graph, inputs); }); };
  const Tensor right = reals({2}, {1, 2});
  EXPECT_THAT(refused({}), HasSubstr("the model takes 1 inputs, not 0"));
  EXPECT_THAT(refused({right, right}), HasSubstr("the model takes 1 inputs, not 2"));
  EXPECT_THAT(refused({reals({3}, {1, 2, 3})}), HasSubstr("input 'x' has shape [3]; the model takes [2]"));
  EXPECT_THAT(refused({reals({2}, {1, 2, 3})}), HasSubstr("input 'x' of shape [2] holds 3 elements"));
  EXPECT_THAT(refused({reals({2}, {1})}), HasSubstr("input 'x' of shape [2] holds 1 elements"));
}

TEST(ReferenceRun, GraphsThatContradictThemselvesAreFaults) {
  Graph graph = pairs();
  const auto fault = [&] {
    return base::refusal<base::InternalError>([&] { run(graph, std::vector{reals({2}, {1, 2})}); });
  };
  graph.nodes = {{"Neg", "n0", {0}, {1}, {}}};
  graph.outputs = {1, 2};
  EXPECT_THAT(fault(), HasSubstr("nothing computes output 'b'"));
  graph.outputs = {1};
  graph.tensors[1].shape = {1, 2};
  EXPECT_THAT(fault(), HasSubstr("node 'n0' (Neg) made a tensor of shape [2], not [1, 2]"));
}

TEST(ReferenceRun, ResultsAreBroughtToWhatTheGraphStates) {
  const Node node{"Add", "n", {}, {}, {}};
  TensorInfo info{"y", {1}, true};
  info.integers = IntegerType::int8;
  for (const double held : {-128.0, 127.0}) {
    Tensor result = integers({held});
    as_stated(node, info, result);
    EXPECT_THAT(result.data, ElementsAre(held));
  }
  for (const double lost : {-129.0, 128.0}) {
    Tensor result = integers({lost});
    EXPECT_THAT(base::refusal([&] { as_stated(node, info, result); }),
                HasSubstr("of integers of type int8, which hold -128 to 127"));
  }
  info = {"y", {1}};
  info.rounding = FloatFormat::bfloat16;
  Tensor result = reals({1}, {257});
  as_stated(node, info, result);
  EXPECT_THAT(result.data, ElementsAre(256));
}

}  // namespace
}  // namespace tacit::graph::reference
