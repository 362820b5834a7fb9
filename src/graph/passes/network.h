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
#include "params/lookup_schedule.h"

namespace tacit::graph::passes {

/// Index of a value of a network.
using ValueId = std::uint32_t;

/// A private input of the graph, by its position in Graph::inputs. The client applies its units.
struct Private {
  std::size_t input = 0;
  std::vector<double> units{};  ///< value = unit * element, one per element; empty = all 1
};

/// One term op(input) of an affine value. The value is the sum of its terms plus a bias.
struct AffineTerm {
  ValueId input = 0;
  layout::LinearOperatorPtr op;
};
struct Affine {
  std::vector<AffineTerm> terms;
  layout::RepeatedReals bias{0};  ///< by element
};

/// A function applied to each element. Its series on [-1, 1] is empty until fit_functions.
struct Function {
  ValueId input = 0;
  ScalarFunction function;
  double lowest = 0, highest = 0;                          ///< interval of the input, margin included
  approximate::Parity parity = approximate::Parity::none;  ///< on an interval around 0
  approximate::Histogram histogram{};                      ///< histogram of the inputs, over [lowest, highest]
  std::vector<double> coefficients{};
};

/// The element-wise product of two values of the same shape.
struct Product {
  ValueId left = 0, right = 0;
};

/// The products of two stacks of matrices: result[s, i, j] = sum over k of left[s, i, k] * right[s, k, j], for every
/// sample of a batch. The result is row-major, samples outermost. The operands have any shapes: `Steps` says where
/// their elements are. MatMul and Gemm of two encrypted operands are contractions.
struct Contraction {
  ValueId left = 0, right = 0;
  std::int64_t stack = 1, rows = 1, inner = 1, columns = 1;  ///< the numbers of values of s, i, k and j
  /// The distances between neighbours in an operand: of matrices, of rows, of columns and of samples. Distance 0
  /// repeats a matrix.
  struct Steps {
    std::int64_t matrix = 0, row = 0, column = 0, sample = 0;
  };
  Steps left_steps{}, right_steps{};
  std::int64_t samples = 1;  ///< samples of a batch (batched.h)
  /// The levels beside that of the product: of the operands before it, and of the result after it. Lowering sets them
  /// (contraction_plan.h).
  int expansions = 2;
  /// How slots compute the products. Lowering sets it.
  enum class Form : std::uint8_t {
    rows_first,       ///< the slots of a result are its rows, and the columns of each
    columns_first,    ///< the slots of a result are its columns, and the rows of each
    shifted_columns,  ///< the slots of a product are the values of k, and of i for each; one product per j - i
    shifted_inner,    ///< the slots of a product are the columns, and the rows of each; one product per k - i
  };
  Form form = Form::rows_first;
};

/// The element-wise product of the parts of a value: result[s, i] = factor * product over p of input[s, p, i]. The
/// input has the shape [samples, parts, elements], and the result the shape [samples, elements]. With `summed`, the
/// elements of a sample are added up, and the result has the shape [samples, 1]. The numbers of all parts are about 1
/// or smaller. Only affine values are such an input, and nothing else reads them.
struct PartsProduct {
  ValueId input = 0;
  std::int64_t parts = 2;  ///< at least 2
  bool summed = false;
  double factor = 1;  ///< part of the client's unit: normalised networks have 1
};

/// The sums of products of ciphertexts of two values. Lowering adds these values, in place of contractions and of
/// products of parts.
struct SummedProduct {
  ValueId left = 0, right = 0;
  /// The ciphertexts that are multiplied: pair (p_0, p_1, ...) reads the ciphertexts at offset + the sums of p_d *
  /// strides[d].
  struct Pairs {
    std::vector<layout::Index> extents, left_strides, right_strides;
    layout::Index left_offset = 0, right_offset = 0;
    layout::Layout layout{};
  };
  Pairs pairs{};
  layout::Index terms = 1;            ///< number of consecutive pairs whose products are added up
  std::int64_t turn = 0;              ///< rotation of the right operand before it is multiplied
  std::vector<std::int64_t> steps{};  ///< rotations after which the sum is added to itself, one after the other
};

/// The scores of an ensemble of decision trees. Only programs on integers support them.
struct Trees {
  ValueId input = 0;
  std::shared_ptr<const TreeEnsemble> ensemble;
};

/// The entry of a table for every element. Lowering makes lookups of these values (graph/slots/tabulate.h). The
/// elements of the input are on the middles of the equal parts of an interval, as many as there are entries, for all
/// inputs of the model.
struct Tabulated {
  ValueId input = 0;
  std::vector<double> entries;
  double lowest = 0, highest = 0;  ///< interval of the input; normalised networks have [-1, 1]
  params::BootstrapForm form = params::BootstrapForm::half;
  int from_level = 0;  ///< level of the input. Lowering sets it.

