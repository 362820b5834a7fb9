#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "layout/linear_operator.h"

namespace tacit::graph::quant {

/// Of every row of an operator the largest magnitude of weight times `of_column`, which gives a positive number for
/// every column.
std::vector<double> largest_of_rows(const layout::LinearOperator& op,
                                    const std::function<double(layout::Index column)>& of_column);

/// The number that all weights of the operators are small whole multiples of (at most 8 times it), if there is one:
/// means, sums, differences and maxima have it. Operators without weights have none.
std::optional<double> common_divisor(const std::vector<layout::LinearOperatorPtr>& operators);

}  // namespace tacit::graph::quant
