#pragma once

#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "graph/reference/operator_call.h"

namespace tacit::graph::reference {

/// The different texts of a tensor under construction.
class Dictionary {
 public:
  explicit Dictionary(const Call& call) : call_(call) {}
  /// The position of a text, which is added where it is new. Refuses the node above 2^20 different texts.
  double position(const std::string& text);
  /// The texts in the order of their positions; the dictionary is empty afterwards.
  std::vector<std::string> take();

 private:
  const Call& call_;
  std::vector<std::string> texts_;
  std::unordered_map<std::string, double> positions_;
};

/// The text that an element stands for. Refuses the node where the element is no position of a text.
const std::string& text_at(const Call& call, const Tensor& tensor, double element);

/// Where several operands may hold texts and do: puts copies in their places, whose elements are positions in one
/// dictionary, which every copy holds, so that equal elements are equal texts. Returns the copies, which must live as
/// long as the operands are used. Refuses the node where one operand holds texts and another numbers.
std::vector<Tensor> in_one_dictionary(const Call& call, const Operator& op, std::span<const Tensor*> operands);

/// Drops the texts that no element stands for where there are more texts than elements: a long list of texts is not
/// copied by every node that takes one element of it. Up to 256 texts stay, so that labels keep their positions in the
/// list of a classifier's labels.
void drop_unread_texts(const Call& call, Tensor& tensor);

}  // namespace tacit::graph::reference
