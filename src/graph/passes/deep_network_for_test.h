#pragma once

#include <cmath>
#include <random>
#include <vector>

#include "graph/passes/sketch.h"

namespace tacit::graph::passes {

/// A sketch with layers of fixed weights.
struct DenseSketch : Sketch {
  TensorId dense(TensorId x, std::int64_t width) {
    const std::int64_t features = graph.tensors[x].shape.back();
    std::vector<double> weights;
    for (std::int64_t i = 0; i < features * width; ++i) weights.push_back(0.25 * static_cast<double>(i % 7) - 0.6);
    return node("MatMul", {x, constant({features, width}, weights)}, {1, width});
  }
};

/// A perceptron of tanh from layers of these widths, the first of them the input's, to three scores; its weights drawn
/// from a seed.
inline Graph deep_perceptron(const std::vector<std::int64_t>& widths) {
  std::mt19937_64 random(3);
  const auto weights = [&](std::int64_t from, std::int64_t to) {
    std::normal_distribution<double> weight(0, 1.2 / std::sqrt(static_cast<double>(from)));
    std::vector<double> numbers;
    for (std::int64_t i = 0; i < from * to; ++i) numbers.push_back(weight(random));
    return numbers;
  };
  Sketch s;
  std::int64_t width = widths.at(0);
  TensorId x = s.input({1, width});
  for (std::size_t layer = 1; layer < widths.size(); ++layer) {
    x = s.node("MatMul", {x, s.constant({width, widths[layer]}, weights(width, widths[layer]))}, {1, widths[layer]});
    width = widths[layer];
    x = s.node("Tanh", {x}, {1, width});
  }
  s.output(s.node("MatMul", {x, s.constant({width, 3}, weights(width, 3))}, {1, 3}));
  s.graph.name = "deep";
  return s.graph;
}

/// `layers` layers of one width: far deeper than any leveled parameter set.
inline Graph deep_perceptron(int layers, std::int64_t width) {
  return deep_perceptron(std::vector<std::int64_t>(static_cast<std::size_t>(layers) + 1, width));
}

/// Samples of it, normal with this deviation.
inline std::vector<std::vector<Tensor>> deep_samples(std::size_t count, std::int64_t width, unsigned seed,
                                                     double deviation = 1) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> draw(0, deviation);
  std::vector<std::vector<Tensor>> samples;
  for (std::size_t s = 0; s < count; ++s) {
    Tensor sample{{1, width}, {}, false};
    for (std::int64_t i = 0; i < width; ++i) sample.data.push_back(draw(random));
    samples.push_back({sample});
  }
  return samples;
}

}  // namespace tacit::graph::passes
