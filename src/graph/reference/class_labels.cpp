#include "graph/reference/class_labels.h"

#include <fmt/format.h>

namespace tacit::graph::reference {

Tensor ClassLabels::at(const std::vector<std::size_t>& positions) const {
  Tensor result{{static_cast<std::int64_t>(positions.size())}, std::vector<double>(positions.size()), true};
  for (std::size_t i = 0; i < positions.size(); ++i)
    result.data[i] = texts.empty() ? integers.at(positions[i]) : static_cast<double>(positions[i]);
  result.texts = texts;
  return result;
}

ClassLabels class_labels(const Call& call) {
  constexpr std::int64_t kLargest = std::int64_t{1} << 53;
  ClassLabels labels;
  labels.texts = texts_attribute(call.node, "classlabels_strings");
  for (const std::int64_t label : integers_attribute(call.node, "classlabels_ints")) {
    if (label < -kLargest || label > kLargest)
      call.refuse(
          fmt::format("the label {} in classlabels_ints is beyond 2^53, up to which integers are exact", label));
    labels.integers.push_back(static_cast<double>(label));
  }
  if (labels.size() < 2)
    call.refuse("a classifier needs two labels or more in its attribute classlabels_ints or classlabels_strings");
  return labels;
}

}  // namespace tacit::graph::reference
