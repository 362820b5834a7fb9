#pragma once

#include <map>
#include <optional>
#include <vector>

#include "graph/graph.h"

namespace tacit::graph::passes {

/// Finds tensors whose elements are q |x|² + w·x + c of one tensor x, with constant q, w and c: squared distances from
/// constant rows are written like this by converters.
class DistanceForms {
 public:
  explicit DistanceForms(const Graph& graph);
  /// A bound below all elements of a tensor for every x; none for a tensor of another form, or with q <= 0. Distances
  /// from rows have 0, up to the rounding of their constants.
  std::optional<double> least(TensorId id) const;

 private:
  /// The elements of one tensor.
  struct Form {
    TensorId base = kNoTensor;
    double squares = 0;               ///< q
    std::size_t extent = 0;           ///< elements of x
    std::vector<double> slopes{};     ///< w, an element's after the other; empty where all are 0
    std::vector<double> constants{};  ///< c, one an element
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
