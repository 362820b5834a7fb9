#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <random>
#include <string>
#include <vector>

#include "graph/graph.h"

/// For tests: a quantised network in the text notation, and inputs of it.
namespace tacit::graph::passes {

/// A perceptron whose inputs and hidden values are quantised. The weights of its first layer are -1, 0 and 1.
struct QuantisedPerceptron {
  int inputs = 12, hidden = 7, outputs = 3;
  double input_scale = 1, hidden_scale = 0.5, weight_scale = 0.25, highest = 1;
  double bias_off = 0;    ///< added to the first bias
  int output_weight = 1;  ///< the largest weight of the second layer

  std::string text() const {
    std::mt19937 random(5);
    std::uniform_int_distribution<int> weight(-1, 1), wide(-output_weight, output_weight);
    const auto some = [&](int count, auto& distribution) {
      std::vector<int> result(static_cast<std::size_t>(count));
      for (int& w : result) w = distribution(random);
      return fmt::format("{}", fmt::join(result, ", "));
    };
    const std::string first = some(inputs * hidden, weight), second = some(hidden * outputs, wide);
    std::vector<double> bias(static_cast<std::size_t>(hidden));
    for (double& b : bias) b = weight_scale * input_scale * weight(random);
    bias[0] += bias_off;
    const std::string constants = fmt::format(
        "float s = {{{}}}, uint8 z = {{0}}, float sw = {{{}}}, int8 zw = {{0}}, float t = {{{}}}, float lo = {{0}}, "
        "float hi = {{{}}}, int8[{},{}] v = {{{}}}, float[1,{}] b = {{{}}}, int8[{},{}] w = {{{}}}",
        input_scale, weight_scale, hidden_scale, highest, inputs, hidden, first, hidden, fmt::join(bias, ", "), hidden,
        outputs, second);
    return fmt::format("m (float[1,{}] x) => (float[1,{}] y) <{}> ", inputs, outputs, constants) +
           "{ c = Clip(x, lo, hi) q = QuantizeLinear(c, s, z) d = DequantizeLinear(q, s, z) "
           "vd = DequantizeLinear(v, sw, zw) h = MatMul(d, vd) g = Add(h, b) r = Relu(g) p = QuantizeLinear(r, t, z) "
           "e = DequantizeLinear(p, t, z) wd = DequantizeLinear(w, sw, zw) y = MatMul(e, wd) }";
  }
};

/// Returns rows of real numbers, some beyond the interval of the quantiser.
inline std::vector<std::vector<Tensor>> rows_for(const QuantisedPerceptron& model, int count) {
  std::mt19937 random(9);
  std::uniform_real_distribution<float> number(-0.5F, static_cast<float>(model.highest) + 0.5F);
  std::vector<std::vector<Tensor>> result;
  for (int r = 0; r < count; ++r) {
    Tensor row{{1, model.inputs}, {}, false};
    for (int i = 0; i < model.inputs; ++i) row.data.push_back(number(random));
    result.push_back({row});
  }
  return result;
}

}  // namespace tacit::graph::passes
