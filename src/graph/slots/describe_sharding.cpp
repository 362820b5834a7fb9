#include "graph/slots/describe_sharding.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "graph/passes/operator_kind.h"
#include "graph/slots/sharding_places.h"
#include "layout/sharding/carried.h"
#include "layout/sharding/operator_rules.h"

namespace tacit::graph::passes {
namespace {

using layout::ArraySharding;
using layout::Index;
using layout::Layout;
using layout::Mesh;

/// Returns blocks along axes that are named after their dimension.
ArraySharding by_dimension(const Shape& parts) {
  std::vector<layout::MeshAxis> axes;
  ArraySharding::Spec spec;
  for (std::size_t dim = 0; dim < parts.size(); ++dim) {
    spec.push_back(parts[dim] > 1 ? static_cast<int>(axes.size()) : ArraySharding::kWhole);
    if (parts[dim] > 1) axes.push_back({fmt::format("d{}", dim), parts[dim]});
  }
  if (axes.empty()) axes.push_back({"x", 1});
  return {Mesh(std::move(axes)), std::move(spec)};
}

std::optional<ArraySharding> carried_between(const Shape& from, const Shape& to, const ArraySharding& sharding) {
  if (from == to) return sharding;
  const base::Feasible<layout::ShardingRule> rule = layout::reshape_rule(from, to);
  return rule ? layout::carried_forward(*rule, 0, 0, sharding) : std::nullopt;  // none for shapes of several samples
}

class Describer {
 public:
  Describer(const Graph& graph, const ShardingAnalysis& analysis, const Lowered& lowered)
      : graph_(graph), analysis_(analysis), lowered_(lowered), places_(lowered.normalised.network, graph, analysis) {
    const Network& network = lowered.normalised.network;
    for (ValueId id = 0; id < network.values.size(); ++id) values_.try_emplace(network.values[id].tensor, id);
    for (const auto& [tensor, id] : values_)
      if (tensor < graph.tensors.size())
        if (auto blocks = blocks_of(id, tensor)) known_.emplace(tensor, *std::move(blocks));
    carry();
  }

  DescribedSharding run() {
    for (const auto* formals : {&graph_.inputs, &graph_.outputs})
      for (const TensorId id : *formals)
        if (const auto known = known_.find(id); known != known_.end())
          described_.map.set_formal(graph_.tensors[id].name, {graph_.tensors[id].shape, known->second});
    for (const TensorId id : graph_.inputs) describe_input(id);
    for (std::size_t n = 0; n < graph_.nodes.size(); ++n) {
      const Node& node = graph_.nodes[n];
      const std::optional<layout::OpSharding> sharding = sharding_of(n);
      if (const auto fixed = analysis_.fixed.find(n); fixed != analysis_.fixed.end())
        ask(node.name, fixed->second);
      else if (sharding && lies_so(node, *sharding))
        described_.map.set(node.name, *sharding);
      if (!sharding || !described_.map.is_sharded(node.name) || described_.map.get(node.name) != *sharding)
        described_.beside += beside_text(n);
    }
    return std::move(described_);
  }

 private:
  void ask(const std::string& name, const layout::OpSharding& sharding) {
    described_.map.set(name, sharding);
    described_.asked.insert(name);
  }

  // Describes an input. An annotation names an input if no node has its name.
  void describe_input(TensorId id) {
    const std::string& name = graph_.tensors[id].name;
    if (std::ranges::any_of(graph_.nodes, [&](const Node& node) { return node.name == name; })) return;
    if (const auto fixed = analysis_.inputs.find(id); fixed != analysis_.inputs.end()) return ask(name, fixed->second);
    const auto known = known_.find(id);
    if (known == known_.end() || !known->second.is_split()) return;
    layout::OpSharding sharding(known->second.mesh());
    sharding.set_output(0, known->second);
    described_.map.set(name, sharding);
  }

  const Layout& layout_of(ValueId id) const { return lowered_.program.instructions[lowered_.places[id]].layout; }

