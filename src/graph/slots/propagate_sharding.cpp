#include "graph/slots/propagate_sharding.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <utility>

#include "graph/attribute.h"
#include "graph/passes/operator_rows.h"
#include "graph/slots/layout_classes.h"
#include "graph/slots/sharding_places.h"
#include "layout/operators/movement.h"
#include "layout/sharding/carried.h"

namespace tacit::graph::passes {
namespace {

using layout::ArraySharding;

/// Calls body(tensor, its sharding) for the encrypted operands of one kind.
template <class Body>
void each_operand(const Graph& graph, const std::vector<TensorId>& tensors,
                  const std::map<int, ArraySharding>& shardings, const Body& body) {
  for (const auto& [index, sharding] : shardings) {
    const auto at = static_cast<std::size_t>(index);
    if (at < tensors.size() && is_encrypted(graph, tensors[at])) body(tensors[at], sharding);
  }
}

std::string blocks_text(const ArraySharding& sharding, const Shape& shape) {
  return fmt::format("{} of [{}] by {}", sharding.blocks(), fmt::join(sharding.block_shape(shape), ","),
                     sharding.to_string());
}

class Propagator {
 public:
  Propagator(const Network& network, const Graph& graph, const ShardingAnalysis& analysis)
      : network_(network),
        graph_(graph),
        analysis_(analysis),
        places_(network, graph, analysis),
        classes_(layout_classes(network)) {
    for (const auto& [input, sharding] : analysis.inputs)
      if (const auto place = places_.here(input, sharding.output(0)))
        for (const ValueId id : place->values) made_.emplace(id, place->sharding);
    for (const auto& [node, sharding] : analysis.fixed) claim(graph.nodes[node], sharding);
    for (const auto* claims : {&made_, &read_})
      for (const auto& [id, sharding] : *claims) of_class_.try_emplace(classes_[id], sharding);
  }

  Propagated run(bool offers) {
    if (offers) offer();
    for (ValueId id = 0; id < network_.values.size(); ++id) {
      Value value = renamed(network_.values[id], names_);
      if (std::holds_alternative<Affine>(value.operation) || std::holds_alternative<Private>(value.operation)) {
        value.sharding = wanted(id);
        value.operation = with_reshards(id, std::move(value.operation));
      } else {
        tie(id, value);
      }
      if (value.sharding)
        decisions_ += fmt::format("%{} '{}' ({}): {}\n", result_.values.size(), value.node, value.op,
                                  blocks_text(*value.sharding, value.shape));
      else if (const auto found = offered_.find(id); found != offered_.end())
        value.offered = found->second;
      for (const ArraySharding& sharding : value.offered)
        decisions_ += fmt::format("%{} '{}' ({}): offered {}\n", result_.values.size(), value.node, value.op,
                                  blocks_text(sharding, value.shape));
      names_.push_back(result_.add(std::move(value)));
    }
    for (const ValueId id : network_.outputs) result_.outputs.push_back(names_[id]);
    return {std::move(result_), std::move(decisions_)};
  }

 private:
  static std::string no_value(const Graph& graph, TensorId tensor) {
    return fmt::format(
        "its operand '{}' is no value of its own, for operators around it are computed together; annotate another of "
        "them, or switch passes off that join them (--passes no-batch-products)",
        graph.tensors[tensor].name);
  }

  void claim(const Node& node, const layout::OpSharding& sharding) {
    std::vector<ValueId> outputs;
    each_operand(graph_, node.outputs, sharding.outputs(), [&](TensorId tensor, const ArraySharding& array) {
      const std::optional<ShardingPlace> place = places_.of_output(tensor, array);
      if (!place && !array.is_split()) return;  // composed with others: no value has to be in one block
      if (!place) refuse(node, no_value(graph_, tensor));
      for (const ValueId id : place->values) {
        const auto [at, fresh] = made_.try_emplace(id, place->sharding);
        if (!fresh && !layout::same_blocks(at->second, place->sharding))
          refuse(node, fmt::format("it is computed together with another annotated operator, which makes {}; give both "
                                   "the same blocks, or annotate one",
                                   at->second.to_string()));
        outputs.push_back(id);
      }
    });
    each_operand(graph_, node.inputs, sharding.inputs(), [&](TensorId tensor, const ArraySharding& array) {
      const std::optional<ShardingPlace> place = places_.of_input(tensor, array);
      if (!place && !array.is_split()) return;
      if (!place) refuse(node, no_value(graph_, tensor));
      for (const ValueId id : place->values) {
        read_.try_emplace(id, place->sharding);
        for (const ValueId output : outputs) edges_.try_emplace({output, id}, place->sharding);
      }
    });
  }

  std::optional<ArraySharding> wanted(ValueId id) const {
    if (const auto own = made_.find(id); own != made_.end()) return own->second;
    const auto of = of_class_.find(classes_[id]);
    return of == of_class_.end() ? std::nullopt : std::optional(of->second);
  }

  // Makes terms read a value through a reshard, if it has other blocks than the annotation states.
  decltype(Value::operation) with_reshards(ValueId id, decltype(Value::operation) operation) {
    auto* affine = std::get_if<Affine>(&operation);
    if (affine == nullptr) return operation;
    const auto& before = std::get<Affine>(network_.values[id].operation);
    for (std::size_t t = 0; t < affine->terms.size(); ++t)
      if (const auto edge = edges_.find({id, before.terms[t].input}); edge != edges_.end())
        affine->terms[t].input = resharded(affine->terms[t].input, edge->second, network_.values[id]);
    return operation;
  }

