#pragma once

#include "graph/reference/operator_call.h"

namespace tacit::graph::reference {

/// The first input of an operator of ai.onnx.ml as rows of features; a vector is one row.
struct FeatureRows {
  std::int64_t count, features;
  const double* data;
  const double* row(std::int64_t index) const { return data + index * features; }
};

/// Refuses the node where the input has another rank or no feature.
FeatureRows feature_rows(const Call& call);

}  // namespace tacit::graph::reference
