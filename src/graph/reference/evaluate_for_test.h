#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "base/refusal_for_test.h"
#include "graph/reference/run.h"

namespace tacit::graph::reference {

/// For tests: tensors, and single operators evaluated on them.

using Attributes = std::map<std::string, Attribute>;
using Integers = std::vector<std::int64_t>;
using Reals = std::vector<double>;
using Texts = std::vector<std::string>;

inline Tensor reals(Shape shape, std::vector<double> data) { return {std::move(shape), std::move(data), false, {}}; }
inline Tensor integers(Shape shape, std::vector<double> data) { return {std::move(shape), std::move(data), true, {}}; }
inline Tensor integers(std::vector<double> data) {
  return {{static_cast<std::int64_t>(data.size())}, std::move(data), true, {}};
}

/// A vector of texts, each of which stands in the dictionary for itself.
inline Tensor texts(const Texts& values) {
  Tensor tensor{{static_cast<std::int64_t>(values.size())}, {}, true, values};
  for (std::size_t i = 0; i < values.size(); ++i) tensor.data.push_back(static_cast<double>(i));
  return tensor;
}

/// What the elements of a tensor of texts stand for.
inline Texts read(const Tensor& tensor) {
  Texts result;
  for (const double element : tensor.data) result.push_back(tensor.texts.at(static_cast<std::size_t>(element)));
  return result;
}

/// Evaluates one operator. `outputs` is how many outputs the node asks for.
inline std::vector<Tensor> all_of(const std::string& op, const std::vector<Tensor>& inputs, Attributes attributes = {},
                                  std::size_t outputs = 1) {
  Node node{op, "n", {}, std::vector<TensorId>(outputs, 0), std::move(attributes)};
  std::vector<const Tensor*> arguments;
  for (const Tensor& input : inputs) arguments.push_back(&input);
  return evaluate(Graph{}, node, arguments);
}

inline Tensor only(const std::string& op, const std::vector<Tensor>& inputs, Attributes attributes = {}) {
  return all_of(op, inputs, std::move(attributes)).at(0);
}

/// The message of a refusal.
inline std::string refusal(const std::string& op, const std::vector<Tensor>& inputs, Attributes attributes = {}) {
  return base::refusal([&] { all_of(op, inputs, std::move(attributes)); });
}

inline auto near(const std::vector<double>& expected) {
  return testing::Pointwise(testing::DoubleNear(1e-12), expected);
}

/// For expected values that another program worked out in float32.
inline auto close(const std::vector<double>& expected) {
  return testing::Pointwise(testing::DoubleNear(5e-6), expected);
}

}  // namespace tacit::graph::reference
