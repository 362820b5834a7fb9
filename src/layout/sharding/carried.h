#pragma once

#include <cstddef>
#include <optional>

#include "layout/sharding/sharding_rule.h"

namespace tacit::layout {

/// Returns true if two arrays are cut into the same blocks. Names of axes and additional axes do not matter.
bool same_blocks(const ArraySharding& a, const ArraySharding& b);

/// Returns, by dimension, the number of equal blocks into which a layout cuts its tensor across ciphertexts. The result
/// is empty for phases, and for blocks of which the last is more than padded.
std::optional<Shape> equal_blocks(const Layout& layout);

/// Returns the sharding of every operand of an operator that follows from the sharding of one input or output. The
/// result is empty if the blocks of this operand do not determine the others. That is the case if a split dimension
/// stays whole by the rule, or is inside another one.
std::optional<OpSharding> implied_by_input(const ShardingRule& rule, std::size_t input, const ArraySharding& sharding);
std::optional<OpSharding> implied_by_output(const ShardingRule& rule, std::size_t output,
                                            const ArraySharding& sharding);

/// Return the sharding of an output from that of an input, or the reverse. All splits of one must be splits of the
/// other. The result is empty if the operator reduces over one.
std::optional<ArraySharding> carried_forward(const ShardingRule& rule, std::size_t input, std::size_t output,
                                             const ArraySharding& sharding);
std::optional<ArraySharding> carried_back(const ShardingRule& rule, std::size_t output, std::size_t input,
                                          const ArraySharding& sharding);

}  // namespace tacit::layout
