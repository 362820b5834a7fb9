#pragma once

#include <cstdint>
#include <vector>

#include "layout/layout.h"

namespace tacit::graph::passes {

/// Where the parts of a value lie whose product is computed (PartsProduct). The value has the shape [samples, parts,
/// elements]. A ciphertext holds as many samples, then elements, then parts as fit. Parts in different ciphertexts are
/// multiplied as they are. Parts in one ciphertext are multiplied by its rotations: the product with the rotation by
/// half of the parts leaves half as many, twice each.
///
/// Samples are innermost if they are few, so that linear maps have few diagonals. If they take at least as many slots
/// as the elements of a sample, they are outermost, and every part has its own ciphertexts. The weights of linear maps
/// then repeat with the samples, and take a few words instead of a ciphertext's slots.
struct PartsPlan {
  layout::Layout operand{};   ///< of the value with the parts
  layout::Index groups = 1;   ///< groups of parts, in consecutive ciphertexts
  layout::Index inside = 1;   ///< parts in a ciphertext, a power of two
  std::int64_t distance = 0;  ///< slots from one part of a ciphertext to the next

  /// The products of one group of parts. Their ciphertexts hold elements, outermost, and samples. Without a sum, the
  /// last dimension of the layout has extent 1. With one, it has the ciphertexts of elements.
  layout::Layout products{}, summands{};
  layout::Index element_blocks = 1, sample_blocks = 1;  ///< ciphertexts of a group, in each of these dimensions
  std::vector<std::int64_t> steps{};                    ///< rotations that add up the elements of a ciphertext
  layout::Layout result{}, sum{};                       ///< of the product, and of the sum of its elements

  layout::Index ciphertexts() const { return element_blocks * sample_blocks; }  ///< of a group
};

/// Plans the product of the parts of a value of this shape. Parts share ciphertexts if their number is a power of two.
PartsPlan plan_parts(const layout::Shape& shape, layout::Index slots);

}  // namespace tacit::graph::passes
