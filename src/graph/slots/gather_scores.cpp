#include "graph/slots/gather_scores.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "graph/attribute.h"
#include "graph/links.h"
#include "graph/passes/graph_editor.h"
#include "graph/passes/write_out_softmax.h"
#include "graph/prune.h"
#include "graph/reference/broadcast.h"
#include "graph/slots/hiding_mask.h"

namespace tacit::graph::passes {
namespace {

/// factor * tensor.
struct Summand {
  TensorId tensor;
  double factor;
};

/// Returns the elements of a constant times `factor`, for every element of a shape that the constant broadcasts to. The
/// elements of masks may be infinite.
std::vector<double> spread(const Tensor& constant, const Shape& shape, double factor) {
  reference::BroadcastIndex at(constant.shape, shape);
  std::vector<double> result(static_cast<std::size_t>(element_count(shape)));
  for (double& x : result) x = factor * constant.data[at.next()];
  return result;
}

/// The summands of what a Softmax reads.
class GatheredScores {
 public:
  GatheredScores(const Graph& graph, const Links& links, TensorId scores)
      : graph_(graph), links_(links), shape_(graph.tensors[scores].shape) {
    add(scores, 1);
    if (constants_.size() > 1) changed_ = true;
    rest_ = sum_of_constants();
    for (Summand& summand : scores_) summand.tensor = without_zeros(summand.tensor);
  }

  /// True if the sum is not in its form yet, and can be.
  bool changed() const { return changed_ && !scores_.empty() && has_the_shape(); }

  /// Appends the nodes of the form, and returns its tensor.
  TensorId write(GraphEditor& editor, const Node& softmax) const {
    Node named;
    named.name = softmax.name + ".scores";
    NodeSteps steps(editor, named);
    std::optional<TensorId> sum;
    const auto append = [&](TensorId term) {
      if (!sum) return void(sum = term);
      const Shape shape = *reference::broadcast_shape(editor.shape(*sum), editor.shape(term));
      sum = steps.step("Add", {*sum, term}, shape);
    };
    for (const std::vector<Summand>* const some : {&scores_, &masks_})
      for (const Summand& summand : *some) {
        Shape shape = editor.shape(summand.tensor);  // a copy, because a shape of the graph moves
        append(summand.factor == 1
                   ? summand.tensor
                   : steps.step("Mul", {summand.tensor, steps.number(summand.factor)}, std::move(shape)));
      }
    if (rest_) append(steps.constant(*rest_));
    return *sum;
  }

 private:
  bool is_number(TensorId id) const { return graph_.is_constant(id) && graph_.constant(id).data.size() == 1; }

  void add(TensorId tensor, double factor) {
    if (graph_.is_constant(tensor)) return constants_.push_back({tensor, factor});
    if (follows_from_one_input(graph_, links_, tensor)) return add_to(masks_, tensor, factor);
    const std::optional<std::size_t> maker = links_.makers[tensor];
    if (!maker) return add_to(scores_, tensor, factor);
    const Node& made = graph_.nodes[*maker];
    const auto operand = [&](std::size_t k) { return made.inputs.at(k); };
    if (made.op == "Add" || made.op == "Sub") {
      if (factor != 1 || made.op == "Sub") changed_ = true;
      add(operand(0), factor);
      add(operand(1), made.op == "Sub" ? -factor : factor);
    } else if (made.op == "Neg") {
      add(operand(0), -factor);
    } else if (made.op == "Mul" && (is_number(operand(0)) || is_number(operand(1)))) {
      const std::size_t at = is_number(operand(0)) ? 0 : 1;
      add(operand(1 - at), factor * graph_.constant(operand(at)).data[0]);
    } else if (made.op == "Div" && is_number(operand(1)) && graph_.constant(operand(1)).data[0] != 0) {
      add(operand(0), factor / graph_.constant(operand(1)).data[0]);
    } else {
      add_to(scores_, tensor, factor);
    }
  }

