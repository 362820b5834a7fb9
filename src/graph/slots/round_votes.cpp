#include "graph/slots/round_votes.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "graph/passes/graph_editor.h"
#include "graph/tree_ensemble.h"

namespace tacit::graph::passes {
namespace {

constexpr double kDeviationsOfUnit = 16, kMostUnit = 1.0 / 64;  // of the range

}  // namespace

void round_votes(ClientParts& parts, const program::ClientInterface& client) {
  Graph& after = parts.after;
  for (const program::ClientOutput& output : client.outputs) {
    const TensorId scores = after.inputs.at(output.program_output);
    const bool labelled = std::ranges::any_of(
        after.nodes, [&](const Node& node) { return node.op == kTreeVotesOp && node.inputs.at(0) == scores; });
    const double noise = output.noise * std::abs(output.unit);
    if (!labelled || !(noise > 0)) continue;
    const double unit = std::exp2(std::ceil(std::log2(kDeviationsOfUnit * noise)));
    if (unit > kMostUnit * (output.highest - output.lowest) * std::abs(output.unit)) continue;
    const std::string name = after.tensors[scores].name;
    const auto like_scores = [&](const char* what) {
      TensorInfo info = after.tensors[scores];
      info.name = name + what;
      after.tensors.push_back(std::move(info));
      return static_cast<TensorId>(after.tensors.size() - 1);
    };
    const TensorId decrypted = like_scores(".decrypted"), units = like_scores(".units"), whole = like_scores(".whole");
    GraphEditor editor(after);
    const TensorId up = editor.constant(name + ".per_unit", {{}, {1 / unit}, false}),
                   down = editor.constant(name + ".unit", {{}, {unit}, false});
    const std::vector<Node> nodes{{"Mul", name + ".units", {decrypted, up}, {units}, {}},
                                  {"Round", name + ".whole", {units}, {whole}, {}},
                                  {"Mul", name + ".rounded", {whole, down}, {scores}, {}}};
    after.nodes.insert(after.nodes.begin(), nodes.begin(), nodes.end());
    after.inputs[output.program_output] = decrypted;
  }
}

}  // namespace tacit::graph::passes
