#include "graph/passes/text_forms.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "graph/attribute.h"
#include "graph/passes/operator_rows.h"
#include "layout/operators/combined.h"
#include "layout/operators/matrix.h"
#include "layout/operators/movement.h"
#include "layout/operators/skewed_gather.h"
#include "layout/operators/window.h"
#include "program/visit.h"

namespace tacit::graph::passes {
namespace {

// The entries of operators with more rows are not counted.
constexpr layout::Index kMostCountedRows = 1 << 16;

std::string attribute_text(const Attribute& attribute) {
  return std::visit(
      program::Overloaded{
          [](std::int64_t value) { return fmt::format("{}", value); },
          [](double value) { return fmt::format("{:.3g}", value); }, [](const std::string& value) { return value; },
          [](const std::vector<std::int64_t>& values) { return fmt::format("{}", fmt::join(values, ",")); },
          [](const auto&) { return std::string("…"); }},
      attribute);
}

std::string operand(const Graph& graph, TensorId id) {
  if (id == kNoTensor) return "-";
  if (!graph.is_constant(id)) return graph.tensors[id].name;
  return graph.tensors[id].name + graph::to_text(graph.tensors[id].shape);
}

std::string names(const Graph& graph, const std::vector<TensorId>& ids) {
  std::string text;
  for (const TensorId id : ids)
    text += fmt::format(" {}{}", graph.tensors[id].name, graph::to_text(graph.tensors[id].shape));
  return text;
}

std::string to_text(const Graph& graph, const Node& node) {
  std::string text = fmt::format("{}{} = {}", graph.tensors[node.outputs.at(0)].name,
                                 graph::to_text(graph.tensors[node.outputs[0]].shape), node.op);
  for (const TensorId id : node.inputs) text += fmt::format(" {}", operand(graph, id));
  for (const auto& [name, attribute] : node.attributes) text += fmt::format(" {}={}", name, attribute_text(attribute));
  return text;
}

// Returns the generator of an operator's entries, and the number of entries that are not 0.
std::string to_text(const layout::LinearOperator& op) {
  const layout::LinearOperator& pattern = op.pattern();
  const char* kind =
      dynamic_cast<const layout::Convolution*>(&pattern)   ? "convolution"
      : dynamic_cast<const layout::AveragePool*>(&pattern) ? "average pool"
      : dynamic_cast<const layout::Contraction*>(&pattern) ? "contraction"
      : dynamic_cast<const layout::Reduction*>(&pattern)   ? "reduction"
      : dynamic_cast<const layout::Identity*>(&pattern)    ? "identity"
      : dynamic_cast<const layout::Gather*>(&pattern) || dynamic_cast<const layout::SkewedGather*>(&pattern) ? "gather"
      : dynamic_cast<const layout::Composed*>(&pattern) ? "composed"
                                                        : "rows";
  const std::string name = fmt::format("{}{}", &pattern == &op ? "" : "scaled ", kind);
  if (element_count(op.out_shape()) > kMostCountedRows) return name;
  std::size_t entries = 0;
  each_row(op, [&](layout::Index, layout::RowEntries& found) {
    found.merge();
    entries += found.size();
  });
  return fmt::format("{} of {} entries", name, entries);
}

std::string to_text(const Affine& affine) {
  std::string text = "affine";
  for (const AffineTerm& term : affine.terms) text += fmt::format(" %{} {}", term.input, to_text(*term.op));
  if (!affine.bias.all_equal(0)) text += " and bias";
  return text;
}

std::string to_text(const Function& function) {
  std::string text = fmt::format("function %{} {}", function.input, function.function.name());
  if (function.lowest < function.highest)
    text += fmt::format(" on [{:.3g}, {:.3g}]", function.lowest, function.highest);
  if (function.parity == approximate::Parity::even) text += ", even";
  if (function.parity == approximate::Parity::odd) text += ", odd";
  if (!function.coefficients.empty()) text += fmt::format(", degree {}", function.coefficients.size() - 1);
  return text;
}

std::string to_text(const Value& value) {
  return std::visit(
      program::Overloaded{
          [](const Private& input) {
            std::string text = fmt::format("input {}", input.input);
            if (!input.units.empty()) text += fmt::format(" times {:.3g}", input.units[0]);
            return text;
          },
          [](const Affine& affine) { return to_text(affine); },
          [](const Function& function) { return to_text(function); },
          [](const Product& product) { return fmt::format("product %{} %{}", product.left, product.right); },
          [](const Contraction& product) {
            return fmt::format("contraction %{} %{}, {} of {} x {} by {} x {}", product.left, product.right,
                               product.stack, product.rows, product.inner, product.inner, product.columns);
          },
          [](const PartsProduct& product) {
            return fmt::format("{}product of the {} parts of %{}", product.summed ? "sum of the " : "", product.parts,
                               product.input);
          },
          [](const SummedProduct& product) {
            return fmt::format("product %{} %{} in sums of {}", product.left, product.right, product.terms);
          },
          [](const Tabulated& table) {
            return fmt::format("table %{} of {} entries on [{:.3g}, {:.3g}]", table.input, table.entries.size(),
                               table.lowest, table.highest);
          },
          [](const Refresh& refresh) { return fmt::format("refresh %{}", refresh.input); },
          [](const Trees& trees) { return fmt::format("trees %{}", trees.input); }},
      value.operation);
}

}  // namespace

std::string to_text(const Graph& graph) {
  std::string text = fmt::format("inputs{}\n", names(graph, graph.inputs));
  for (const Node& node : graph.nodes) text += fmt::format("{}\n", to_text(graph, node));
  return text + fmt::format("outputs{}\n", names(graph, graph.outputs));
}

std::string to_text(const Range& range) {
  return range.known() ? fmt::format("[{:.3g}, {:.3g}]", range.lowest, range.highest) : "unknown";
}

std::string to_text(const Network& network) {
  std::string text;
  for (ValueId id = 0; id < network.values.size(); ++id) {
    const Value& value = network.values[id];
    text += fmt::format("%{} = {} : {}", id, to_text(value), graph::to_text(value.shape));
    if (value.range.known()) text += fmt::format(" in {}", to_text(value.range));
    if (!value.stretch.all_equal(1)) text += " stretched";
    text += fmt::format("  # {}\n", value.op);
  }
  return text + fmt::format("outputs %{}\n", fmt::join(network.outputs, " %"));
}

std::string to_text(const std::vector<Approximation>& approximations) {
  std::string text;
  for (const Approximation& a : approximations)
    text += fmt::format("'{}' ({}): degree {} on [{:.3g}, {:.3g}], off by {:.1f} % at most: {}\n", a.node, a.op,
                        a.degree, a.lowest, a.highest, 100 * a.share, a.reason);
  return text;
}

}  // namespace tacit::graph::passes
