#include "operator_table.h"

#include <set>

namespace tacit::conformance {
namespace {

const char* const kApproximated = "a polynomial on the calibrated range";
const char* const kMoved = "moves elements; joins its neighbours";
const char* const kAffine = "affine; joins its neighbours";
const char* const kClient = "behind the last encrypted operator: the client runs it";

/// The supported forms, by operator.
const std::map<std::string, std::string>& forms() {
  static const std::map<std::string, std::string> all{
      {"Abs", kApproximated},
      {"Add", "of encrypted values and constants, broadcast"},
      {"ArgMax", kClient},
      {"AveragePool", "1-D to 3-D; strides, pads, auto_pad, ceil_mode, count_include_pad"},
      {"BatchNormalization", "inference; joins its neighbours"},
      {"Cast", "to a floating-point type"},
      {"Clip", "constant bounds; a polynomial on the calibrated range"},
      {"Concat", kMoved},
      {"Conv", "1-D to 3-D with constant weights; strides, pads, auto_pad, dilations, groups"},
      {"DepthToSpace", kMoved},
      {"Div", "by a constant, broadcast; a constant by an encrypted value is a polynomial"},
      {"Dropout", "vanishes"},
      {"Elu", kApproximated},
      {"Erf", kApproximated},
      {"Exp", kApproximated},
      {"Expand", kMoved},
      {"Flatten", kMoved},
      {"Gather", "constant indices; moves elements"},
      {"Gemm", "one encrypted matrix, on either side; alpha, beta, transA, transB"},
      {"GlobalAveragePool", kAffine},
      {"HardSigmoid", kApproximated},
      {"HardSwish", kApproximated},
      {"Identity", "vanishes"},
      {"LeakyRelu", kApproximated},
      {"LogSoftmax", kClient},
      {"MatMul", "one encrypted operand, on either side; batches broadcast"},
      {"Max", "of one encrypted value and scalars; a polynomial on the calibrated range"},
      {"Mean", "of encrypted values and constants, broadcast"},
      {"Min", "of one encrypted value and scalars; a polynomial on the calibrated range"},
      {"Mul", "of two encrypted values, or by a constant; broadcast"},
      {"Neg", kAffine},
      {"PRelu", "constant slopes; a polynomial on the calibrated range"},
      {"Pad", "constant, reflect and edge; moves elements"},
      {"Pow", "whole scalar exponents up to 64 as products; others as a polynomial on the calibrated range"},
      {"Reciprocal", "away from 0; a polynomial on the calibrated range"},
      {"ReduceMean", kAffine},
      {"ReduceSum", kAffine},
      {"ReduceSumSquare", "a square and a sum"},
      {"Relu", kApproximated},
      {"Reshape", kMoved},
      {"Sigmoid", "a polynomial on the calibrated range; behind the last encrypted operator the client runs it"},
      {"Slice", "constant starts, ends, axes and steps; moves elements"},
      {"Softmax", kClient},
      {"Softplus", kApproximated},
      {"Softsign", kApproximated},
      {"SpaceToDepth", kMoved},
      {"Split", kMoved},
      {"Sqrt", "away from 0; a polynomial on the calibrated range"},
      {"Squeeze", kMoved},
      {"Sub", "of encrypted values and constants, broadcast"},
      {"Sum", "of encrypted values and constants, broadcast"},
      {"Tanh", kApproximated},
      {"Tile", kMoved},
      {"Transpose", kMoved},
      {"Unsqueeze", kMoved},
      {"ai.onnx.ml.LinearClassifier", "the server computes the scores; the client labels and probabilities"},
      {"ai.onnx.ml.Scaler", kAffine},
  };
  return all;
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

std::string OperatorTable::to_markdown() const {
  std::map<std::string, Row> rows = rows_;
  for (const auto& [op, form] : forms()) rows.try_emplace(op);
  std::string text =
      "# Operators\n\n"
      "Written by a test (`clear_conformance_test`) from the node cases of the ONNX project, so that it cannot drift: "
      "each\n"
      "case is imported, compiled and run in the clear reading of its program; it matches its expected output (1e-3 "
      "of\n"
      "the largest value, 2e-2 for functions with a kink) or is refused. Gelu and Silu are recognised as written out "
      "by\n"
      "exporters. A refusal is an error before any key exists; the last column shows the first.\n\n"
      "| operator | supported form | cases passed | of these run by the client | cases refused | first refusal |\n"
      "| --- | --- | --- | --- | --- | --- |\n";
  for (const auto& [op, row] : rows) {
    const auto form = forms().find(op);
    const std::string described = form != forms().end() ? form->second : row.matched > 0 ? "as written out" : "–";
    text += "| " + op + " | " + described + " | " + std::to_string(row.matched) + " | " +
            std::to_string(row.on_client) + " | " + std::to_string(row.refused) + " | " + row.refusal + " |\n";
  }
  return text;
}

}  // namespace tacit::conformance
