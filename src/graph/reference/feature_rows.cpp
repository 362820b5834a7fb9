#include "graph/reference/feature_rows.h"

#include <fmt/format.h>

namespace tacit::graph::reference {

FeatureRows feature_rows(const Call& call) {
  const Tensor& input = call.input(0);
  const Shape& shape = input.shape;
  if (shape.empty() || shape.size() > 2 || shape.back() == 0)
    call.refuse(fmt::format("the input must be [batch, features], not {}", to_text(shape)));
  return {shape.size() == 1 ? 1 : shape[0], shape.back(), input.data.data()};
}

}  // namespace tacit::graph::reference
