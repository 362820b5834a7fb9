#pragma once

#include <cmath>
#include <span>

#include "base/error.h"
#include "layout/layout.h"

namespace tacit::layout {

/// The largest stride, dilation, padding, step or kernel extent. It keeps products with indices far below 2^63.
inline constexpr Index kMaxOperatorStep = Index{1} << 28;

/// Throws InputError naming the operator unless a property of its description holds.
inline void require(bool holds, const char* op, const char* what) {
  if (!holds) throw base::InputError(std::string(op) + ": " + what);
}

inline void require_finite(std::span<const double> values, const char* op) {
  for (const double value : values) require(std::isfinite(value), op, "a weight is not finite");
}

}  // namespace tacit::layout