  // Returns the blocks of a value in the shape of its tensor. None if the value is not in equal blocks.
  std::optional<ArraySharding> blocks_of(ValueId id, TensorId tensor) const {
    const Layout& layout = layout_of(id);
    const auto parts = layout::equal_blocks(layout);
    return parts ? carried_between(layout.shape(), graph_.tensors[tensor].shape, by_dimension(*parts)) : std::nullopt;
  }

  // Carries blocks to tensors that are not values.
  void carry() {
    const auto fill = [&](TensorId tensor, const std::optional<ArraySharding>& sharding) {
      if (sharding && sharding->is_split()) known_.emplace(tensor, *sharding);
    };
    const auto each = [&](std::size_t n, const auto& body) {
      const Node& node = graph_.nodes[n];
      if (analysis_.rules[n])
        for (const std::size_t i : private_inputs(graph_, node))
          body(*analysis_.rules[n], i, node.inputs[i], node.outputs.at(0));
    };
    for (std::size_t n = 0; n < graph_.nodes.size(); ++n)
      each(n, [&](const layout::ShardingRule& rule, std::size_t i, TensorId in, TensorId out) {
        if (known_.contains(in) && !values_.contains(out)) fill(out, carried_forward(rule, i, 0, known_.at(in)));
      });
    for (std::size_t n = graph_.nodes.size(); n-- > 0;)
      each(n, [&](const layout::ShardingRule& rule, std::size_t i, TensorId in, TensorId out) {
        if (known_.contains(out) && !values_.contains(in)) fill(in, carried_back(rule, 0, i, known_.at(out)));
      });
  }

  // Returns the blocks of the value that an operator reads for an input: its own reshard, or the tensor.
  std::optional<ArraySharding> read_by(const Node& node, TensorId tensor) const {
    const Network& network = lowered_.normalised.network;
    if (const auto output = values_.find(node.outputs.at(0)); output != values_.end())
      for (const ValueId operand : operands(network.values[output->second]))
        if (network.values[operand].tensor == tensor) return blocks_of(operand, tensor);
    const auto known = known_.find(tensor);
    return known == known_.end() ? std::nullopt : std::optional(known->second);
  }

  /// The blocks of the encrypted operands of a node, by position.
  struct Operands {
    std::map<int, ArraySharding> inputs, outputs;
  };
  std::optional<Operands> operands_of(const Node& node) const {
    Operands result;
    for (const std::size_t i : private_inputs(graph_, node)) {
      const auto read = read_by(node, node.inputs[i]);
      if (!read) return std::nullopt;
      result.inputs.emplace(static_cast<int>(i), *read);
    }
    const auto made = known_.find(node.outputs.at(0));
    if (made == known_.end()) return std::nullopt;
    result.outputs.emplace(0, made->second);
    return result;
  }

  static bool agree(const Operands& operands, const layout::OpSharding& sharding) {
    const auto same = [](const std::map<int, ArraySharding>& some, const std::map<int, ArraySharding>& all) {
      return std::ranges::all_of(some, [&](const auto& operand) {
        const auto found = all.find(operand.first);
        return layout::same_blocks(
            operand.second, found == all.end() ? by_dimension(Shape(operand.second.spec().size(), 1)) : found->second);
      });
    };
    return same(operands.inputs, sharding.inputs()) && same(operands.outputs, sharding.outputs());
  }

  // True if an annotation could state this sharding without another value for the operand.
  bool lies_so(const Node& node, const layout::OpSharding& sharding) const {
    const auto input = [&](const auto& operand) {
      const TensorId tensor = node.inputs[static_cast<std::size_t>(operand.first)];
      return !is_encrypted(graph_, tensor) || !operand.second.is_split() || places_.of_input(tensor, operand.second);
    };
    const ArraySharding& made = sharding.output(0);
    return std::ranges::all_of(sharding.inputs(), input) &&
           (!made.is_split() || places_.of_output(node.outputs.at(0), made));
  }

