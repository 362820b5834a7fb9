#include "graph/slots/sharded_layouts.h"

#include <fmt/format.h>

#include <algorithm>

#include "graph/slots/choose_layouts.h"

namespace tacit::graph::passes {
namespace {

using layout::ArraySharding;
using layout::Layout;

// Drops replicas across ciphertexts. They cost no storage and do not change places, so that layouts that differ only in
// them are one.
Layout without_replicas(const Layout& layout) {
  std::vector<layout::Digit> across = layout.across();
  std::erase_if(across, [](const layout::Digit& digit) { return digit.dim == layout::kReplica || digit.extent == 1; });
  return {layout.shape(), std::move(across), layout.within(), layout.fill()};
}

}  // namespace

std::vector<Layout> sharded_layouts(const Shape& shape, const ArraySharding& sharding, layout::Index slots) {
  std::vector<Layout> result;
  const auto add = [&](Layout layout) {
    if (std::ranges::none_of(result, [&](const Layout& known) { return known.same_places(layout); }))
      result.push_back(std::move(layout));
  };
  const Layout dense = without_replicas(sharding.layout(shape, slots));  // checks that blocks fit
  for (const Layout& block : candidate_layouts(sharding.block_shape(shape), slots))
    if (std::optional<Layout> layout = sharding.laid_out_like(shape, block)) add(*std::move(layout));
  add(dense);
  return result;
}

std::optional<Layout> sharded_on_grid(const FeatureMap& map, const ArraySharding& sharding, const FeatureGrid& grid,
                                      Layout::GapRows rows) {
  const std::optional<Layout> block = grid.layout_of({sharding.block_shape(map.shape), map.gaps}, rows);
  return block ? sharding.laid_out_like(map.shape, *block) : std::nullopt;
}

std::optional<base::Infeasible> why_blocks_do_not_fit(const Network& network, layout::Index slots) {
  for (const Value& value : network.values)
    if (value.sharding)
      if (const auto why = value.sharding->problem(value.shape, slots))
        return base::infeasible("node '{}' ({}): {}", value.node, value.op, why->sentence());
  return std::nullopt;
}

void require_blocks_fit(const Network& network, layout::Index slots) {
  if (const auto why = why_blocks_do_not_fit(network, slots)) why->refuse();
}

}  // namespace tacit::graph::passes
