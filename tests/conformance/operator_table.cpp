#include "operator_table.h"

#include <fmt/format.h>

#include <set>
#include <span>
#include <string_view>

#include "graph/attribute.h"
#include "graph/declaration.h"
#include "program/visit.h"

namespace tacit::conformance {
namespace {

/// "axis = -1", "approximate = none (none, tanh)", "blocksize (required)".
std::string to_text(const graph::AttributeDeclaration& attribute) {
  std::string text(attribute.name);
  std::visit(program::Overloaded{[](std::monostate) {},
                                 [&](std::span<const std::int64_t> list) {
                                   text += " = " + graph::to_text(graph::Shape(list.begin(), list.end()));
                                 },
                                 [&](std::string_view choice) { text += fmt::format(" = {}", choice); },
                                 [&](double real) { text += fmt::format(" = {:.6g}", real); },
                                 [&](std::int64_t integer) { text += fmt::format(" = {}", integer); }},
             attribute.fallback);
  if (attribute.required) text += " (required)";
  return attribute.choices.empty() ? text : fmt::format("{} ({})", text, attribute.choices);
}

std::string operands_of(const graph::Operator& op) {
  const bool several = op.outputs.size() > 1 || op.outputs[0].repeated;
  return graph::to_text(op.inputs) + (several ? "; makes " + graph::to_text(op.outputs) : "");
}

std::string attributes_of(const graph::Operator& op) {
  std::string text;
  for (const graph::AttributeDeclaration& attribute : op.attributes)
    if (!attribute.name.starts_with("tacit.")) text += (text.empty() ? "" : "; ") + to_text(attribute);
  return text;
}

std::string row_name(const NodeCase& node_case) {
  std::string name;
  for (const std::string& op : std::set<std::string>(node_case.operators.begin(), node_case.operators.end()))
    name += (name.empty() ? "" : " + ") + op;
  return name;
}

}  // namespace

void OperatorTable::add(const NodeCase& node_case, const Outcome& outcome) {
  Row& row = rows_[row_name(node_case)];
  if (outcome.matched) {
    ++row.matched;
    row.on_client += outcome.on_client;
  } else if (++row.refused == 1) {
    const std::size_t folder = outcome.refusal.find(".onnx': ");  // a path of this machine
    row.refusal = folder == std::string::npos ? outcome.refusal : outcome.refusal.substr(folder + 8);
  }
}

std::string declared_operators() {
  std::string text =
      "# Operators\n\n"
      "Written by a test (`clear_conformance_test`), so that it cannot drift: the first table from the declarations "
      "in\n"
      "`src/graph/reference/`, which import, reference run, passes and quantisation read as well.\n\n"
      "## Declarations\n\n"
      "Names of inputs are Tacit's. Every opset up to 28 (and 5 of ai.onnx.ml) is brought to these forms. A number at "
      "an\n"
      "attribute is its default. Slots are those of CKKS, integers those of TFHE (`--scheme tfhe`). Element-wise\n"
      "operators with one encrypted value that lie between two sums are one table together.\n\n"
      "| operator | since | inputs, and outputs where there are several | attributes | on slots | on integers |\n"
      "| --- | --- | --- | --- | --- | --- |\n";
  for (const graph::Operator* op : graph::all_operators())
    if (op->since > 0)
      text += fmt::format("| {} | {} | {} | {} | {} | {} |\n", op->name, op->since, operands_of(*op),
                          attributes_of(*op), graph::slots_form(*op), graph::integers_form(*op));
  return text;
}

std::string OperatorTable::to_markdown() const {
  std::string text =
      declared_operators() +
      "\n## Cases of the ONNX project\n\n"
      "Of opsets up to 17 and of 18 to 28: each case is imported, compiled and run in the clear reading of its "
      "program,\n"
      "as encrypted as it compiles: with all real inputs private, else the first alone; without operators that the\n"
      "client runs, else with them. It matches its expected output (1e-3 of the largest value, 2e-2 for functions with "
      "a\n"
      "kink) or is refused. What the client runs it runs exactly; between two layers such an operator is refused. "
      "Gelu\n"
      "and Silu are recognised as written out by exporters. A refusal is an error before any key exists; the last "
      "column\n"
      "shows the first.\n\n"
      "| operators of the case | passed | of these run by the client | refused | first refusal |\n"
      "| --- | --- | --- | --- | --- |\n";
  for (const auto& [ops, row] : rows_)
    text += fmt::format("| {} | {} | {} | {} | {} |\n", ops, row.matched, row.on_client, row.refused, row.refusal);
  return text;
}

}  // namespace tacit::conformance
