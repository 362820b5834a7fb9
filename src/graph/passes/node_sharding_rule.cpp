#include "graph/passes/node_sharding_rule.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "graph/attribute.h"
#include "graph/declaration.h"
#include "graph/window.h"
#include "layout/sharding/operator_rules.h"

namespace tacit::graph::passes {
namespace {

using base::Feasible;
using layout::ShardingOperand;
using layout::ShardingRule;

class Reader {
 public:
  Reader(const Graph& graph, const Node& node) : graph_(graph), node_(node) {}

  Feasible<ShardingRule> rule() const {
    const std::string& op = node_.op;
    if (!present(0) || (reads_two(op) && !present(1))) return problem("an input is missing");
    if (op == "Conv") return convolution();
    if (op == "AveragePool" || op == "MaxPool")
      return layout::pool_rule(op, in(0), out(), axes(integers_attribute(node_, "kernel_shape")));
    if (op == "GlobalAveragePool" || op == "GlobalMaxPool") return global_pool();
    if (op == "MatMul") return layout::matmul_rule(in(0), in(1));
    if (op == "Gemm")
      return layout::gemm_rule(in(0), in(1), flag_attribute(node_, "transA"), flag_attribute(node_, "transB"),
                               present(2) ? in(2) : Shape());
    if (op == "Concat") {
      const std::vector<Shape> shapes = all();
      return layout::concat_rule(
          shapes, static_cast<std::int64_t>(normal_axis(node_, integer_attribute(node_, "axis"), out().size())));
    }
    if (op == "Transpose") return layout::transpose_rule(in(0), permutation());
    if (has_trait(op, kKeepsOrder)) return with_whole_inputs(layout::reshape_rule(in(0), out()));
    if (op == "BatchNormalization") return batch_normalisation();
    if (is(op, Class::arithmetic)) return layout::elementwise_rule(op, all());
    if (is(op, Class::function) || is(op, Class::step) || is(op, Class::extreme))
      return with_whole_inputs(layout::elementwise_rule(op, {in(0)}));
    return problem(
        "this operator states no sharding rule; leave it whole (-1 for all dimensions), or write it as convolutions, "
        "matrix products, pools, sums, concatenations, reshapes and element-wise functions");
  }

 private:
  static bool reads_two(const std::string& op) { return op == "Conv" || op == "MatMul" || op == "Gemm"; }
  static base::Infeasible problem(const char* why) { return {why}; }
  bool present(std::size_t i) const { return i < node_.inputs.size() && node_.inputs[i] != kNoTensor; }
  const Shape& in(std::size_t i) const { return graph_.tensors.at(node_.inputs[i]).shape; }
  const Shape& out() const { return graph_.tensors.at(node_.outputs.at(0)).shape; }
  std::vector<Shape> all() const {
    std::vector<Shape> shapes;
    for (std::size_t i = 0; i < node_.inputs.size(); ++i)
      if (present(i)) shapes.push_back(in(i));
    return shapes;
  }

  std::vector<layout::WindowAxis> axes(const Shape& kernel) const {
    const NodeWindow window = window_of(node_, in(0), kernel);
    return {window.spatial().begin(), window.spatial().end()};
  }

  Feasible<ShardingRule> convolution() const {
    const Shape& weight = in(1);
    if (weight.size() < 3) return problem("its weight has no places");
    return layout::convolution_rule(in(0), weight, out(), axes(Shape(weight.begin() + 2, weight.end())),
                                    integer_attribute(node_, "group"), present(2));
  }

  Feasible<ShardingRule> global_pool() const {
    std::vector<std::int64_t> places(in(0).size() > 2 ? in(0).size() - 2 : 0);
    std::iota(places.begin(), places.end(), 2);
    return layout::reduction_rule(node_.op, in(0), out(), places);
  }

  std::vector<std::int64_t> permutation() const {
    std::vector<std::int64_t> reversed(in(0).size());
    std::iota(reversed.rbegin(), reversed.rend(), 0);
    return integers_attribute(node_, "perm", reversed);
  }

  // Returns the rule of a batch normalisation. Scale, offset, mean and variance have one number per channel.
  Feasible<ShardingRule> batch_normalisation() const {
    if (in(0).size() < 2) return problem("its input has no channels");
    const Feasible<ShardingRule> rule = layout::elementwise_rule(node_.op, {in(0)});
    if (!rule) return rule;
    std::vector<ShardingOperand> inputs = rule->inputs();
    while (inputs.size() < node_.inputs.size()) inputs.push_back({inputs[0][1]});
    return ShardingRule(node_.op, rule->factors(), std::move(inputs), rule->outputs());
  }

  Feasible<ShardingRule> with_whole_inputs(const Feasible<ShardingRule>& rule) const {
    if (!rule) return rule;
    std::vector<ShardingOperand> inputs = rule->inputs();
    for (std::size_t i = inputs.size(); i < node_.inputs.size(); ++i)
      inputs.emplace_back(present(i) ? in(i).size() : 0);
    return ShardingRule(node_.op, rule->factors(), std::move(inputs), rule->outputs());
  }

  const Graph& graph_;
  const Node& node_;
};

}  // namespace

Feasible<ShardingRule> sharding_rule(const Graph& graph, const Node& node) {
  Feasible<ShardingRule> rule = Reader(graph, node).rule();
  if (rule) return rule;
  return base::infeasible("node '{}' ({}): {}", node.name, node.op, rule.problem().sentence());
}

}  // namespace tacit::graph::passes
