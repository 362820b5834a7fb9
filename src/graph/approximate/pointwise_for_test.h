#pragma once

#include <span>
#include <vector>

#include "graph/approximate/chebyshev.h"

namespace tacit::graph::approximate {

/// Returns the samples of a function of one number.
inline Samples pointwise(double (*f)(double)) {
  return [f](std::span<const double> points) {
    std::vector<double> values;
    for (const double x : points) values.push_back(f(x));
    return values;
  };
}

}  // namespace tacit::graph::approximate
