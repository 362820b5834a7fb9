#include "graph/work.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <string>

#include "graph/attribute.h"
#include "graph/window.h"

namespace tacit::graph {
namespace {

double count(std::span<const std::int64_t> extents) {
  double product = 1;
  for (const std::int64_t extent : extents) product *= static_cast<double>(std::max<std::int64_t>(extent, 0));
  return product;
}

double count(const std::vector<double>& numbers) { return static_cast<double>(numbers.size()); }

/// Every output position looks at the taps of its window, padding included.
double windows(const Node& node, const Shape& input, const Shape& kernel) {
  const NodeWindow window = window_of(node, input, kernel);
  double work = count(std::span(input).first(2));
  for (const NodeAxis& axis : window.axes) work *= static_cast<double>(axis.output) * static_cast<double>(axis.kernel);
  return work;
}

/// Every choice of an index for each letter of the equation is a product.
double einsum(const Node& node, std::span<const Shape* const> inputs) {
  std::string terms = text_attribute(node, "equation");
  terms = terms.substr(0, terms.find("->"));
  std::map<char, double> extents;
  double ellipsis = 1;
  for (const Shape* shape : inputs) {
    const std::string term = terms.substr(0, terms.find(','));
    terms.erase(0, term.size() + 1);
    if (shape == nullptr) continue;
    const auto is_letter = [](char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; };
    const auto letters = static_cast<std::size_t>(std::count_if(term.begin(), term.end(), is_letter));
    const std::size_t wide = shape->size() - std::min(letters, shape->size());
    std::size_t axis = 0;
    for (const char c : term) {
      if (c == '.' && term.find('.') < term.size() && axis + wide <= shape->size()) {
        ellipsis = std::max(ellipsis, count(std::span(*shape).subspan(axis, wide)));
      } else if (is_letter(c)) {
        const std::size_t at = axis + (term.find('.') < term.find(c) ? wide : 0);
        if (at < shape->size()) extents[c] = std::max(extents[c], static_cast<double>((*shape)[at]));
        ++axis;
      }
    }
  }
  double work = ellipsis;
  for (const auto& [letter, extent] : extents) work *= extent;
  return work;
}

}  // namespace

double work_of(const Node& node, std::span<const Shape* const> inputs, std::span<const Shape> outputs) {
  if (node.op == "Shape" || node.op == "Size") return 1;
  static const std::set<std::string> kPools{"AveragePool", "LpPool", "MaxPool"};
  double read = 0, made = 0;
  for (const Shape* shape : inputs) read += shape == nullptr ? 0 : count(*shape);
  for (const Shape& shape : outputs) made += count(shape);
  const double moved = read + made;
  if (inputs.empty() || inputs[0] == nullptr) return moved;
  const Shape& first = *inputs[0];
  const Shape* second = inputs.size() > 1 ? inputs[1] : nullptr;
  if (node.op == "QLinearConv" && inputs.size() > 3 && inputs[3] != nullptr && inputs[3]->size() > 1)
    return moved + made * count(std::span(*inputs[3]).subspan(1));
  if ((node.op == "Conv" || node.op == "ConvInteger") && second != nullptr && second->size() > 1)
    return moved + made * count(std::span(*second).subspan(1));
  if (node.op == "ConvTranspose" && second != nullptr && second->size() > 1)
    return moved + count(first) * count(std::span(*second).subspan(1));
  static const std::set<std::string> kProducts{"MatMul", "MatMulInteger", "QLinearMatMul"};
  if (kProducts.contains(node.op) && !first.empty()) return moved + made * static_cast<double>(first.back());
  if (node.op == "Gemm" && first.size() == 2)
    return moved + made * static_cast<double>(first[flag_attribute(node, "transA") ? 0 : 1]);
  if (node.op == "Einsum") return moved + einsum(node, inputs);
  if (kPools.contains(node.op) && first.size() > 2)
    return moved + windows(node, first, integers_attribute(node, "kernel_shape"));
  if (node.op == "Resize" && !outputs.empty() && outputs[0].size() == first.size()) {
    double largest = 4;  // taps of an axis
    for (std::size_t i = 0; i < first.size(); ++i) largest *= static_cast<double>(std::max(first[i], outputs[0][i]));
    return moved + largest;
  }
  if (node.op == "TopK") return moved + 32 * read;
  if (node.op.starts_with("ai.onnx.ml.SVM") || node.op.starts_with("ai.onnx.ml.Linear")) {
    const double rows = first.size() > 1 ? count(first) / std::max<double>(1, static_cast<double>(first.back())) : 1;
    return moved +
           rows * (count(reals_attribute(node, "support_vectors")) + 64 * count(reals_attribute(node, "coefficients")));
  }
  return moved;
}

double work_of(const Graph& graph) {
  double work = 0;
  for (const Node& node : graph.nodes) {
    std::vector<const Shape*> inputs;
    std::vector<Shape> outputs;
    for (const TensorId id : node.inputs) inputs.push_back(id == kNoTensor ? nullptr : &graph.tensors[id].shape);
    for (const TensorId id : node.outputs)
      if (id != kNoTensor) outputs.push_back(graph.tensors[id].shape);
    work += work_of(node, inputs, outputs);
  }
  return work;
}

}  // namespace tacit::graph
