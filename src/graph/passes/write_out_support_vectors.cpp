#include <fmt/format.h>

#include <numeric>

#include "graph/attribute.h"
#include "graph/limits.h"
#include "graph/passes/written_out.h"
#include "graph/reference/support_vectors.h"

namespace tacit::graph::passes {
namespace {

/// An estimator as a matrix [outputs, support vectors] on kernels, and its constants.
struct Machine {
  std::int64_t vectors = 0, outputs = 0;
  std::vector<double> weights, constants;
};

/// Returns the machine of a classifier. The vectors of both classes of a pair decide it. The coefficients have a row
/// less than there are classes. A vector of class i meets class j in row j - 1 if i < j, and in row j otherwise.
Machine pairs_machine(const Node& node, const std::vector<std::int64_t>& counts) {
  const std::vector<double> coefficients = reals_attribute(node, "coefficients");
  const std::size_t classes = counts.size();
  Machine machine;
  machine.vectors = std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
  machine.constants = reals_attribute(node, "rho");
  machine.outputs = static_cast<std::int64_t>(classes * (classes - 1) / 2);
  const auto total = static_cast<std::size_t>(machine.vectors);
  const auto elements = machine.outputs * machine.vectors,
             coefficients_held = static_cast<std::int64_t>(coefficients.size());
  const std::int64_t most = kMostFoldedElements + 64 * coefficients_held;
  if (elements > most)
    refuse(node,
           fmt::format("its {} pairs of classes weigh {} support vectors by a matrix of {} elements, and {} is the "
                       "most; train it on fewer classes or vectors",
                       machine.outputs, machine.vectors, elements, most));
  std::vector<std::size_t> starts(classes + 1, 0);
  for (std::size_t i = 0; i < classes; ++i) starts[i + 1] = starts[i] + static_cast<std::size_t>(counts[i]);
  for (std::size_t i = 0; i < classes; ++i)
    for (std::size_t j = i + 1; j < classes; ++j) {
      std::vector<double> row(total, 0.0);
      for (std::size_t v = starts[i]; v < starts[i + 1]; ++v) row[v] = coefficients.at((j - 1) * total + v);
      for (std::size_t v = starts[j]; v < starts[j + 1]; ++v) row[v] = coefficients.at(i * total + v);
      machine.weights.insert(machine.weights.end(), row.begin(), row.end());
    }
  return machine;
}

/// Returns the machine of one number, on all vectors.
Machine single_machine(const Node& node) {
  Machine machine{integer_attribute(node, "n_supports"), 1, reals_attribute(node, "coefficients"), {}};
  machine.constants = {reals_attribute(node, "rho").at(0)};
  return machine;
}

TensorId gemm(GraphEditor& editor, const std::string& name, TensorId x, const Tensor& weights,
              std::vector<double> constants, double factor = 1, TensorId output = kNoTensor) {
  const auto count = static_cast<std::int64_t>(constants.size());
  const TensorId w = editor.constant(name + ".weights", weights);
  const TensorId b = editor.constant(name + ".constants", {{count}, std::move(constants), false});
  const TensorId result = output != kNoTensor ? output : editor.tensor(name, {editor.shape(x)[0], count});
  editor.node("Gemm", name, {x, w, b}, result, {{"transB", std::int64_t{1}}, {"alpha", factor}});
  return result;
}

/// Writes exp(-gamma |x - v|^2) = exp(2 gamma x v - gamma |x|^2 - gamma |v|^2). Its |x|^2 is one square and a sum.
TensorId radial_kernels(GraphEditor& editor, const Node& node, TensorId x, const Tensor& vectors, double gamma) {
  const std::int64_t count = vectors.shape[0], features = vectors.shape[1], batch = editor.shape(x)[0];
  std::vector<double> norms;
  for (std::int64_t v = 0; v < count; ++v) {
    const double* row = vectors.data.data() + v * features;
    norms.push_back(-gamma * std::inner_product(row, row + features, row, 0.0));
  }
  const TensorId products = gemm(editor, node.name + ".products", x, vectors, std::move(norms), 2 * gamma);
  const TensorId squares = editor.step("Mul", node.name + ".squares", {x, x}, {batch, features});
  const Tensor ones{{count, features}, std::vector<double>(static_cast<std::size_t>(count * features), 1.0), false};
  const TensorId norm = gemm(editor, node.name + ".norm", squares, ones,
                             std::vector<double>(static_cast<std::size_t>(count), 0.0), -gamma);
  const TensorId exponents = editor.step("Add", node.name + ".exponents", {products, norm}, {batch, count});
  return editor.step("Exp", node.name + ".kernels", {exponents}, {batch, count});
}

/// Writes the kernels [batch, vectors] of the input's rows.
TensorId kernels(GraphEditor& editor, const Node& node, TensorId x, std::int64_t count) {
  const std::string kind = text_attribute(node, "kernel_type");
  const Tensor vectors{{count, editor.shape(x)[1]}, reals_attribute(node, "support_vectors"), false};
  if (vectors.size() != element_count(vectors.shape)) refuse(node, "its support vectors do not fit its features");
  const std::vector<double> zeros(static_cast<std::size_t>(count), 0.0);
  const Shape shape{editor.shape(x)[0], count};
  if (kind == "LINEAR") return gemm(editor, node.name + ".products", x, vectors, zeros);
  const std::vector<double> parameters = reals_attribute(node, "kernel_params");
  const double gamma = parameters.at(0), offset = parameters.at(1), degree = parameters.at(2);
  if (kind == "RBF") return radial_kernels(editor, node, x, vectors, gamma);
  const TensorId products = gemm(editor, node.name + ".products", x, vectors,
                                 std::vector<double>(static_cast<std::size_t>(count), offset), gamma);
  if (kind == "SIGMOID") return editor.step("Tanh", node.name + ".kernels", {products}, shape);
  const TensorId exponent = editor.constant(node.name + ".degree", {{}, {degree}, false});
  return editor.step("Pow", node.name + ".kernels", {products, exponent}, shape);
}

TensorId decisions(GraphEditor& editor, const Node& node, TensorId x, const Machine& machine, TensorId output) {
  const TensorId on = machine.vectors == 0 ? x : kernels(editor, node, x, machine.vectors);
  const std::int64_t columns = machine.vectors == 0 ? editor.shape(x)[1] : machine.vectors;
  return gemm(editor, node.name, on, {{machine.outputs, columns}, machine.weights, false}, machine.constants, 1,
              output);
}

}  // namespace

void write_out_support_vectors(GraphEditor& editor, const Node& node) {
  const TensorId x = as_rows(editor, node);
  if (node.op == "ai.onnx.ml.SVMRegressor") {
    const bool one_class = flag_attribute(node, "one_class");
    const TensorId score = decisions(editor, node, x, single_machine(node), one_class ? kNoTensor : node.outputs.at(0));
    if (!one_class) return;
    // The result is 1 above zero, and -1 at zero and below.
    const TensorId zero = editor.constant(node.name + ".zero", {{}, {0}, false});
    const TensorId inside = editor.constant(node.name + ".inside", {{}, {1}, false});
    const TensorId outside = editor.constant(node.name + ".outside", {{}, {-1}, false});
    const TensorId above = editor.step("Greater", node.name + ".above", {score, zero}, editor.shape(score));
    editor.integral(above);
    editor.node("Where", node.name, {above, inside, outside}, node.outputs.at(0));
    return;
  }
  const std::vector<std::int64_t> counts = integers_attribute(node, "vectors_per_class");
  Machine machine;
  if (counts.empty()) {  // scores of every class, linear in the features
    machine.weights = reals_attribute(node, "coefficients");
    machine.outputs = static_cast<std::int64_t>(machine.weights.size()) / editor.shape(x)[1];
    machine.constants.assign(static_cast<std::size_t>(machine.outputs), reals_attribute(node, "rho").at(0));
  } else {
    machine = pairs_machine(node, counts);
  }
  Node votes{
      reference::kSupportVectorVotes, node.name, {}, node.outputs, reference::support_vector_votes_attributes(node)};
  votes.inputs = {decisions(editor, node, x, machine, kNoTensor)};
  editor.copy(std::move(votes));
}

}  // namespace tacit::graph::passes
