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
      "The test `clear_conformance_test` writes this page, so it cannot drift from the code. The first table is\n"
      "made from the declarations in `src/graph/reference/`. Import, reference run, passes and quantisation read\n"
      "the same declarations.\n\n"
      "## Declarations\n\n"
      "Names of inputs are Tacit's. Every opset up to 28 (and 5 of ai.onnx.ml) is brought to these forms. A\n"
      "number at an attribute is its default. Slots are those of CKKS, integers those of TFHE (`--scheme tfhe`).\n"
      "Element-wise operators between two sums become one table together if they have one encrypted value.\n\n"
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
      "The cases are of opsets up to 17 and of 18 to 28. Each case is imported, compiled and run in the clear\n"
      "reading of its program. As much of it is encrypted as compiles. These readings are tried in order, each\n"
      "with all real inputs private, then with the first input alone:\n\n"
      "1. without operators that the client runs\n"
      "2. with operators that the client runs after decryption\n"
      "3. also with operators that the client runs before encryption\n\n"
      "A case matches its expected output, or it is refused. These errors are allowed, as a share of the largest\n"
      "value:\n\n"
      "| operators of the case | allowed error |\n"
      "| --- | --- |\n"
      "| maxima and minima over windows or axes | 4e-2 |\n"
      "| other functions with a kink | 2e-2 |\n"
      "| others | 1e-3 |\n\n"
      "The client runs its operators exactly. Between two layers such an operator is refused. Gelu and Silu are\n"
      "recognised in the form in which exporters write them out. A refusal is an error before any key exists. The\n"
      "last column shows the first refusal.\n\n"
      "| operators of the case | passed | of these run by the client | refused | first refusal |\n"
      "| --- | --- | --- | --- | --- |\n";
  for (const auto& [ops, row] : rows_)
    text += fmt::format("| {} | {} | {} | {} | {} |\n", ops, row.matched, row.on_client, row.refused, row.refusal);
  return text;
}

}  // namespace tacit::conformance
