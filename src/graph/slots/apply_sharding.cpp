#include "graph/slots/apply_sharding.h"

#include <utility>

#include "graph/passes/fold.h"
#include "graph/passes/relu_behind_pools.h"
#include "graph/slots/describe_sharding.h"
#include "graph/slots/optimise_sharding.h"
#include "graph/slots/propagate_sharding.h"
#include "graph/slots/sharded_layouts.h"
#include "graph/slots/slots_draft.h"
#include "layout/diagonals.h"
#include "program/slots/linear_plan.h"
#include "program/slots/operation_prices.h"

namespace tacit::graph::passes {
namespace {

ShardedNodes sharded_nodes(const SlotsDraft& draft) {
  const Graph& encrypted = draft.parties.encrypted;
  ShardedNodes nodes{draft.control.runs("relu-behind-pools") ? relu_behind_pools(encrypted) : encrypted, {}};
  nodes.analysis = analyse_sharding(nodes.graph, draft.model, draft.options.shardings);
  return nodes;
}

}  // namespace

void analyse_annotations(SlotsDraft& draft) {
  if (draft.options.shardings.empty()) return;
  draft.sharded = sharded_nodes(draft);
  draft.control.tell("analyse-sharding", [&] { return to_text(draft.sharded->analysis, draft.sharded->graph); });
  draft.kept = tensors_to_keep(fold(draft.network), draft.sharded->graph, draft.sharded->analysis);
}

void apply_sharding(SlotsDraft& draft) {
  if (!draft.sharded) return;
  constexpr const char* kOffers = "propagate-sharding";
  Propagated propagated =
      propagate_sharding(draft.network, draft.sharded->graph, draft.sharded->analysis, draft.control.runs(kOffers));
  draft.control.tell(kOffers, [&] { return propagated.decisions; });
  draft.network = std::move(propagated.network);
}

void optimise_annotations(SlotsDraft& draft) {
  if (!draft.sharded) return;
  const params::CkksLiteral literal = draft.options.parameters.value_or(params::named_literal("S14"));
  const auto slots = static_cast<layout::Index>(params::CkksParameters::check(literal).slots());
  require_blocks_fit(draft.network, slots);
  const slots::OperationPrices prices(literal, draft.options.costs);
  OptimisedSharding optimised = optimise_sharding(std::move(draft.network), slots, [&](const layout::LinearMap& map) {
    const slots::LinearSplits splits(layout::diagonal_set(map), map.in.ciphertexts(), map.out.ciphertexts());
    return splits.seconds(prices.linear(1));
  });
  draft.control.tell("optimise-sharding", [&] { return optimised.decisions; });
  draft.network = std::move(optimised.network);
}

void tell_sharding(SlotsDraft& draft) {
  draft.control.tell("sharding", [&] {
    if (!draft.sharded) draft.sharded = sharded_nodes(draft);
    return to_text(described_sharding(draft.sharded->graph, draft.sharded->analysis, draft.batch->lowered));
  });
}

}  // namespace tacit::graph::passes