  // Gives a function or a product the blocks of its operands, unless an annotation states others.
  void tie(ValueId id, Value& value) {
    const std::vector<ValueId> read = operands(value);
    const auto own = made_.find(id);
    std::optional<ArraySharding> blocks = result_.values[read.front()].sharding;
    if (own != made_.end()) blocks = own->second;
    if (blocks) {
      std::vector<ValueId> resharded_names(result_.values.size());
      for (const ValueId operand : read) resharded_names[operand] = resharded(operand, *blocks, value);
      value = renamed(value, resharded_names);
    }
    value.sharding = blocks;
  }

  ValueId resharded(ValueId read, const ArraySharding& to, const Value& reader) {
    const std::optional<ArraySharding>& from = result_.values[read].sharding;
    if (from && layout::same_blocks(*from, to)) return read;
    for (const auto& [known, made] : reshards_[read])
      if (layout::same_blocks(known, to)) return made;
    Value value = result_.values[read];
    value.operation = Affine{{{read, std::make_shared<layout::Identity>(value.shape)}}};
    decisions_ += fmt::format("%{} reshard of %{} in front of '{}': {} to {}\n", result_.values.size(), read,
                              reader.node, from ? from->to_string() : "free", to.to_string());
    value.node = reader.node;
    value.op = "Reshard";
    value.sharding = to;
    const ValueId made = result_.add(std::move(value));
    reshards_[read].emplace_back(to, made);
    return made;
  }

  // Offers shardings breadth first, from the operands of annotated operators to the nearest values without an
  // annotation.
  void offer() {
    std::deque<std::pair<TensorId, ArraySharding>> open;
    std::map<TensorId, ArraySharding> known;
    const auto reach = [&](TensorId tensor, const ArraySharding& sharding) {
      if (sharding.is_split() && known.emplace(tensor, sharding).second) open.emplace_back(tensor, sharding);
    };
    for (const auto& [input, sharding] : analysis_.inputs) reach(input, sharding.output(0));
    for (const auto& [node, sharding] : analysis_.fixed) {
      each_operand(graph_, graph_.nodes[node].outputs, sharding.outputs(), reach);
      each_operand(graph_, graph_.nodes[node].inputs, sharding.inputs(), reach);
    }
    while (!open.empty()) {
      const auto [tensor, sharding] = open.front();
      open.pop_front();
      if (const auto place = places_.here(tensor, sharding))
        for (const ValueId id : place->values)
          if (!of_class_.contains(classes_[id])) add_offer(classes_[id], place->sharding);
      std::vector<std::size_t> nodes = places_.readers(tensor);
      if (const auto producer = places_.producer(tensor)) nodes.push_back(*producer);
      for (const std::size_t n : nodes) {
        const Node& node = graph_.nodes[n];
        if (!analysis_.rules[n]) continue;
        const bool reads = places_.producer(tensor) != std::optional(n);
        const std::vector<TensorId>& side = reads ? node.inputs : node.outputs;
        const auto at = static_cast<std::size_t>(std::ranges::find(side, tensor) - side.begin());
        const auto all = reads ? layout::implied_by_input(*analysis_.rules[n], at, sharding)
                               : layout::implied_by_output(*analysis_.rules[n], at, sharding);
        if (!all) continue;
        each_operand(graph_, node.outputs, all->outputs(), reach);
        each_operand(graph_, node.inputs, all->inputs(), reach);
      }
    }
  }

  void add_offer(ValueId id, const ArraySharding& sharding) {
    std::vector<ArraySharding>& all = offered_[id];
    if (std::ranges::none_of(all, [&](const ArraySharding& known) { return layout::same_blocks(known, sharding); }))
      all.push_back(sharding);
  }

  const Network& network_;
  const Graph& graph_;
  const ShardingAnalysis& analysis_;
  ShardingPlaces places_;
  std::vector<ValueId> classes_;
  std::map<ValueId, ArraySharding> made_, read_;                // by value, from its maker or from a reader
  std::map<std::pair<ValueId, ValueId>, ArraySharding> edges_;  // by reader and operand
  std::map<ValueId, ArraySharding> of_class_;                   // by class
  std::map<ValueId, std::vector<ArraySharding>> offered_;       // by class
  std::map<ValueId, std::vector<std::pair<ArraySharding, ValueId>>> reshards_;  // of the new network's values
  Network result_;
  std::vector<ValueId> names_;
  std::string decisions_;
};

}  // namespace

std::set<TensorId> tensors_to_keep(const Network& folded, const Graph& graph, const ShardingAnalysis& analysis) {
  const ShardingPlaces places(folded, graph, analysis);
  std::set<TensorId> result;
  for (const auto& [n, sharding] : analysis.fixed) {
    const Node& node = graph.nodes[n];
    each_operand(graph, node.outputs, sharding.outputs(), [&](TensorId tensor, const ArraySharding& array) {
      if (array.is_split() && !places.of_output(tensor, array)) result.insert(tensor);
    });
    each_operand(graph, node.inputs, sharding.inputs(), [&](TensorId tensor, const ArraySharding& array) {
      if (array.is_split() && !places.of_input(tensor, array)) result.insert(tensor);
    });
  }
  return result;
}

Propagated propagate_sharding(const Network& network, const Graph& graph, const ShardingAnalysis& analysis,
                              bool offers) {
  return Propagator(network, graph, analysis).run(offers);
}

bool is_reshard(const Network& network, ValueId id) {
  const Value& value = network.values[id];
  const auto* affine = std::get_if<Affine>(&value.operation);
  if (affine == nullptr || affine->terms.size() != 1 || !affine->bias.all_equal(0) || !value.sharding) return false;
  const Value& read = network.values[affine->terms[0].input];
  return is_identity(*affine->terms[0].op) && read.tensor == value.tensor && read.sharding &&
         !layout::same_blocks(*read.sharding, *value.sharding);
}

}  // namespace tacit::graph::passes
