#include "graph/reference/texts.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace tacit::graph::reference {
namespace {

constexpr std::size_t kMostTexts = std::size_t{1} << 20;

}  // namespace

double Dictionary::position(const std::string& text) {
  const auto [found, added] = positions_.emplace(text, static_cast<double>(texts_.size()));
  if (added) {
    if (texts_.size() == kMostTexts)
      call_.refuse(
          fmt::format("its result holds more than {} different texts; use numbers in their place", kMostTexts));
    texts_.push_back(text);
  }
  return found->second;
}

std::vector<std::string> Dictionary::take() {
  positions_.clear();
  return std::exchange(texts_, {});
}

const std::string& text_at(const Call& call, const Tensor& tensor, double element) {
  if (!(element >= 0 && element < static_cast<double>(tensor.texts.size())))
    call.refuse(fmt::format("an element {} is no position in a list of {} texts", element, tensor.texts.size()));
  return tensor.texts[static_cast<std::size_t>(element)];
}

std::vector<Tensor> in_one_dictionary(const Call& call, const Operator& op, std::span<const Tensor*> operands) {
  std::vector<const Tensor**> places;
  for (std::size_t i = 0; i < operands.size(); ++i)
    if (operands[i] != nullptr && op.input(i)->texts) places.push_back(&operands[i]);
  if (places.size() < 2) return {};
  bool texts = false, numbers = false;
  for (const Tensor* const* place : places) {
    if (!(*place)->texts.empty()) texts = true;
    if ((*place)->texts.empty() && !(*place)->data.empty()) numbers = true;  // no elements: either
  }
  if (texts && numbers) call.refuse("some of its inputs hold texts and others numbers; cast them to one type");
  if (!texts) return {};
  Dictionary dictionary(call);
  std::vector<Tensor> copies;
  for (const Tensor* const* place : places) {
    const Tensor& tensor = **place;
    std::vector<double> positions;
    for (const std::string& text : tensor.texts) positions.push_back(dictionary.position(text));
    Tensor copy{tensor.shape, tensor.data, true, {}};
    for (double& element : copy.data) {
      text_at(call, tensor, element);
      element = positions[static_cast<std::size_t>(element)];
    }
    copies.push_back(std::move(copy));
  }
  const std::vector<std::string> all = dictionary.take();
  for (std::size_t i = 0; i < places.size(); ++i) {
    copies[i].texts = all;
    *places[i] = &copies[i];
  }
  return copies;
}

void drop_unread_texts(const Call& call, Tensor& tensor) {
  constexpr std::size_t kFewTexts = 256;
  if (tensor.texts.size() <= std::max(kFewTexts, tensor.data.size())) return;
  Dictionary dictionary(call);
  for (double& element : tensor.data) element = dictionary.position(text_at(call, tensor, element));
  tensor.texts = dictionary.take();
}

}  // namespace tacit::graph::reference
