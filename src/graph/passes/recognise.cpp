#include "graph/passes/recognise.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "graph/attribute.h"
#include "graph/passes/operator_kind.h"

namespace tacit::graph::passes {
namespace {

const std::set<std::string> kPolynomial = {"Add", "Sub", "Mul", "Sum", "Mean", "Neg", "Identity", "Dropout", "Cast"};

class Recogniser {
 public:
  explicit Recogniser(const Graph& graph) : graph_(graph) {
    for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
      for (const TensorId id : graph.nodes[n].outputs)
        if (id != kNoTensor) producer_[id] = n;
      for (const TensorId id : graph.nodes[n].inputs)
        if (id != kNoTensor) readers_[id].insert(n);
    }
  }

  Recognised run() {
    Recognised result;
    std::map<std::size_t, Node> functions;  // by the last node of the group
    std::set<std::size_t> absorbed;
    for (std::size_t n = graph_.nodes.size(); n-- > 0;) {
      // A function ends in a real number, not in a truth value.
      if (absorbed.contains(n) || !element_wise(n) || of_truth_values(graph_.nodes[n])) continue;
      const Group group = grow(n);
      if (non_polynomials({group.nodes.begin(), group.nodes.end()}) == 0) continue;
      std::vector<Node> steps;
      for (const std::size_t m : group.nodes) {
        steps.push_back(graph_.nodes[m]);
        absorbed.insert(m);
      }
      const TensorId result_id = graph_.nodes[n].outputs[0];
      ScalarFunction function(graph_, steps, group.root, result_id);
      functions[n] =
          Node{kFunctionOp, graph_.nodes[n].name, {group.root}, {result_id}, {{"function", function.name()}}};
      result.functions.emplace(result_id, std::move(function));
    }
    result.graph = graph_;
    result.graph.nodes.clear();
    std::map<TensorId, TensorId> alias;
    const auto resolve = [&](TensorId id) {
      const auto found = alias.find(id);
      return found == alias.end() ? id : found->second;
    };
    for (std::size_t n = 0; n < graph_.nodes.size(); ++n) {
      if (absorbed.contains(n) && !functions.contains(n)) continue;
      Node node = functions.contains(n) ? functions.at(n) : graph_.nodes[n];
      for (TensorId& id : node.inputs) id = resolve(id);
      if (transparent(node)) {
        alias[node.outputs[0]] = node.inputs[0];
        continue;
      }
      result.graph.nodes.push_back(std::move(node));
    }
    for (TensorId& id : result.graph.outputs) id = resolve(id);
    drop_unread(result.graph);
    return result;
  }

 private:
  struct Group {
    std::vector<std::size_t> nodes;  // topological order
    TensorId root = kNoTensor;
  };

  bool scalar_constant(TensorId id) const { return graph_.is_constant(id) && graph_.constant(id).size() == 1; }

  static bool transparent(const Node& node) {
    return node.op == "Identity" || node.op == "Dropout" || (node.op == "Cast" && casts_to_real(node));
  }

  bool polynomial(const Node& node) const {
    if (kPolynomial.contains(node.op)) return true;
    if (node.op == "Div") return graph_.is_constant(node.inputs[1]);
    if (node.op == "Pow" && graph_.is_constant(node.inputs[1])) {
      const double exponent = graph_.constant(node.inputs[1]).data[0];
      return exponent == std::floor(exponent) && exponent >= 0 && exponent <= 64;
    }
    return false;
  }

  // Comparisons and choices of single elements, of which exporters make functions with pieces: Where(x > 20, x, …).
  static bool piecewise(const Node& node) {
    static const std::set<std::string> kPieces{"And",         "Equal", "Greater", "GreaterOrEqual", "Less",
                                               "LessOrEqual", "Not",   "Or",      "Where",          "Xor"};
    return kPieces.contains(node.op);
  }

