#include "graph/passes/behind_client.h"

#include <algorithm>

#include "base/naming.h"
#include "graph/declaration.h"

namespace tacit::graph::passes {

std::vector<std::vector<Tensor>> samples_behind(const ClientParts& client, std::vector<std::vector<Tensor>> samples) {
  base::naming("calibration data", [&] {
    for (std::vector<Tensor>& sample : samples) sample = run_before(client, sample);
  });
  return samples;
}

bool only_moves(const ClientParts& client) {
  return std::ranges::all_of(client.before.nodes, [](const Node& node) { return is(node.op, Class::movement); });
}

}  // namespace tacit::graph::passes
