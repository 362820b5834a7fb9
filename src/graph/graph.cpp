#include "graph/graph.h"

#include <unordered_map>
#include <utility>

namespace tacit::graph {

std::vector<std::vector<double>> numbers_of(std::span<const Tensor> tensors) {
  std::vector<std::vector<double>> numbers;
  for (const Tensor& tensor : tensors) numbers.push_back(tensor.data);
  return numbers;
}

Tensor text_tensor(Shape shape, const std::vector<std::string>& elements) {
  Tensor tensor;
  tensor.shape = std::move(shape);
  std::unordered_map<std::string, std::size_t> positions;
  for (const std::string& element : elements) {
    const auto [found, is_new] = positions.emplace(element, tensor.texts.size());
    if (is_new) tensor.texts.push_back(element);
    tensor.data.push_back(static_cast<double>(found->second));
  }
  if (tensor.texts.empty()) tensor.texts.emplace_back();  // marks the tensor as one of texts
  return tensor;
}

}  // namespace tacit::graph
