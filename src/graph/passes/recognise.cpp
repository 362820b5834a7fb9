#include "graph/passes/recognise.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "graph/declaration.h"
#include "graph/links.h"
#include "graph/passes/operator_kind.h"
#include "graph/prune.h"

namespace tacit::graph::passes {
namespace {

/// The search for a group ends after this many sums and products behind the last function. Functions that exporters
/// spell out have a few between two. So the search stays linear in the number of nodes.
constexpr std::size_t kMostPolynomials = 64;

class Recogniser {
 public:
  Recogniser(const Graph& graph, bool tables)
      : graph_(graph),
        tables_(tables),
        links_(graph),
        output_(graph.tensors.size(), 0),
        group_of_(graph.nodes.size(), 0) {
    for (const TensorId id : graph.outputs) output_[id] = 1;
  }

  Recognised run() {
    Recognised result;
    result.tables = tables_;
    std::map<std::size_t, Node> functions;  // by the last node of the group
    std::vector<char> absorbed(graph_.nodes.size(), 0);
    for (std::size_t n = graph_.nodes.size(); n-- > 0;) {
      // A function ends in a real number, not in a truth value.
      if (absorbed[n] || !element_wise(n) || !may_end(graph_.nodes[n])) continue;
      const Group group = grow(n);
      if (group.nodes.empty()) continue;
      std::vector<Node> steps;
      for (const std::size_t m : group.nodes) {
        steps.push_back(graph_.nodes[m]);
        absorbed[m] = 1;
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
      if (absorbed[n] && !functions.contains(n)) continue;
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

  static bool sums_or_keeps(const Node& node) {
    return (is(node.op, Class::arithmetic) && !has_trait(node.op, kByChannel) && node.op != "Div") ||
           node.op == "Identity" || node.op == "Dropout" || is(node.op, Class::cast);
  }

  bool polynomial(const Node& node) const {
    if (truncates(node)) return false;
    if (node.op == "Div") return graph_.is_constant(node.inputs[1]);
    if (node.op == "Pow" && graph_.is_constant(node.inputs[1])) {
      const double exponent = graph_.constant(node.inputs[1]).data[0];
      return exponent == std::floor(exponent) && exponent >= 0 && exponent <= 64;
    }
    return sums_or_keeps(node);
  }

  // True if a function may end in a node. It may not end in a truth value. It may end in a truth value as a number only
  // if functions may jump.
  bool may_end(const Node& node) const {
    if (graph_.tensors[node.outputs[0]].integral) return false;
    return tables_ || node.op != "Cast" || !graph_.tensors[node.inputs[0]].integral;
  }

  bool truncates(const Node& node) const {
    return node.op == "Cast" && !casts_to_real(node) && !graph_.tensors[node.inputs[0]].integral;
  }

  // True for an operator that maps one private tensor element by element. Its other operands are scalars or private
  // tensors of the same shape.
  bool element_wise(std::size_t n) const {
    const Node& node = graph_.nodes[n];
    const Operator* op = find_operator(node.op);
    if (op == nullptr) return false;
    const bool known = op->is == Class::function || op->is == Class::step || op->is == Class::extreme ||
                       op->is == Class::piece || sums_or_keeps(node) || node.op == "Div" || node.op == "Pow";
    if (!known || node.outputs.empty() || (!tables_ && jumps(node))) return false;
    const TensorInfo& out = graph_.tensors[node.outputs[0]];
    if ((out.integral && node.op == "Div") || out.text || (!tables_ && truncates(node))) return false;
    for (const TensorId id : node.inputs) {
      if (id == kNoTensor || scalar_constant(id)) continue;
      if (graph_.is_constant(id) || graph_.tensors[id].shape != out.shape) return false;
    }
    return true;
  }

  /// The tensors between the members of a group and their operands. The tensor that is made last is at the end. Tensors
  /// are ordered by the number of their node, and inputs of the graph come first.
  using Frontier = std::set<std::pair<std::size_t, TensorId>>;

  // Returns the largest group that ends in node n, whose inner tensors no other node reads, and that depends on one
  // tensor. Empty if it has no function. Polynomial operators before its first other operator stay outside, because
  // they are linear maps and products.
  Group grow(std::size_t n) {
    ++groups_;
    Frontier frontier;
    std::vector<std::size_t> members;
    Group best;
    std::size_t functions = 0, functions_of_best = 0, size_of_best = 0;
    for (std::size_t next = n;;) {
      join(next, frontier);
      members.push_back(next);
      if (!polynomial(graph_.nodes[next])) ++functions;
      if (frontier.size() == 1 && functions > functions_of_best) {
        functions_of_best = functions;
        size_of_best = members.size();
        best.root = frontier.begin()->second;
      }
      // Only the frontier tensor that is made last can be replaced by the operands of its maker.
      if (frontier.empty() || members.size() - size_of_best > kMostPolynomials) break;
      const TensorId last = frontier.rbegin()->second;
      const std::optional<std::size_t> maker = links_.makers[last];
      if (!maker || !element_wise(*maker) || output_[last]) break;
      next = *maker;
      if (!std::ranges::all_of(links_.readers[last], [&](std::size_t reader) { return group_of_[reader] == groups_; }))
        break;
    }
    best.nodes.assign(members.begin(), members.begin() + static_cast<std::ptrdiff_t>(size_of_best));
    std::ranges::sort(best.nodes);
    return best;
  }

  /// Adds a node to the group that grows.
  void join(std::size_t n, Frontier& frontier) {
    const auto place = [&](TensorId id) {
      const std::optional<std::size_t> maker = links_.makers[id];
      return std::pair{maker ? *maker + 1 : std::size_t{0}, id};
    };
    group_of_[n] = groups_;
    for (const TensorId id : graph_.nodes[n].outputs)
      if (id != kNoTensor) frontier.erase(place(id));
    for (const TensorId id : graph_.nodes[n].inputs)
      if (id != kNoTensor && !graph_.is_constant(id)) frontier.insert(place(id));
  }

  const Graph& graph_;
  const bool tables_;
  const Links links_;
  std::vector<char> output_;           // by tensor
  std::vector<std::size_t> group_of_;  // by node: the last group that it was tried for
  std::size_t groups_ = 0;
};

}  // namespace

Recognised recognise(const Graph& graph, bool tables) { return Recogniser(graph, tables).run(); }

}  // namespace tacit::graph::passes
