#pragma once

#include <optional>
#include <vector>

#include "graph/passes/network.h"
#include "graph/slots/feature_grid.h"
#include "layout/layout.h"

namespace tacit::graph::passes {

/// The layouts of a tensor that is sharded: a block a ciphertext, laid out there in each way that suits a tensor of the
/// block's shape, and densely. Throws InputError with the block's size if it does not fit a ciphertext, or a dimension
/// has fewer elements than blocks.
std::vector<layout::Layout> sharded_layouts(const Shape& shape, const layout::ArraySharding& sharding,
                                            layout::Index slots);

/// The one on a grid, in the rows that `rows` says; none where a block takes several ciphertexts there.
std::optional<layout::Layout> sharded_on_grid(const FeatureMap& map, const layout::ArraySharding& sharding,
                                              const FeatureGrid& grid, layout::Layout::GapRows rows);

/// Throws InputError naming the node of the first value whose blocks do not fit a ciphertext of so many slots.
void require_blocks_fit(const Network& network, layout::Index slots);
bool blocks_fit(const Network& network, layout::Index slots);

}  // namespace tacit::graph::passes