  std::optional<layout::OpSharding> sharding_of(std::size_t n) const {
    const auto& rule = analysis_.rules[n];
    if (!rule) return std::nullopt;
    const std::optional<Operands> operands = operands_of(graph_.nodes[n]);
    if (!operands) return std::nullopt;
    if (const auto fixed = analysis_.fixed.find(n); fixed != analysis_.fixed.end() && agree(*operands, fixed->second))
      return fixed->second;
    std::map<int, Index> extents;  // by factor: extent of the axis that splits it
    const auto collect = [&](const std::map<int, ArraySharding>& some,
                             const std::vector<layout::ShardingOperand>& dims) {
      for (const auto& [index, sharding] : some)
        for (std::size_t dim = 0; dim < sharding.spec().size(); ++dim)
          if (const auto& factors = dims[static_cast<std::size_t>(index)][dim].factors;
              sharding.parts(dim) > 1 && !factors.empty())
            extents.emplace(factors.front(), sharding.parts(dim));
    };
    collect(operands->inputs, rule->inputs());
    collect(operands->outputs, rule->outputs());
    const auto [mesh, axes] = named(*rule, extents);
    base::Feasible<layout::OpSharding> sharding = rule->possible(mesh, axes);
    if (!sharding || !agree(*operands, *sharding)) return std::nullopt;  // the blocks of operands do not match
    return *std::move(sharding);
  }

  // Names axes by the convention of annotations: x for output channels, y for input channels, z for rows.
  static std::pair<Mesh, std::map<std::string, std::string>> named(const layout::ShardingRule& rule,
                                                                   const std::map<int, Index>& extents) {
    std::vector<layout::MeshAxis> axes;
    std::map<std::string, std::string> factors;
    for (const auto& [factor, extent] : extents) {
      const std::string& name = rule.factors()[static_cast<std::size_t>(factor)].name;
      std::string axis = name;
      for (const char* const letter : {"x", "y", "z"})
        if (!factors.contains(letter) && layout::conventional_factor(rule, letter) == name) {
          axis = letter;
          break;
        }
      factors.emplace(axis, name);
      axes.push_back({axis, extent});
    }
    std::ranges::sort(axes, {}, &layout::MeshAxis::name);
    if (axes.empty()) axes.push_back({"x", 1});
    return {Mesh(std::move(axes)), std::move(factors)};
  }

  std::string beside_text(std::size_t n) const {
    const Node& node = graph_.nodes[n];
    std::string text = fmt::format("# {} ({}):", node.name, node.op);
    const auto add = [&](const char* what, TensorId id) {
      const auto value = values_.find(id);
      text += fmt::format(" {} {}", what,
                          value == values_.end() ? "composed with others" : layout_of(value->second).to_string());
    };
    for (const std::size_t i : private_inputs(graph_, node)) add("reads", node.inputs[i]);
    add("makes", node.outputs.at(0));
    return text + "\n";
  }

  const Graph& graph_;
  const ShardingAnalysis& analysis_;
  const Lowered& lowered_;
  ShardingPlaces places_;
  std::map<TensorId, ValueId> values_;  // the first value of each tensor
  std::map<TensorId, ArraySharding> known_;
  DescribedSharding described_;
};

}  // namespace

DescribedSharding described_sharding(const Graph& graph, const ShardingAnalysis& analysis, const Lowered& lowered) {
  return Describer(graph, analysis, lowered).run();
}

std::string to_text(const DescribedSharding& described) {
  std::string text = "# lines without a '#' fix the meshes of nodes and inputs; the others say what followed\n";
  for (const auto& [name, formal] : described.map.formals())
    text += fmt::format("# {}: {}\n", name, formal.to_string());
  for (const auto& [name, sharding] : described.map.ops())
    text += fmt::format("{}{}: {}\n", described.asked.contains(name) ? "" : "# ", name, sharding.to_string());
  return text + described.beside;
}

}  // namespace tacit::graph::passes
