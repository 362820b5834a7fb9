#pragma once

#include <span>
#include <string>
#include <vector>

#include "graph/graph.h"

namespace tacit::graph::passes {

/// A function of one real variable made of element-wise graph operators and scalar constants: a single Relu as well as
/// the five nodes of a Gelu. Evaluated through graph/reference, so that it means what the model means.
class ScalarFunction {
 public:
  ScalarFunction() = default;
  /// `steps` lie in topological order, read `root`, scalar constants and each other, and make `result`.
  ScalarFunction(const Graph& graph, std::span<const Node> steps, TensorId root, TensorId result);

  /// Values at many points. Thread safe.
  std::vector<double> operator()(std::span<const double> points) const;
  /// For people: "Relu", "Silu", "Gelu", or the operators joined by '+'.
  const std::string& name() const { return name_; }

 private:
  Graph graph_;
  std::string name_;
};

/// Whether f(c x) = c f(x) for c > 0 within [-reach, reach], by trial, as Relu, LeakyRelu and Abs have it. A wider
/// interval then costs precision in proportion, on both sides alike, for the error scales with the interval.
bool has_degree_one(const ScalarFunction& function, double reach);

/// Operators for people: "Conv+BatchNormalization", cut short where there are many.
std::string chain_name(std::span<const std::string> operators);

}  // namespace tacit::graph::passes
