#include "graph/slots/layout_classes.h"

#include <algorithm>
#include <numeric>

#include "program/visit.h"

namespace tacit::graph::passes {

std::vector<ValueId> layout_classes(const Network& network) {
  std::vector<ValueId> parent(network.values.size());
  std::iota(parent.begin(), parent.end(), ValueId{0});
  const auto root = [&](ValueId id) {
    while (parent[id] != id) id = parent[id] = parent[parent[id]];
    return id;
  };
  const auto tie = [&](ValueId one, ValueId other) {
    const ValueId a = root(one), b = root(other);
    parent[std::max(a, b)] = std::min(a, b);
  };
  for (ValueId id = 0; id < network.values.size(); ++id) {
    const Value& value = network.values[id];
    if (!program::holds_any<Affine, Contraction, PartsProduct, SummedProduct>(value.operation))
      for (const ValueId operand : operands(value)) tie(operand, id);
  }
  std::vector<ValueId> classes(network.values.size());
  for (ValueId id = 0; id < classes.size(); ++id) classes[id] = root(id);
  return classes;
}

}  // namespace tacit::graph::passes
