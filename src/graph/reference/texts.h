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
  /// Returns the position of a text, and adds the text if it is new. Refuses the node above 2^20 different texts.
  double position(const std::string& text);
  /// Returns the texts in the order of their positions. The dictionary is empty afterwards.
  std::vector<std::string> take();

 private:
  const Call& call_;
  std::vector<std::string> texts_;
  std::unordered_map<std::string, double> positions_;
};

/// Returns the text of an element. Refuses the node if the element is not the position of a text.
const std::string& text_at(const Call& call, const Tensor& tensor, double element);

/// Gives operands that hold texts one common dictionary, if several operands may hold texts and do. Copies replace the
/// operands, and their elements are positions in this dictionary. So equal elements are equal texts. Returns the
/// copies, which must live as long as the operands are used. Refuses the node if one operand holds texts and another
/// numbers.
std::vector<Tensor> in_one_dictionary(const Call& call, const Operator& op, std::span<const Tensor*> operands);

/// Drops the texts that no element refers to, if there are more texts than elements. So a long list of texts is not
/// copied by every node that takes one element of it. Up to 256 texts stay, so that labels keep their positions in the
/// list of a classifier's labels.
void drop_unread_texts(const Call& call, Tensor& tensor);

}  // namespace tacit::graph::reference