  // A truth value, or one as a number.
  bool of_truth_values(const Node& node) const {
    return graph_.tensors[node.outputs[0]].integral || (node.op == "Cast" && graph_.tensors[node.inputs[0]].integral);
  }

  // True for an operator that maps one private tensor element by element, its other operands being scalars or private
  // tensors of the same shape.
  bool element_wise(std::size_t n) const {
    const Node& node = graph_.nodes[n];
    const bool known = is_unary_function(node.op) || kPolynomial.contains(node.op) || node.op == "Div" ||
                       node.op == "Pow" || piecewise(node);
    if (!known || node.outputs.empty() || jumps(node)) return false;
    const TensorInfo& out = graph_.tensors[node.outputs[0]];
    const bool truncates = node.op == "Cast" && !casts_to_real(node) && !graph_.tensors[node.inputs[0]].integral;
    if ((out.integral && node.op == "Div") || truncates) return false;
    for (const TensorId id : node.inputs) {
      if (id == kNoTensor || scalar_constant(id)) continue;
      if (graph_.is_constant(id) || graph_.tensors[id].shape != out.shape) return false;
    }
    return true;
  }

  std::ptrdiff_t non_polynomials(const std::set<std::size_t>& members) const {
    return std::count_if(members.begin(), members.end(), [&](std::size_t m) { return !polynomial(graph_.nodes[m]); });
  }

  bool is_output(TensorId id) const {
    return std::find(graph_.outputs.begin(), graph_.outputs.end(), id) != graph_.outputs.end();
  }

  // The largest group that ends in node n, whose inner tensors nobody else reads, and that depends on one tensor.
  Group grow(std::size_t n) const {
    std::set<std::size_t> members{n};
    std::set<std::size_t> best;
    TensorId root = kNoTensor;
    while (true) {
      std::set<TensorId> frontier;
      for (const std::size_t m : members)
        for (const TensorId id : graph_.nodes[m].inputs)
          if (id != kNoTensor && !graph_.is_constant(id) &&
              !(producer_.contains(id) && members.contains(producer_.at(id))))
            frontier.insert(id);
      // Polynomial operators before the first other one stay outside: they are linear maps and products.
      if (frontier.size() == 1 && (best.empty() || non_polynomials(members) > non_polynomials(best))) {
        best = members;
        root = *frontier.begin();
      }
      // Only the frontier tensor that is made last can be replaced by the operands of its producer.
      std::size_t last = 0;
      bool found = false;
      TensorId candidate = kNoTensor;
      for (const TensorId id : frontier) {
        if (!producer_.contains(id)) continue;
        if (!found || producer_.at(id) > last) {
          last = producer_.at(id);
          candidate = id;
        }
        found = true;
      }
      if (!found || !element_wise(last) || is_output(candidate)) break;
      const std::set<std::size_t>& readers = readers_.at(candidate);
      if (!std::includes(members.begin(), members.end(), readers.begin(), readers.end())) break;
      members.insert(last);
    }
    return {{best.begin(), best.end()}, root};
  }

  const Graph& graph_;
  std::map<TensorId, std::size_t> producer_;
  std::map<TensorId, std::set<std::size_t>> readers_;
};

}  // namespace

void drop_unread(Graph& graph) {
  std::set<TensorId> needed(graph.outputs.begin(), graph.outputs.end());
  std::vector<Node> kept;
  for (std::size_t n = graph.nodes.size(); n-- > 0;) {
    Node& node = graph.nodes[n];
    if (std::none_of(node.outputs.begin(), node.outputs.end(), [&](TensorId id) { return needed.contains(id); }))
      continue;
    needed.insert(node.inputs.begin(), node.inputs.end());
    kept.push_back(std::move(node));
  }
  std::reverse(kept.begin(), kept.end());
  graph.nodes = std::move(kept);
}

Recognised recognise(const Graph& graph) { return Recogniser(graph).run(); }

}  // namespace tacit::graph::passes
