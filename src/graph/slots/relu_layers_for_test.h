#pragma once

#include <random>
#include <vector>

#include "graph/passes/sketch.h"

namespace tacit::graph::passes {

/// Layers of a matrix of four rows and a Relu, and four scores that lie close together; the first is larger by `gap`.
inline Graph relu_layers(int layers, double gap = 0) {
  std::mt19937_64 random(5);
  std::normal_distribution<double> weight(0, 0.25);
  Sketch s;
  TensorId x = s.input({1, 4});
  const auto matrix = [&] {
    std::vector<double> numbers(16);
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = weight(random) + (i % 5 == 0 ? 1 : 0);
    return s.constant({4, 4}, numbers);
  };
  for (int layer = 0; layer < layers; ++layer) x = s.node("Relu", {s.node("MatMul", {x, matrix()}, {1, 4})}, {1, 4});
  const TensorId scores = s.node("MatMul", {x, matrix()}, {1, 4});
  s.output(gap == 0 ? scores : s.node("Add", {scores, s.constant({1, 4}, {gap, 0, 0, 0})}, {1, 4}));
  return s.graph;
}

}  // namespace tacit::graph::passes
