#pragma once

#include <map>
#include <optional>
#include <vector>

#include "graph/graph.h"

namespace tacit::graph::passes {

/// Finds tensors whose elements are q |x|² + w·x + c of one tensor x, with constant q, w and c. Converters write
/// squared distances from constant rows in this form.
class DistanceForms {
 public:
  explicit DistanceForms(const Graph& graph);
  /// Returns a lower bound of all elements of a tensor for every x. None if the tensor has another form, or if q <= 0.
  /// The bound of distances from rows is 0, up to the rounding of their constants.
  std::optional<double> least(TensorId id) const;

 private:
  /// The elements of one tensor.
  struct Form {
    TensorId base = kNoTensor;
    double squares = 0;               ///< q
    std::size_t extent = 0;           ///< elements of x
    std::vector<double> slopes{};     ///< w, one element after the other; empty if all are 0
    std::vector<double> constants{};  ///< c, one per element
  };

  void visit(const Node& node);
  std::optional<Form> form_of(const Node& node) const;
  std::optional<Form> product_with_constants(const Node& node) const;
  std::optional<Form> operand(TensorId id, std::size_t elements) const;
  std::optional<Form> sum(TensorId a, TensorId b, double sign, std::size_t elements) const;
  std::size_t elements(TensorId id) const;

  const Graph& graph_;
  std::map<TensorId, Form> forms_;
  std::map<TensorId, TensorId> squared_;  ///< by tensor of squares, the tensor that is squared
};

}  // namespace tacit::graph::passes