  void add_to(std::vector<Summand>& summands, TensorId tensor, double factor) {
    const auto same = std::ranges::find(summands, tensor, &Summand::tensor);
    if (same == summands.end()) return summands.push_back({tensor, factor});
    same->factor += factor;
    changed_ = true;
  }

  /// Returns the sum of the constants. Rows whose largest element is far from 0 are moved there, so that every row
  /// shows an element. None if no constant tells elements of a row apart.
  std::optional<Tensor> sum_of_constants() {
    std::optional<Tensor> sum;
    for (const Summand& summand : constants_) {
      const Tensor& constant = graph_.constant(summand.tensor);
      if (constant.shape.empty() || constant.shape.back() == 1) {
        changed_ = true;
        continue;
      }
      const Shape shape = sum ? *reference::broadcast_shape(sum->shape, constant.shape) : constant.shape;
      Tensor next{shape, spread(constant, shape, summand.factor), false};
      if (sum) {
        const std::vector<double> before = spread(*sum, shape, 1);
        for (std::size_t e = 0; e < before.size(); ++e) next.data[e] += before[e];
      }
      sum = std::move(next);
    }
    if (sum) move_far_rows(*sum);
    return sum;
  }

  void move_far_rows(Tensor& sum) {
    const auto width = static_cast<std::ptrdiff_t>(sum.shape.back());
    for (auto row = sum.data.begin(); row != sum.data.end(); row += width) {
      const double largest = *std::max_element(row, row + width);
      if (!std::isfinite(largest) || std::abs(largest) < -kHides) continue;
      std::for_each(row, row + width, [&](double& x) { x -= largest; });
      changed_ = true;
    }
  }

  /// Returns x for x * c, if c is 1 wherever a constant does not hide the element.
  TensorId without_zeros(TensorId tensor) {
    const std::optional<std::size_t> maker = links_.makers[tensor];
    if (!maker || !rest_ || graph_.nodes[*maker].op != "Mul") return tensor;
    const Node& product = graph_.nodes[*maker];
    const std::size_t at = graph_.is_constant(product.inputs[0]) ? 0 : 1;
    const TensorId other = product.inputs[1 - at];
    if (!graph_.is_constant(product.inputs[at]) || graph_.tensors[other].shape != shape_) return tensor;
    const std::vector<double> shown = spread(graph_.constant(product.inputs[at]), shape_, 1);
    const std::vector<double> rest = spread(*rest_, shape_, 1);
    for (std::size_t e = 0; e < shown.size(); ++e)
      if (shown[e] != 1 && (shown[e] != 0 || rest[e] > kHides)) return tensor;
    changed_ = true;
    return other;
  }

  bool has_the_shape() const {
    Shape shape = rest_ ? rest_->shape : Shape{};
    for (const std::vector<Summand>* const some : {&scores_, &masks_})
      for (const Summand& summand : *some)
        shape = reference::broadcast_shape(shape, graph_.tensors[summand.tensor].shape).value();
    return shape == shape_;
  }

  const Graph& graph_;
  const Links& links_;
  const Shape shape_;
  std::vector<Summand> scores_, masks_, constants_;
  std::optional<Tensor> rest_;
  bool changed_ = false;
};

}  // namespace

Graph with_gathered_scores(Graph graph) {
  const Graph before = graph;
  const Links links(before);
  GraphEditor editor(graph);
  graph.nodes.clear();
  bool changed = false;
  for (Node node : before.nodes) {
    if (node.op == "Softmax" && is_along_last_axis(before, node)) {
      const GatheredScores scores(before, links, node.inputs.at(0));
      if (scores.changed()) {
        node.inputs[0] = scores.write(editor, node);
        changed = true;
      }
    }
    editor.copy(std::move(node));
  }
  if (!changed) return before;
  drop_unread(graph);
  return graph;
}

}  // namespace tacit::graph::passes
