#pragma once

#include <cmath>
#include <random>
#include <vector>

#include "graph/compile.h"
#include "graph/passes/deep_network_for_test.h"
#include "graph/passes/sketch.h"
#include "params/small_ring_for_test.h"
#include "runtime/slots/bench_for_test.h"

/// Small networks with random weights, compiled for a ring that is suitable only for tests.
namespace tacit::check {

inline params::CkksLiteral deep_insecure_literal(int depth, int log_n = 10) {
  std::vector<int> q(static_cast<std::size_t>(depth) + 1, 40);
  q[0] = 50;
  return {.name = "test", .log_n = log_n, .q_bits = q, .p_bits = {50, 50, 50}, .log_scale = 40, .insecure = true};
}

/// A network, its compiled form, keys and one input.
struct TestNetwork {
  graph::Graph graph;
  graph::CompiledModel model;
  std::vector<std::vector<double>> input;
};

class NetworkWriter {
 public:
  explicit NetworkWriter(unsigned seed) : random_(seed) {}
  graph::passes::Sketch sketch;

  graph::TensorId weights(const graph::Shape& shape, double deviation) {
    std::normal_distribution<double> weight(0, deviation);
    std::vector<double> data(static_cast<std::size_t>(graph::element_count(shape)));
    for (double& x : data) x = weight(random_);
    return sketch.constant(shape, data);
  }
  std::vector<double> sample(std::size_t size) {
    std::uniform_real_distribution<double> number(-1, 1);
    std::vector<double> data(size);
    for (double& x : data) x = number(random_);
    return data;
  }
  graph::CompileOptions options(const params::CkksLiteral& literal, int max_degree = 15) {
    graph::CompileOptions options;
    const graph::Shape& shape = sketch.graph.tensors[sketch.graph.inputs[0]].shape;
    for (int s = 0; s < 64; ++s)
      options.calibration.push_back(
          {graph::Tensor{shape, sample(static_cast<std::size_t>(graph::element_count(shape))), false}});
    options.parameters = literal;
    options.max_degree = max_degree;
    return options;
  }

  /// Compiles the sketch, with an input of this size.
  TestNetwork network(std::size_t size, const params::CkksLiteral& literal, int max_degree = 15) {
    TestNetwork net{sketch.graph, {}, {sample(size)}};
    net.model = graph::compile(net.graph, options(literal, max_degree));
    return net;
  }

