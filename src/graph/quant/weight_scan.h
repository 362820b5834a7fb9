#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "layout/linear_operator.h"

namespace tacit::graph::quant {

/// Returns for every row of an operator the largest magnitude of weight times `of_column`. `of_column` returns a
/// positive number for every column.
std::vector<double> largest_of_rows(const layout::LinearOperator& op,
                                    const std::function<double(layout::Index column)>& of_column);

/// Returns the number of which all weights of the operators are small whole multiples (at most 8 times), if there is
/// one. Means, sums, differences and maxima have one. Operators without weights have none.
std::optional<double> common_divisor(const std::vector<layout::LinearOperatorPtr>& operators);

}  // namespace tacit::graph::quant
