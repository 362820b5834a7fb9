#include "graph/passes/noise_after.h"

#include <algorithm>
#include <limits>
#include <set>
#include <string>

#include "graph/declaration.h"
#include "graph/links.h"
#include "graph/passes/operator_kind.h"
#include "graph/tree_ensemble.h"

namespace tacit::graph::passes {
namespace {

using Operators = std::set<std::string>;

constexpr double kUnknown = -std::numeric_limits<double>::infinity();

class NoiseAfter {
 public:
  NoiseAfter(const Graph& graph, const std::vector<char>& last)
      : graph_(graph),
        last_(last),
        links_(graph),
        noisy_(graph.tensors.size(), 0),
        least_(graph.tensors.size(), kUnknown) {
    for (const TensorId id : graph.inputs) noisy_[id] = is_real(id);
    for (std::size_t n = 0; n < graph.nodes.size(); ++n) visit(n, last[n]);
  }

  std::vector<std::size_t> upset() const { return upset_; }

 private:
  bool is_real(TensorId id) const { return !graph_.tensors[id].integral && !graph_.tensors[id].text; }

  void visit(std::size_t n, bool last) {
    const Node& node = graph_.nodes[n];
    const bool noise = last && reads_noise(node);
    if (noise && needs_exact_operands(node)) upset_.push_back(n);
    const bool noisy = last ? noise && !makes_whole(node) : !is_whole(node);
    const double least = last ? least_of(node) : kUnknown;
    for (const TensorId id : node.outputs)
      if (id != kNoTensor) {
        noisy_[id] = noisy && is_real(id);
        least_[id] = least;
      }
  }

  bool reads_noise(const Node& node) const {
    return std::any_of(node.inputs.begin(), node.inputs.end(),
                       [&](TensorId id) { return id != kNoTensor && noisy_[id]; });
  }

  /// True for trees whose scores are whole numbers that only the client reads. Programs on integers give them exactly.
  bool is_whole(const Node& node) const {
    return node.op == kTreeScoresOp &&
           std::ranges::all_of(links_.readers[node.outputs[0]], [&](std::size_t n) { return last_[n] != 0; }) &&
           has_whole_scores(tree_ensemble(node));
  }

  static bool makes_whole(const Node& node) { return is(node.op, Class::step) || node.op == "ai.onnx.ml.Binarizer"; }

  bool needs_exact_operands(const Node& node) const {
    static const Operators kExact{"Equal",
                                  "Mod",
                                  "OneHot",
                                  "ai.onnx.ml.CategoryMapper",
                                  "ai.onnx.ml.Imputer",
                                  "ai.onnx.ml.LabelEncoder",
                                  "ai.onnx.ml.OneHotEncoder"};
    if (node.op != "Cast") return kExact.contains(node.op);
    if (casts_to_real(node)) return false;
    return !casts_to_boolean(node) || least_[node.inputs[0]] < 0;
  }

  /// Returns a lower bound of the results of a node. Noise takes no result from the bound or to it. Results are at the
  /// bound where they are constant over an interval of decrypted numbers (Relu, Clip), or never (Exp).
  double least_of(const Node& node) const {
    static const Operators kAboveZero{"Exp", "HardSigmoid", "Relu", "Sigmoid", "Softmax", "Softplus"};
    static const Operators kSums{"Add", "Sum"};
    static const Operators kMadeOfPositive{"Div", "Mul", "Reciprocal", "ReduceMean", "ReduceProd", "ReduceSum"};
    if (kAboveZero.contains(node.op)) return 0;
    if (node.op == "Clip") return node.inputs.size() > 1 ? least_operand(node.inputs[1]) : kUnknown;
    double sum = 0, least = std::numeric_limits<double>::infinity();
    for (const TensorId id : node.inputs) {
      if (id == kNoTensor || !is_real(id)) continue;
      sum += least_operand(id);
      least = std::min(least, least_operand(id));
    }
    if (kSums.contains(node.op)) return sum;
    if (kMadeOfPositive.contains(node.op)) return least >= 0 ? 0 : kUnknown;
    return is(node.op, Class::movement) ? least : kUnknown;
  }

  double least_operand(TensorId id) const {
    if (id == kNoTensor) return kUnknown;
    if (!graph_.is_constant(id)) return least_[id];
    const std::vector<double>& numbers = graph_.constant(id).data;
    return numbers.empty() ? kUnknown : *std::min_element(numbers.begin(), numbers.end());
  }

  const Graph& graph_;
  const std::vector<char>& last_;
  const Links links_;
  std::vector<char> noisy_;    // by tensor
  std::vector<double> least_;  // by tensor
  std::vector<std::size_t> upset_;
};

}  // namespace

std::vector<std::size_t> nodes_that_noise_upsets(const Graph& graph, const std::vector<char>& last) {
  return NoiseAfter(graph, last).upset();
}

}  // namespace tacit::graph::passes