  /// Returns the place of the entry that is nearest to a number.
  std::size_t nearest(double x) const;
};

/// A value after a bootstrap, which restores its levels. Lowering adds these values.
struct Refresh {
  ValueId input = 0;
  bool folded = false;  ///< the refresh leaves sin(x); the function that reads it includes the arcsine
  int from_level = 0;   ///< level of the input
};

/// One value: the operation that makes it, and its known properties.
struct Value {
  std::variant<Private, Affine, Function, Product, Refresh, Trees, Contraction, PartsProduct, SummedProduct, Tabulated>
      operation;
  Shape shape;
  std::string node;  ///< the graph node that it came from
  std::string op;    ///< the operator of that node, for people
  Range range;       ///< range of the elements over the calibration data, or by interval arithmetic
  /// The range of every element, for private inputs, outputs, and inputs of functions and products. May be empty.
  std::vector<Range> element_ranges{};
  TensorId tensor = kNoTensor;       ///< tensor of the graph with these elements, row-major; none: an intermediate
  layout::RepeatedReals stretch{1};  ///< ratio of each element to the tensor's element
  double step = 0;  ///< the tensor's elements are multiples of it, and the client rounds them to these; 0 if not known
  /// The range that every element of a function's input may reach by the errors of the series before. Empty if not
  /// known.
  std::vector<Range> reached{};
  /// The blocks in which elements are spread over ciphertexts, if an annotation states them. Without one, the search
  /// decides. The same for all values that functions and products tie together.
  std::optional<layout::ArraySharding> sharding{};
  /// Blocks that annotations of other operators suggest. The search may take one.
  std::vector<layout::ArraySharding> offered{};
  /// The mean of every element over the calibration data. Empty unless all elements have separate ranges.
  std::vector<double> element_means{};
};

/// The encrypted part of a model, as affine maps, functions and products in topological order. Passes work on it.
struct Network {
  std::vector<Value> values;
  std::vector<ValueId> outputs;

  ValueId add(Value value) {
    values.push_back(std::move(value));
    return static_cast<ValueId>(values.size() - 1);
  }
  /// Returns how many operands and outputs refer to each value.
  std::vector<int> uses() const;
};

/// Returns the values that an operation reads, in order.
std::vector<ValueId> operands(const Value& value);
/// Returns the network without the values that no output depends on. Private inputs stay.
Network without_unread(const Network& network);
/// Drops the ranges of elements except those of private inputs and of outputs. These ranges are as large as values.
/// Nothing reads them after functions have their intervals and elements their stretch.
void forget_element_ranges(Network& network);
/// Returns the same value with its operands renamed.
Value renamed(const Value& value, const std::vector<ValueId>& names);

/// Returns the level of every value if levels are as low as possible. Outputs are at 0, and every value at the highest
/// level that a reader needs.
std::vector<int> levels_of(const Network& network);
/// Returns the levels that the operation of a value takes: 0 for an input or a refresh. Functions must have their
/// series. A contraction takes one level and its expansions.
int depth_of_value(const Value& value);
/// Returns the levels that the functions, products and affine values of the deepest path take. A function with a series
/// takes the levels of the series' degree.
int depth_of(const Network& network);

}  // namespace tacit::graph::passes
