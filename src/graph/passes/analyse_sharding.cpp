#include "graph/passes/analyse_sharding.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/error.h"
#include "graph/passes/node_sharding_rule.h"
#include "layout/sharding/operator_rules.h"

namespace tacit::graph::passes {
namespace {

/// Returns the number of letters to insert, delete or replace between two names (Levenshtein).
std::size_t distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t before = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = before + (a[i] == b[j] ? 0 : 1);
      before = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

std::string near_names(const Graph& graph, const std::string& name) {
  constexpr std::size_t kMost = 3;
  std::vector<std::pair<std::size_t, std::string>> known;
  for (const Node& node : graph.nodes) known.emplace_back(distance(name, node.name), node.name);
  for (const TensorId id : graph.inputs)
    known.emplace_back(distance(name, graph.tensors[id].name), graph.tensors[id].name);
  std::ranges::sort(known);
  known.erase(std::unique(known.begin(), known.end()), known.end());
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min(kMost, known.size()); ++i) names.push_back(fmt::format("'{}'", known[i].second));
  return fmt::format("{}", fmt::join(names, ", "));
}

std::size_t node_of(const Graph& graph, const Graph& model, const std::string& name) {
  const auto named = [&](const Node& node) { return node.name == name; };
  const auto count = std::ranges::count_if(graph.nodes, named);
  if (count == 1) return static_cast<std::size_t>(std::ranges::find_if(graph.nodes, named) - graph.nodes.begin());
  if (count > 1)
    base::refuse("node '{}' is written out as {} operators, which no single sharding fits; annotate its neighbours",
                 name, count);
  if (std::ranges::any_of(model.nodes, named))
    base::refuse(
        "node '{}' runs at the client, where nothing is encrypted and so nothing is sharded; leave its "
        "annotation out, or keep it from the client (--keep-private {})",
        name, name);
  constexpr std::size_t kShown = 200;
  base::refuse("there is no node '{}' to shard; nodes and inputs of similar names: {}", name.substr(0, kShown),
               near_names(graph, name.substr(0, kShown)));
}

// Returns the input that an annotation names, unless a node has the name.
std::optional<TensorId> input_of(const Graph& graph, const std::string& name) {
  if (std::ranges::any_of(graph.nodes, [&](const Node& node) { return node.name == name; })) return std::nullopt;
  const auto found = std::ranges::find_if(graph.inputs, [&](TensorId id) { return graph.tensors[id].name == name; });
  return found == graph.inputs.end() ? std::nullopt : std::optional(*found);
}

layout::ShardingRule input_rule(const Shape& shape) {
  const layout::ShardingRule rule = layout::elementwise_rule("Input", {shape}).or_refuse();
  return {rule.op(), rule.factors(), {}, rule.outputs()};
}

}  // namespace

ShardingAnalysis analyse_sharding(const Graph& graph, const Graph& model,
                                  const std::vector<layout::ShardAnnotation>& annotations) {
  ShardingAnalysis analysis;
  for (const Node& node : graph.nodes) analysis.rules.push_back(sharding_rule(graph, node).optional());
  for (const layout::ShardAnnotation& annotation : annotations) {
    if (const std::optional<TensorId> input = input_of(graph, annotation.node)) {
      if (!analysis.inputs.emplace(*input, layout::annotated(input_rule(graph.tensors[*input].shape), annotation))
               .second)
        base::refuse("input '{}' is sharded twice; say it once", annotation.node);
      continue;
    }
    const std::size_t node = node_of(graph, model, annotation.node);
    if (analysis.fixed.contains(node)) base::refuse("node '{}' is sharded twice; say it once", annotation.node);
    analysis.fixed.emplace(node, layout::annotated(sharding_rule(graph, graph.nodes[node]).or_refuse(), annotation));
  }
  return analysis;
}

std::string to_text(const ShardingAnalysis& analysis, const Graph& graph) {
  std::string text;
  for (const auto& [input, sharding] : analysis.inputs)
    text += fmt::format("input '{}'\n  annotated: {}\n", graph.tensors[input].name, sharding.to_string());
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    const auto& rule = analysis.rules[n];
    text += fmt::format("'{}' {}\n", graph.nodes[n].name,
                        rule ? rule->to_string() : graph.nodes[n].op + ": no rule, stays whole");
    if (const auto fixed = analysis.fixed.find(n); fixed != analysis.fixed.end()) {
      text += fmt::format("  annotated: {}", fixed->second.to_string());
      const std::vector<std::string> reduced = rule->reduced_axes(fixed->second);
      text += reduced.empty() ? "\n" : fmt::format(", added up over {}\n", fmt::join(reduced, ", "));
    }
  }
  return text;
}

}  // namespace tacit::graph::passes
