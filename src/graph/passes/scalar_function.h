#pragma once

#include <span>
#include <string>
#include <vector>

#include "graph/graph.h"

namespace tacit::graph::passes {

/// A function of one real variable that consists of element-wise graph operators and scalar constants: a single Relu,
/// or the five nodes of a Gelu. It is evaluated through graph/reference, so that it has the meaning of the model.
class ScalarFunction {
 public:
  ScalarFunction() = default;
  /// `steps` are in topological order. They read `root`, scalar constants and each other, and make `result`.
  ScalarFunction(const Graph& graph, std::span<const Node> steps, TensorId root, TensorId result);

  /// Returns the values at many points. Thread safe.
  std::vector<double> operator()(std::span<const double> points) const;
  /// Returns a name for people: "Relu", "Silu", "Gelu", or the operators joined by '+'.
  const std::string& name() const { return name_; }

 private:
  Graph graph_;
  std::string name_;
};

/// True if f(c x) = c f(x) for c > 0 within [-reach, reach], like Relu, LeakyRelu and Abs. Tries some points. The error
/// of such a function scales with the interval. A wider interval then costs precision in proportion, on both sides
/// alike.
bool has_degree_one(const ScalarFunction& function, double reach);

/// Joins operators for people: "Conv+BatchNormalization". A long chain is cut short.
std::string chain_name(std::span<const std::string> operators);

}  // namespace tacit::graph::passes