 private:
  std::mt19937 random_;
};

/// Conv, Relu, AveragePool, Flatten, Gemm, Mul(x, x), Gemm.
inline TestNetwork small_convolutional(unsigned seed) {
  NetworkWriter w(seed);
  auto& s = w.sketch;
  const auto x = s.input({1, 1, 8, 8});
  const auto conv = s.node("Conv", {x, w.weights({4, 1, 3, 3}, 0.4), w.weights({4}, 0.3)}, {1, 4, 6, 6});
  const auto relu = s.node("Relu", {conv}, {1, 4, 6, 6});
  const auto pool =
      s.node("AveragePool", {relu}, {1, 4, 3, 3},
             {{"kernel_shape", std::vector<std::int64_t>{2, 2}}, {"strides", std::vector<std::int64_t>{2, 2}}});
  const auto flat = s.node("Flatten", {pool}, {1, 36}, {{"axis", std::int64_t{1}}});
  const auto hidden = s.node("Gemm", {flat, w.weights({36, 12}, 0.4), w.weights({12}, 0.5)}, {1, 12});
  const auto square = s.node("Mul", {hidden, hidden}, {1, 12});
  s.output(s.node("Gemm", {square, w.weights({12, 5}, 0.5), w.weights({5}, 0.5)}, {1, 5}));
  return w.network(64, deep_insecure_literal(9));
}

/// MatMul, Add, Relu, MatMul, Add, Relu, MatMul, Add.
inline TestNetwork small_perceptron(unsigned seed) {
  NetworkWriter w(seed);
  auto& s = w.sketch;
  auto x = s.input({1, 20});
  for (const std::int64_t width : {16, 12, 6}) {
    const std::int64_t before = s.graph.tensors[x].shape[1];
    const auto product = s.node("MatMul", {x, w.weights({before, width}, 0.5)}, {1, width});
    x = s.node("Add", {product, w.weights({width}, 0.5)}, {1, width});
    if (width > 6) x = s.node("Relu", {x}, {1, width});
  }
  s.output(x);
  return w.network(20, deep_insecure_literal(13));
}

/// A LinearClassifier of ai.onnx.ml, with one row of coefficients for its two labels, or one row each.
inline TestNetwork linear_classifier(bool one_row) {
  NetworkWriter w(5);
  auto& s = w.sketch;
  const auto x = s.input({1, 6});
  const auto label = s.node("ai.onnx.ml.LinearClassifier", {x}, {1},
                            {{"coefficients", w.sample(one_row ? 6 : 12)},
                             {"intercepts", w.sample(one_row ? 1 : 2)},
                             {"classlabels_ints", std::vector<std::int64_t>{0, 1}},
                             {"post_transform", std::string(one_row ? "LOGISTIC" : "SOFTMAX")}});
  s.graph.tensors.push_back({"probabilities", {1, 2}, false, -1});
  const auto scores = static_cast<graph::TensorId>(s.graph.tensors.size() - 1);
  s.graph.nodes.back().outputs.push_back(scores);
  s.output(label);
  s.output(scores);
  return w.network(6, deep_insecure_literal(2));
}

/// Layers of tanh, deeper than a bootstrap's levels. Its bootstraps leave their sines to the functions after them.
inline TestNetwork bootstrapped_perceptron(int layers = 4,
                                           const params::CkksLiteral& literal = params::insecure_on_small_ring("S8",
                                                                                                               11)) {
  constexpr std::int64_t kWidth = 8;
  TestNetwork net{graph::passes::deep_perceptron(layers, kWidth), {}, {}};
  graph::CompileOptions options;
  options.calibration = graph::passes::deep_samples(100, kWidth, 5);
  options.max_degree = 31;
  options.parameters = literal;
  net.model = graph::compile(net.graph, options);
  net.input = {graph::passes::deep_samples(1, kWidth, 21)[0][0].data};
  return net;
}

/// Padded convolutions, one with a stride, and a residual branch. There are more channels than a row of a guarded grid
/// holds, and the feature maps have guards.
inline TestNetwork bootstrapped_convolutional(const params::CkksLiteral& literal = params::insecure_on_small_ring("S8",
                                                                                                                  11)) {
  NetworkWriter w(6);
  auto& s = w.sketch;
  const auto conv = [&](graph::TensorId x, std::int64_t channels, std::int64_t stride) {
    const graph::Shape from = s.graph.tensors[x].shape;
    const double deviation = 0.5 / std::sqrt(9.0 * static_cast<double>(from[1]));
    return s.node(
        "Conv", {x, w.weights({channels, from[1], 3, 3}, deviation), w.weights({channels}, 0.1)},
        {1, channels, from[2] / stride, from[3] / stride},
        {{"pads", std::vector<std::int64_t>{1, 1, 1, 1}}, {"strides", std::vector<std::int64_t>{stride, stride}}});
  };
  const auto relu = [&](graph::TensorId x) { return s.node("Relu", {x}, s.graph.tensors[x].shape); };
  const auto first = relu(conv(s.input({1, 2, 8, 8}), 4, 1));
  const auto inner = conv(relu(conv(first, 4, 1)), 4, 1);
  const auto second = relu(s.node("Add", {inner, first}, {1, 4, 8, 8}));
  const auto third = relu(conv(relu(conv(second, 40, 2)), 3, 1));
  const auto mean = s.node("GlobalAveragePool", {third}, {1, 3, 1, 1});
  s.output(s.node("Flatten", {mean}, {1, 3}, {{"axis", std::int64_t{1}}}));
  return w.network(128, literal, 31);
}

/// Squares between matrices, without functions, with values below 1. Its bootstraps have the linear form.
inline TestNetwork bootstrapped_squares(int layers = 8,
                                        const params::CkksLiteral& literal = params::insecure_on_small_ring("S8", 11)) {
  NetworkWriter w(4);
  auto& s = w.sketch;
  auto x = s.input({1, 8});
  for (int layer = 0; layer < layers; ++layer) {
    x = s.node("Gemm", {x, w.weights({8, 8}, 0.2), w.weights({8}, 0.4)}, {1, 8});
    x = s.node("Mul", {x, x}, {1, 8});
  }
  s.output(s.node("Gemm", {x, w.weights({8, 3}, 0.4), w.weights({3}, 0.3)}, {1, 3}));
  return w.network(8, literal);
}

}  // namespace tacit::check
