#pragma once

#include "graph/reference/operator_call.h"

namespace tacit::graph::reference {

/// The labels of a classifier of ai.onnx.ml: integers or texts.
struct ClassLabels {
  std::vector<double> integers;
  std::vector<std::string> texts;

  std::size_t size() const { return texts.empty() ? integers.size() : texts.size(); }
  /// A vector with the labels at these positions. Labels that are texts are positions in the list of labels.
  Tensor at(const std::vector<std::size_t>& positions) const;
};

/// The attributes 'classlabels_strings' or 'classlabels_ints'. Refuses the node where neither states two labels or
/// more, or an integer is beyond 2^53.
ClassLabels class_labels(const Call& call);

}  // namespace tacit::graph::reference
