#include "operator_table.h"

#include <set>

namespace tacit::conformance {
namespace {

const char* const kApproximated = "a polynomial on the calibrated range";
const char* const kMoved = "moves elements; joins its neighbours";
const char* const kAffine = "affine; joins its neighbours";
const char* const kSums = "of encrypted values and constants, broadcast";
const char* const kClient = "the client runs it: on the inputs, or behind the last layer";
const char* const kInteger =
    "constant weights, scales and zero points; the product is the server's, its rounding as QuantizeLinear";
const char* const kMaxima =
    "of pairs, by the magnitude of a - b, which is a polynomial on the calibrated range; exact where the client runs "
    "it";
const char* const kWrittenOut = "the server computes the scores; the client labels and probabilities";

/// The supported forms, by operator.
const std::map<std::string, std::string>& forms() {
  static const std::map<std::string, std::string> all{
      {"Abs", kApproximated},
      {"Add", kSums},
      {"ArgMax", kClient},
      {"ArgMin", kClient},
      {"AveragePool", "1-D to 3-D; strides, pads, auto_pad, dilations, ceil_mode, count_include_pad"},
      {"BatchNormalization", "inference; joins its neighbours"},
      {"Cast", "to a floating-point type; to others by the client"},
      {"Ceil", kClient},
      {"Celu", kApproximated},
      {"Clip", "constant bounds; a polynomial on the calibrated range"},
      {"Concat", kMoved},
      {"Conv", "1-D to 3-D with constant weights; strides, pads, auto_pad, dilations, groups"},
      {"ConvInteger", "constant weights and zero points"},
      {"ConvTranspose", "1-D to 3-D with constant weights; strides, pads, output_padding, auto_pad, dilations, groups"},
      {"DepthToSpace", kMoved},
      {"DequantizeLinear", "constant scale, one or for each channel; joins its neighbours"},
      {"Div", "by a constant, broadcast; a constant by an encrypted value is a polynomial"},
      {"Dropout", "vanishes"},
      {"Einsum", "one encrypted operand of at most 4096 elements; a matrix"},
      {"Elu", kApproximated},
      {"Equal", kClient},
      {"Erf", kApproximated},
      {"Exp", kApproximated},
      {"Expand", kMoved},
      {"Flatten", kMoved},
      {"Floor", kClient},
      {"Gather", "constant indices; moves elements"},
      {"GatherND", "constant indices; moves elements"},
      {"Gelu", kApproximated},
      {"Gemm", "one encrypted matrix, on either side; alpha, beta, transA, transB"},
      {"GlobalAveragePool", kAffine},
      {"GlobalLpPool", "orders 1 and 2: magnitudes or squares, their sum, a root"},
      {"GlobalMaxPool", kMaxima},
      {"Greater", kClient},
      {"GroupNormalization", kClient},
      {"HardSigmoid", kApproximated},
      {"HardSwish", kApproximated},
      {"Hardmax", kClient},
      {"Identity", "vanishes"},
      {"InstanceNormalization", kClient},
      {"LayerNormalization", kClient},
      {"LeakyRelu", kApproximated},
      {"Less", kClient},
      {"Log", "above 0; a polynomial on the calibrated range"},
      {"LogSoftmax", kClient},
      {"LpNormalization", kClient},
      {"LpPool", "orders 1 and 2: magnitudes or squares, a convolution with ones, a root"},
      {"MatMul", "one encrypted operand, on either side; batches broadcast"},
      {"MatMulInteger", "constant weights and zero points"},
      {"Max",
       "of encrypted values and constants, by the magnitude of a - b, which is a polynomial on the calibrated range"},
      {"MaxPool", kMaxima},
      {"Mean", kSums},
      {"Min",
       "of encrypted values and constants, by the magnitude of a - b, which is a polynomial on the calibrated range"},
      {"Mish", kApproximated},
      {"Mul", "of two encrypted values, or by a constant; broadcast"},
      {"Neg", kAffine},
      {"PRelu", "constant slopes; a polynomial on the calibrated range"},
      {"Pad", "constant, reflect, edge and wrap; moves elements"},
      {"Pow", "whole scalar exponents up to 64 as products; others as a polynomial on the calibrated range"},
      {"QLinearConv", kInteger},
      {"QLinearMatMul", kInteger},
      {"QuantizeLinear",
       "the client runs it: on the inputs, or behind the last layer; between layers with --scheme tfhe"},
      {"RMSNormalization", kClient},
      {"Reciprocal", "away from 0; a polynomial on the calibrated range"},
      {"ReduceL1", "magnitudes and their sum"},
      {"ReduceL2", "squares, their sum and a root"},
      {"ReduceLogSum", "a sum and a logarithm"},
      {"ReduceLogSumExp", kClient},
      {"ReduceMax", kMaxima},
      {"ReduceMean", kAffine},
      {"ReduceMin", kMaxima},
      {"ReduceProd", "products, pairwise; at most 64 factors"},
      {"ReduceSum", kAffine},
      {"ReduceSumSquare", "a square and a sum"},
      {"Relu", kApproximated},
      {"Reshape", kMoved},
      {"Resize", "nearest, linear and cubic with constant scales or sizes; a matrix an axis"},
      {"Round", kClient},
      {"Selu", kApproximated},
      {"Shrink", "a bias equal to lambd; a polynomial on the calibrated range"},
      {"Sigmoid", "a polynomial on the calibrated range; behind the last layer the client runs it"},
      {"Sign", kClient},
      {"Slice", "constant starts, ends, axes and steps; moves elements"},
      {"Softmax", kClient},
      {"Softplus", kApproximated},
      {"Softsign", kApproximated},
      {"SpaceToDepth", kMoved},
      {"Split", kMoved},
      {"Sqrt", "away from 0; a polynomial on the calibrated range"},
      {"Squeeze", kMoved},
      {"Sub", kSums},
      {"Sum", kSums},
      {"SwiGLU", "a product of an encrypted gate and a polynomial on the calibrated range"},
      {"Swish", kApproximated},
      {"Tanh", kApproximated},
      {"ThresholdedRelu", "alpha = 0, a Relu; others by the client"},
      {"Tile", kMoved},
      {"TopK", kClient},
      {"Transpose", kMoved},
      {"Trilu", kMoved},
      {"Unsqueeze", kMoved},
      {"Where", "with comparisons of one encrypted value, a polynomial on the calibrated range; others by the client"},
      {"ai.onnx.ml.ArrayFeatureExtractor", "constant indices; moves elements"},
      {"ai.onnx.ml.Binarizer", kClient},
      {"ai.onnx.ml.FeatureVectorizer", kMoved},
      {"ai.onnx.ml.Imputer", kClient},
      {"ai.onnx.ml.LabelEncoder", kClient},
      {"ai.onnx.ml.LinearClassifier", kWrittenOut},
      {"ai.onnx.ml.LinearRegressor", "a matrix; the client runs post_transform"},
      {"ai.onnx.ml.Normalizer", kClient},
      {"ai.onnx.ml.OneHotEncoder", kClient},
      {"ai.onnx.ml.SVMClassifier", "kernels of products, squares and functions; the client votes and labels"},
      {"ai.onnx.ml.SVMRegressor", "kernels of products, squares and functions"},
      {"ai.onnx.ml.Scaler", kAffine},
      {"ai.onnx.ml.ZipMap", "names the columns of the results"},
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
      "Written by a test (`clear_conformance_test`) from the node cases of the ONNX project, of opsets up to 17 and of "
      "18 to\n"
      "28, so that it cannot drift: each case is imported, compiled and run in the clear reading of its program, as "
      "encrypted\n"
      "as it compiles: with all real inputs private, else the first alone; without operators that the client runs, "
      "else "
      "with\n"
      "them. It matches its expected output (1e-3 of the largest value, 2e-2 for functions with a kink) or is refused. "
      "What\n"
      "the client runs it runs exactly; between two layers such an operator is refused. Gelu and Silu are recognised "
      "as\n"
      "written out by exporters. A refusal is an error before any key exists; the last column shows the first.\n\n"
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
