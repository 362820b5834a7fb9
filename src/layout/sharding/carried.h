#pragma once

#include <cstddef>
#include <optional>

#include "layout/sharding/sharding_rule.h"

namespace tacit::layout {

/// Whether two arrays are cut into the same blocks, whatever axes are called and stand beside them.
bool same_blocks(const ArraySharding& a, const ArraySharding& b);

/// By dimension, into how many equal blocks a layout cuts its tensor across ciphertexts; none where it does not:
/// phases, or blocks of which the last is more than padded.
std::optional<Shape> equal_blocks(const Layout& layout);

/// The sharding of every operand of an operator that follows from that of one input, or of one output; none where
/// blocks of the operand say nothing of the others': a dimension that is split stays whole by the rule, or lies inside
/// another one.
std::optional<OpSharding> implied_by_input(const ShardingRule& rule, std::size_t input, const ArraySharding& sharding);
std::optional<OpSharding> implied_by_output(const ShardingRule& rule, std::size_t output,
                                            const ArraySharding& sharding);

/// Between an input and an output of an operator: the other's sharding where all splits of the one are splits of the
/// other, too; none where the operator reduces over one.
std::optional<ArraySharding> carried_forward(const ShardingRule& rule, std::size_t input, std::size_t output,
                                             const ArraySharding& sharding);
std::optional<ArraySharding> carried_back(const ShardingRule& rule, std::size_t output, std::size_t input,
                                          const ArraySharding& sharding);

}  // namespace tacit::layout
