#pragma once

#include <functional>
#include <span>
#include <vector>

namespace tacit::graph::approximate {

/// A real function, evaluated at many points at once.
using Samples = std::function<std::vector<double>(std::span<const double>)>;

/// Returns the `count` zeros of T_count on [-1, 1], from +1 downwards.
std::vector<double> chebyshev_nodes(int count);

/// Returns the coefficients c_0 ... c_degree of the series sum c_k T_k that interpolates `function` at degree + 1
/// Chebyshev nodes of [-1, 1]. Non-finite samples pass through.
std::vector<double> interpolate(const Samples& function, int degree);

/// Returns the value of sum c_k T_k at x by Clenshaw's recurrence (1955). The result is bounded for |x| <= 1.
double evaluate(std::span<const double> coefficients, double x);

/// Returns the coefficients of the series of the given degree that minimises sum weight_i^2 (p(x_i) - y_i)^2 over
/// points in [-1, 1]. It solves the normal equations. Where weights make them badly conditioned, it uses orthogonal
/// polynomials, which takes `degree` times as long. The points, values and weights have equal lengths of at least
/// degree
/// + 1. Weights are positive.
std::vector<double> least_squares(std::span<const double> points, std::span<const double> values,
                                  std::span<const double> weights, int degree);

}  // namespace tacit::graph::approximate
