#pragma once

#include "graph/passes/scalar_function.h"

namespace tacit::graph::passes {

/// Whether f(c x) = c f(x) for c > 0 within [-reach, reach], by trial, as Relu, LeakyRelu and Abs have it. A wider
/// interval then costs precision in proportion, on both sides alike, for the error scales with the interval.
bool has_degree_one(const ScalarFunction& function, double reach);

}  // namespace tacit::graph::passes
