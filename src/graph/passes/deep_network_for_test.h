#pragma once

#include <cmath>
#include <random>
#include <vector>

#include "graph/passes/sketch.h"

namespace tacit::graph::passes {

/// A perceptron of `layers` layers of tanh on `width` numbers and three scores behind them, its weights drawn from a
/// seed: far deeper than any leveled parameter set.
inline Graph deep_perceptron(int layers, std::int64_t width) {
  std::mt19937_64 random(3);
  std::normal_distribution<double> weight(0, 1.2 / std::sqrt(static_cast<double>(width)));
  const auto draw = [&](std::int64_t count) {
    std::vector<double> numbers;
    for (std::int64_t i = 0; i < count; ++i) numbers.push_back(weight(random));
    return numbers;
  };
  Sketch s;
  TensorId x = s.input({1, width});
  for (int layer = 0; layer < layers; ++layer) {
    x = s.node("MatMul", {x, s.constant({width, width}, draw(width * width))}, {1, width});
    x = s.node("Tanh", {x}, {1, width});
  }
  s.output(s.node("MatMul", {x, s.constant({width, 3}, draw(3 * width))}, {1, 3}));
  s.graph.name = "deep";
  return s.graph;
}

/// Samples of it, standard normal.
inline std::vector<std::vector<Tensor>> deep_samples(std::size_t count, std::int64_t width, unsigned seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> draw(0, 1);
  std::vector<std::vector<Tensor>> samples;
  for (std::size_t s = 0; s < count; ++s) {
    Tensor sample{{1, width}, {}, false};
    for (std::int64_t i = 0; i < width; ++i) sample.data.push_back(draw(random));
    samples.push_back({sample});
  }
  return samples;
}

}  // namespace tacit::graph::passes
