#pragma once

#include "layout/linear_operator.h"

namespace tacit::layout {

/// Splits ciphertexts into consecutive groups on which a map does the same, and holds the map of one group.
struct EqualParts {
  LinearMap part;
  Index count = 1;
};

/// Returns the most equal groups that a map has by the samples of a batch. Its operator must be repeated for every
/// sample, and the ciphertexts of both layouts must hold the samples in order. Otherwise the result is one group, the
/// map itself.
EqualParts equal_parts(const LinearMap& map);

}  // namespace tacit::layout
