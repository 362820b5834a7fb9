#pragma once

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>
#include <vector>

#include "graph/passes/sketch.h"
#include "graph/quant/compile.h"
#include "graph/reference/run.h"
#include "program/integers/clear_program.h"

/// Small models on integers, and what they answer.
namespace tacit::graph::quant {

/// Inputs drawn between -1 and 1.
inline std::vector<std::vector<Tensor>> samples(const Graph& graph, std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> draw(-1, 1);
  std::vector<std::vector<Tensor>> list(count);
  for (auto& sample : list)
    for (const TensorId id : graph.inputs) {
      const Shape& shape = graph.tensors[id].shape;
      Tensor tensor{shape, std::vector<double>(static_cast<std::size_t>(layout::element_count(shape))), false};
      for (double& x : tensor.data) x = draw(random);
      sample.push_back(std::move(tensor));
    }
  return list;
}

/// What the clear reading of the program answers, with the client's parts around it.
inline std::vector<Tensor> answer(const CompiledIntegers& model, const std::vector<Tensor>& sample) {
  const std::vector<Tensor> tensors = run_before(model.parts, sample);
  std::vector<integers::Integers> inputs;
  for (std::size_t i = 0; i < tensors.size(); ++i)
    inputs.push_back(integers::quantise(model.client.inputs.at(i), tensors[i].data));
  const auto results = integers::ClearProgram(model.program).run(inputs);
  std::vector<std::vector<double>> decrypted;
  for (std::size_t o = 0; o < results.size(); ++o)
    decrypted.push_back(integers::dequantise(model.client.outputs.at(o), results[o]));
  return run_after(model.parts, decrypted);
}

/// Holds every output to the network's on inputs like those of calibration.
inline void expect_near(const Graph& graph, double tolerance, CompileOptions options = {}) {
  options.calibration = samples(graph, 300, 1);
  const CompiledIntegers model = compile(graph, options);
  for (const auto& sample : samples(graph, 30, 2)) {
    const std::vector<Tensor> expected = reference::run(graph, sample), got = answer(model, sample);
    ASSERT_EQ(got.size(), expected.size());
    for (std::size_t o = 0; o < got.size(); ++o)
      for (std::size_t e = 0; e < expected[o].data.size(); ++e)
        ASSERT_NEAR(got[o].data.at(e), expected[o].data[e], tolerance) << "output " << o << " element " << e;
  }
}

/// Sums of two inputs, of which one goes around a layer.
inline Graph two_inputs_with_a_branch_around() {
  passes::Sketch s;
  const TensorId x = s.input({1, 2}), y = s.input({1, 2}, "y");
  const TensorId p = s.node("MatMul", {x, s.constant({2, 3}, {1, -0.5, 0.3, 0.2, 0.7, -1})}, {1, 3});
  const TensorId q = s.node("MatMul", {y, s.constant({2, 3}, {-0.4, 0.5, 0.1, 0.9, 0.3, 0.2})}, {1, 3});
  const TensorId r = s.node("Relu", {s.node("Add", {p, q}, {1, 3})}, {1, 3});
  const TensorId t = s.node("MatMul", {r, s.constant({3, 3}, {1, 0, 0.5, -1, 0.5, 0, 0.2, 0, 1})}, {1, 3});
  s.output(s.node("MatMul", {s.node("Tanh", {s.node("Add", {t, p}, {1, 3})}, {1, 3}), s.constant({3, 1}, {1, -1, 0.5})},
                  {1, 1}));
  return s.graph;
}

/// A regressor with a node for every line: tree, feature, threshold, yes, no; leaves have a weight in place of a
/// feature.
inline std::map<std::string, Attribute> two_trees() {
  using Reals = std::vector<double>;
  using Texts = std::vector<std::string>;
  return {{"nodes_treeids", std::vector<std::int64_t>{0, 0, 0, 0, 0, 1, 1, 1}},
          {"nodes_nodeids", std::vector<std::int64_t>{0, 1, 2, 3, 4, 0, 1, 2}},
          {"nodes_featureids", std::vector<std::int64_t>{0, 2, 0, 0, 0, 1, 0, 0}},
          {"nodes_values", Reals{0.25, -0.5, 0, 0, 0, 0.1, 0, 0}},
          {"nodes_modes", Texts{"BRANCH_LEQ", "BRANCH_LT", "LEAF", "LEAF", "LEAF", "BRANCH_GT", "LEAF", "LEAF"}},
          {"nodes_truenodeids", std::vector<std::int64_t>{1, 2, 0, 0, 0, 1, 0, 0}},
          {"nodes_falsenodeids", std::vector<std::int64_t>{4, 3, 0, 0, 0, 2, 0, 0}},
          {"target_treeids", std::vector<std::int64_t>{0, 0, 0, 1, 1}},
          {"target_nodeids", std::vector<std::int64_t>{2, 3, 4, 1, 2}},
          {"target_ids", std::vector<std::int64_t>{0, 0, 0, 0, 0}},
          {"target_weights", Reals{1, 2, -3.5, 0.5, 0.25}},
          {"n_targets", std::int64_t{1}}};
}

inline Graph regressor(const std::map<std::string, Attribute>& attributes, std::int64_t features,
                       std::int64_t targets) {
  passes::Sketch s;
  const TensorId x = s.input({1, features});
  s.output(s.node("ai.onnx.ml.TreeEnsembleRegressor", {x}, {1, targets}, attributes));
  return s.graph;
}

}  // namespace tacit::graph::quant
