#pragma once

#include <cstddef>
#include <vector>

#include "layout/linear_operator.h"

namespace tacit::graph::passes {

/// The same operator with its entries held in rows, duplicates added up and zeros dropped, where there are at most
/// `limit` of them; otherwise the operator itself.
layout::LinearOperatorPtr materialised(layout::LinearOperatorPtr op, std::size_t limit = std::size_t{1} << 23);

/// True if every row has one entry, of weight one, in the column of the same number: the identity, or a reshape.
bool is_identity(const layout::LinearOperator& op);

/// The same matrix between tensors of other shapes with as many elements.
layout::LinearOperatorPtr reshaped(layout::LinearOperatorPtr op, const layout::Shape& in, const layout::Shape& out);

/// sum over columns of the row's weights times values[column], for every row.
std::vector<double> apply(const layout::LinearOperator& op, const std::vector<double>& values);

}  // namespace tacit::graph::passes
