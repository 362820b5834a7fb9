#include "layout/sharding/carried.h"

#include <map>
#include <string>

namespace tacit::layout {
namespace {

std::optional<OpSharding> implied(const ShardingRule& rule, const ShardingOperand& operand,
                                  const ArraySharding& sharding) {
  if (operand.size() != sharding.spec().size()) return std::nullopt;
  std::map<std::string, std::string> axes;
  for (std::size_t dim = 0; dim < operand.size(); ++dim) {
    if (sharding.parts(dim) == 1) continue;
    if (operand[dim].factors.empty()) return std::nullopt;
    const ShardingFactor& factor = rule.factors()[static_cast<std::size_t>(operand[dim].factors.front())];
    axes.emplace(sharding.mesh().axes()[static_cast<std::size_t>(sharding.spec()[dim])].name, factor.name);
  }
  return rule.possible(sharding.mesh(), axes).optional();  // none if blocks would not meet
}

std::optional<ArraySharding> with_all_splits(const ArraySharding& from, const ArraySharding& to) {
  return from.blocks() == to.blocks() ? std::optional(to) : std::nullopt;
}

}  // namespace

bool same_blocks(const ArraySharding& a, const ArraySharding& b) {
  if (a.spec().size() != b.spec().size()) return false;
  for (std::size_t dim = 0; dim < a.spec().size(); ++dim)
    if (a.parts(dim) != b.parts(dim)) return false;
  return true;
}

std::optional<Shape> equal_blocks(const Layout& layout) {
  Shape parts(layout.shape().size(), 1);
  for (const Digit& digit : layout.across()) {
    if (digit.dim == kReplica || digit.extent == 1) continue;
    const auto dim = static_cast<std::size_t>(digit.dim);
    const Index extent = layout.shape()[dim], count = (extent + digit.stride - 1) / digit.stride;
    const bool outermost = digit.stride * digit.extent >= extent;
    if (parts[dim] > 1 || !outermost || (extent + count - 1) / count != digit.stride) return std::nullopt;
    parts[dim] = count;
  }
  return parts;
}

std::optional<OpSharding> implied_by_input(const ShardingRule& rule, std::size_t input, const ArraySharding& sharding) {
  return implied(rule, rule.inputs().at(input), sharding);
}

std::optional<OpSharding> implied_by_output(const ShardingRule& rule, std::size_t output,
                                            const ArraySharding& sharding) {
  return implied(rule, rule.outputs().at(output), sharding);
}

std::optional<ArraySharding> carried_forward(const ShardingRule& rule, std::size_t input, std::size_t output,
                                             const ArraySharding& sharding) {
  const std::optional<OpSharding> all = implied_by_input(rule, input, sharding);
  return all ? with_all_splits(sharding, all->output(static_cast<int>(output))) : std::nullopt;
}

std::optional<ArraySharding> carried_back(const ShardingRule& rule, std::size_t output, std::size_t input,
                                          const ArraySharding& sharding) {
  const std::optional<OpSharding> all = implied_by_output(rule, output, sharding);
  return all ? with_all_splits(sharding, all->input(static_cast<int>(input))) : std::nullopt;
}

}  // namespace tacit::layout
