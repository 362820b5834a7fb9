#pragma once

#include "layout/linear_operator.h"

namespace tacit::layout {

/// Groups of ciphertexts, one after the other, on which a map does the same, and the map of one group.
struct EqualParts {
  LinearMap part;
  Index count = 1;
};

/// The most groups that a map falls into by the samples of a batch: an operator that is repeated for every sample,
/// between layouts whose ciphertexts hold the samples in order. One group, the map itself, where it does not.
EqualParts equal_parts(const LinearMap& map);

}  // namespace tacit::layout
