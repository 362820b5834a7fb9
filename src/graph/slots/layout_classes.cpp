#include "graph/slots/layout_classes.h"

#include <algorithm>
#include <numeric>

namespace tacit::graph::passes {

std::vector<ValueId> layout_classes(const Network& network) {
  std::vector<ValueId> parent(network.values.size());
  std::iota(parent.begin(), parent.end(), ValueId{0});
  const auto root = [&](ValueId id) {
    while (parent[id] != id) id = parent[id] = parent[parent[id]];
    return id;
  };
  for (ValueId id = 0; id < network.values.size(); ++id)
    if (!std::holds_alternative<Affine>(network.values[id].operation))
      for (const ValueId operand : operands(network.values[id])) {
        const ValueId a = root(operand), b = root(id);
        parent[std::max(a, b)] = std::min(a, b);
      }
  std::vector<ValueId> classes(network.values.size());
  for (ValueId id = 0; id < classes.size(); ++id) classes[id] = root(id);
  return classes;
}

}  // namespace tacit::graph::passes
