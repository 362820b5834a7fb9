#pragma once

#include <cstddef>
#include <vector>

#include "layout/linear_operator.h"

namespace tacit::graph::passes {

/// The same operator, or its rows where these have less than half of the entries that it streams: a chain of matrices
/// is held as their product. An operator keeps its structure otherwise.
layout::LinearOperatorPtr without_repeated_work(layout::LinearOperatorPtr op);

/// True if every row has one entry, of weight one, in the column of the same number: the identity, or a reshape.
bool is_identity(const layout::LinearOperator& op);

/// Most entries of a row, of a few rows.
std::size_t entries_of_rows(const layout::LinearOperator& op);

/// The operator's result for one vector.
std::vector<double> apply(const layout::LinearOperator& op, const std::vector<double>& values);

}  // namespace tacit::graph::passes
