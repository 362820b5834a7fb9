#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "graph/approximate/fit.h"
#include "graph/approximate/parity.h"
#include "graph/graph.h"
#include "graph/passes/scalar_function.h"
#include "graph/range.h"
#include "graph/tree_ensemble.h"
#include "layout/linear_operator.h"
#include "layout/repeated_reals.h"
#include "layout/sharding/array_sharding.h"

namespace tacit::graph::passes {

/// Index of a value of a network.
using ValueId = std::uint32_t;

/// A private input of the graph, by its position in Graph::inputs, in units that the client applies.
struct Private {
  std::size_t input = 0;
  std::vector<double> units{};  ///< value = unit * element, one per element; empty = all 1
};

/// sum over terms of op(input) + bias.
struct AffineTerm {
  ValueId input = 0;
  layout::LinearOperatorPtr op;
};
struct Affine {
  std::vector<AffineTerm> terms;
  layout::RepeatedReals bias{0};  ///< by element
};

/// A function applied element by element. Its series on [-1, 1] is empty until fit_functions.
struct Function {
  ValueId input = 0;
  ScalarFunction function;
  double lowest = 0, highest = 0;                          ///< interval of the input, margin included
  approximate::Parity parity = approximate::Parity::none;  ///< on an interval around 0
  approximate::Histogram histogram{};                      ///< of the inputs, over [lowest, highest]
  std::vector<double> coefficients{};
};

/// Element-wise product of two values of the same shape.
struct Product {
  ValueId left = 0, right = 0;
};

/// The scores of an ensemble of decision trees. Programs on integers have a form of it.
struct Trees {
  ValueId input = 0;
  std::shared_ptr<const TreeEnsemble> ensemble;
};

/// A value with its levels given back by a bootstrap; lowering places them.
struct Refresh {
  ValueId input = 0;
  bool folded = false;  ///< what reads it takes in the arcsine
  int from_level = 0;   ///< of the input
};

/// One value: what makes it, and what is known about it.
struct Value {
  std::variant<Private, Affine, Function, Product, Refresh, Trees> operation;
  Shape shape;
  std::string node;  ///< the graph node it came from
  std::string op;    ///< that node's operator, for people
  Range range;       ///< of the elements over the calibration data, or by interval arithmetic
  /// Of every element, for private inputs, outputs, and inputs of functions and products; may be empty.
  std::vector<Range> element_ranges{};
  TensorId tensor = kNoTensor;  ///< of the graph, whose elements these are in row-major order; none: an intermediate
  layout::RepeatedReals stretch{1};  ///< what each element is times the tensor's
  /// What every element of a function's input may reach by the errors of the series before; empty = not known.
  std::vector<Range> reached{};
  /// How elements lie in blocks over ciphertexts where an annotation says so; none: as the search likes. The same for
  /// all values that functions and products tie together.
  std::optional<layout::ArraySharding> sharding{};
  /// What annotations of other operators suggest: the search may take one.
  std::vector<layout::ArraySharding> offered{};
  /// Mean of every element over the calibration data, where all elements are told apart; empty otherwise.
  std::vector<double> element_means{};
};

/// What the passes work on: the encrypted part of a model as affine maps, functions and products, in topological order.
struct Network {
  std::vector<Value> values;
  std::vector<ValueId> outputs;

  ValueId add(Value value) {
    values.push_back(std::move(value));
    return static_cast<ValueId>(values.size() - 1);
  }
  /// How many operands and outputs refer to each value.
  std::vector<int> uses() const;
};

/// The values that an operation reads, in order.
std::vector<ValueId> operands(const Value& value);
/// The network without the values that no output depends on; private inputs stay.
Network without_unread(const Network& network);
/// Drops the ranges of elements but those of private inputs and of outputs: they are as large as values, and nothing
/// reads them once functions have their intervals and elements their stretch.
void forget_element_ranges(Network& network);
/// The same value with its operands renamed.
Value renamed(const Value& value, const std::vector<ValueId>& names);

/// Level of every value if levels are given low first: outputs at 0, and every value at the highest that a reader
/// needs.
std::vector<int> levels_of(const Network& network);
/// Levels that the operation of a value takes, 0 for an input or a refresh; functions have their series.
int depth_of_value(const Value& value);
/// Levels that the functions, products and affine values of the deepest path consume, functions with series at their
/// series' degree.
int depth_of(const Network& network);

}  // namespace tacit::graph::passes
