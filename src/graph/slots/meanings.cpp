#include "graph/slots/meanings.h"

#include <string>
#include <variant>

namespace tacit::graph::passes {

std::vector<program::Meaning> meanings(const Graph& encrypted, const Lowered& lowered) {
  std::vector<program::Meaning> result(lowered.program.instructions.size());
  const Network& network = lowered.normalised.network;
  for (ValueId id = 0; id < network.values.size(); ++id) {
    const Value& value = network.values[id];
    if (value.tensor >= encrypted.tensors.size()) continue;
    const std::string& name = encrypted.tensors[value.tensor].name;
    const double factor = lowered.normalised.factors[id];
    std::vector<double> factors{1};
    if (!value.stretch.all_equal(1)) factors = value.stretch.expanded(layout::element_count(value.shape));
    if (const auto* input = std::get_if<Private>(&value.operation); input && !input->units.empty())
      factors = input->units;
    for (double& f : factors) f *= factor;
    result[lowered.places[id]] = {name, std::move(factors), lowered.normalised.offsets[id]};
  }
  // A value that was refreshed, or moved to another layout, is the same tensor as before.
  for (program::ValueId id = 0; id < result.size(); ++id) {
    if (const auto before = slots::refreshed_from(lowered.program, id)) result[id] = result[*before];
    if (const auto before = slots::copied_from(lowered.program, id); before && result[id].tensor.empty())
      result[id] = result[*before];
  }
  return result;
}

}  // namespace tacit::graph::passes
