#pragma once

#include <optional>
#include <vector>

#include "graph/passes/network.h"
#include "graph/slots/feature_grid.h"
#include "layout/layout.h"

namespace tacit::graph::passes {

/// Returns the layouts of a sharded tensor, with one block per ciphertext. A block has each layout that suits a tensor
/// of its shape, and the dense one. Throws InputError, with the size of the block, in two cases: a block does not fit a
/// ciphertext, or a dimension has fewer elements than blocks.
std::vector<layout::Layout> sharded_layouts(const Shape& shape, const layout::ArraySharding& sharding,
                                            layout::Index slots);

/// Returns the layout on a grid, in the rows that `rows` states. None if a block takes several ciphertexts there.
std::optional<layout::Layout> sharded_on_grid(const FeatureMap& map, const layout::ArraySharding& sharding,
                                              const FeatureGrid& grid, layout::Layout::GapRows rows);

/// Returns the first value whose blocks do not fit a ciphertext of this number of slots, by its node, or none.
std::optional<base::Infeasible> why_blocks_do_not_fit(const Network& network, layout::Index slots);
/// Throws InputError for such a value.
void require_blocks_fit(const Network& network, layout::Index slots);

}  // namespace tacit::graph::passes
