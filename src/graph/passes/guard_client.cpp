#include "graph/passes/guard_client.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "graph/client_guards.h"
#include "graph/links.h"
#include "graph/passes/graph_editor.h"
#include "graph/passes/value_domains.h"

namespace tacit::graph::passes {
namespace {

constexpr double kUnbounded = std::numeric_limits<double>::infinity();

/// Returns the part of an interval that a client may see.
Range told(const Range& range) {
  const bool unit = range.lowest >= -1 && range.highest <= 1;
  return {range.lowest >= 0 ? 0 : unit ? -1 : -kUnbounded, range.highest <= 0 ? 0 : unit ? 1 : kUnbounded};
}

bool is_bounded(const Range& range) { return std::isfinite(range.lowest) || std::isfinite(range.highest); }

class Guarding {
 public:
  Guarding(Graph after, std::size_t kept, const std::vector<Range>& domains)
      : graph_(std::move(after)), exact_(kept), domains_(domains), noisy_(graph_.tensors.size(), 0) {}

  Graph run() {
    std::vector<Node> nodes = std::exchange(graph_.nodes, {});
    std::map<TensorId, TensorId> kept;
    std::map<TensorId, Range> facts;
    const std::vector<TensorId> inputs(graph_.inputs.begin(),
                                       graph_.inputs.end() - static_cast<std::ptrdiff_t>(exact_));
    for (const TensorId id : inputs) {
      const TensorInfo& info = graph_.tensors[id];
      if (info.text || info.integral) continue;
      noisy_[id] = 1;
      const Range range = told(domains_[id]);
      if (is_bounded(range)) kept[id] = guard(std::string(kWithinOp), id, "", range);
      facts[id] = range;
    }
    graph_.nodes.swap(nodes);
    known_ = value_domains(graph_, facts);  // by the properties of decrypted numbers
    note_expected_nan();
    graph_.nodes.swap(nodes);
    for (Node& node : nodes) {
      for (TensorId& id : node.inputs)
        if (const auto found = kept.find(id); found != kept.end()) id = found->second;
      guard_operands(node);
      bool noisy = false;
      for (const TensorId id : node.inputs) noisy = noisy || (id != kNoTensor && noisy_[id]);
      for (const TensorId id : node.outputs)
        if (id != kNoTensor) noisy_[id] = noisy && !graph_.tensors[id].integral && !graph_.tensors[id].text;
      graph_.nodes.push_back(std::move(node));
    }
    for (TensorId& id : graph_.outputs)
      if (const auto found = kept.find(id); found != kept.end()) id = found->second;
    return std::move(graph_);
  }

 private:
  /// Returns the known range of a tensor of the model, or of a tensor that a guard made of it.
  Range known(TensorId id) const {
    const auto found = made_of_.find(id);
    return known_[found == made_of_.end() ? id : found->second];
  }

  /// Notes the tensors whose NaN the model looks for: IsNaN reads them, and nothing else does but Where.
  void note_expected_nan() {
    const Links links(graph_);
    for (const Node& node : graph_.nodes) {
      if (node.op != "IsNaN") continue;
      const TensorId id = node.inputs.at(0);
      const bool chosen = std::ranges::all_of(links.readers[id], [&](std::size_t reader) {
        const Node& reads = graph_.nodes[reader];
        return reads.op == "IsNaN" || (reads.op == "Where" && reads.inputs.at(0) != id);
      });
      if (chosen && std::ranges::find(graph_.outputs, id) == graph_.outputs.end()) nan_is_expected_.insert(id);
    }
  }

  void guard_operands(Node& node) {
    const bool nan = !node.outputs.empty() && nan_is_expected_.contains(node.outputs[0]);
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      const TensorId id = node.inputs[i];
      if (id == kNoTensor || !noisy_[id]) continue;
      const FunctionDomain domain = domain_of(graph_, node, i);
      const Range is = known(id);
      if (is.lowest < domain.operand.lowest || is.highest > domain.operand.highest)
        node.inputs[i] = guard(std::string(kWithinOp), node.inputs[i], node.op, domain.operand, {}, nan);
      if (domain.off_zero) node.inputs[i] = guard(std::string(kOffZeroOp), node.inputs[i], node.op, {}, domain.line);
    }
  }

  TensorId guard(const std::string& op, TensorId id, const std::string& source, const Range& range,
                 std::optional<std::int64_t> line = {}, bool nan = false) {
    GraphEditor editor(graph_);
    std::map<std::string, Attribute> attributes{{"source", source}};
    if (range.known()) {
      attributes["lowest"] = range.lowest;
      attributes["highest"] = range.highest;
    }
    if (line) attributes["axis"] = *line;
    if (nan) attributes["nan"] = std::int64_t{1};
    const TensorInfo info = graph_.tensors[id];
    const TensorId made = editor.step(op, info.name, {id}, info.shape, std::move(attributes));
    graph_.tensors[made].rounding = info.rounding;
    made_of_[made] = made_of_.contains(id) ? made_of_[id] : id;
    noisy_.resize(graph_.tensors.size(), 0);
    noisy_[made] = 1;
    return made;
  }

  Graph graph_;
  std::size_t exact_;
  const std::vector<Range>& domains_;
  std::vector<Range> known_;
  std::vector<char> noisy_;
  std::map<TensorId, TensorId> made_of_;
  std::set<TensorId> nan_is_expected_;
};

}  // namespace

Graph guard_client(Graph after, std::size_t kept, const std::vector<Range>& domains) {
  return Guarding(std::move(after), kept, domains).run();
}

}  // namespace tacit::graph::passes
