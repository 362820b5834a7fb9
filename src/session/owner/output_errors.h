#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "graph/graph.h"

namespace tacit::session {

/// The way to read the elements of an output. It decides when a row agrees, and the unit of errors.
enum class OutputKind {
  scores,         ///< the largest one answers: outputs of a classifier
  probability,    ///< one number: above one half or not
  numbers,        ///< each element is an answer: targets of a regressor
  open,           ///< several reals that may be scores or numbers, because the graph does not decide it
  whole_numbers,  ///< integers and labels
  texts,          ///< labels
};
std::string_view name(OutputKind kind);

/// The unit of an error, which is a share of it.
enum class ErrorMeasure {
  range,      ///< range of the exact values of this target over all rows
  one,        ///< 1: probabilities
  magnitude,  ///< largest exact magnitude, if the exact values do not vary
  elements,   ///< all elements: the error is the share of whole numbers or texts that differ
};
std::string_view name(ErrorMeasure measure);

/// The facts about an output that concern its errors.
struct OutputForm {
  std::string name;
  OutputKind kind = OutputKind::open;
  std::size_t elements = 1;
  bool of_one = false;  ///< the model makes probabilities: errors are shares of 1
};

/// Returns the outputs of a graph, in order. Kinds follow from the operators that make an output:
/// - Softmax, ZipMap and classifiers make scores;
/// - regressors make numbers;
/// - reals next to a label are scores;
/// - a single real is a number.
std::vector<OutputForm> output_forms(const graph::Graph& graph);

/// The most elements of an output at which each element is a separate target. An output with more is one target.
inline constexpr std::size_t kMostTargets = 64;

/// The errors of one target, as shares of the unit that `OutputError::measure` names.
struct TargetError {
  double largest = 0, mean = 0;
  double lowest = 0, highest = 0;  ///< finite exact values; 0 if there are none
};

/// The errors of one output.
struct OutputError {
  std::string name;
  OutputKind kind = OutputKind::open;
  ErrorMeasure measure = ErrorMeasure::range;
  double largest = 0, mean = 0;        ///< of the target with the largest error; infinite if an infinity differs
  std::int64_t nan = 0;                ///< elements that are NaN although the exact answer is not
  std::int64_t mismatches = 0;         ///< elements that differ: whole numbers, texts, infinities
  std::int64_t agreeing = 0;           ///< rows
  std::vector<TargetError> targets{};  ///< of 2 to kMostTargets reals; empty otherwise
};

/// Compares rows of answers with exact ones, output by output.
class OutputErrors {
 public:
  explicit OutputErrors(std::vector<OutputForm> forms);

  /// Returns the reason that a row has no answer: the first element that is NaN although the exact one is not. Counts
  /// all such elements. Do not add a row that has any.
  std::optional<std::string> nan_in(std::span<const graph::Tensor> answers, std::span<const graph::Tensor> exact);
  /// Adds one row, with a tensor for each output.
  void add(std::span<const graph::Tensor> answers, std::span<const graph::Tensor> exact);

  std::size_t rows() const { return rows_; }
  /// True if every output agrees in a row.
  /// - Whole numbers and texts agree if they are equal.
  /// - Scores, and reals of unknown kind, agree if the same element is the largest.
  /// - A probability agrees if it is on the same side of one half.
  /// - Numbers agree if each is within 1 % of the range of its target over all rows added so far. If a target does not
  ///   vary, the 1 % is of its magnitude.
  /// - NaN agrees with NaN, and an infinity with the same infinity.
  bool agrees(std::size_t row) const;
  /// Returns the errors of all rows added so far, in the order of the outputs.
  std::vector<OutputError> account() const;

 private:
  struct Target {
    double lowest = std::numeric_limits<double>::infinity(), highest = -lowest;  ///< of exact values
    double largest = 0, sum = 0;                                                 ///< of |answer - exact|
    std::int64_t count = 0;
  };
  struct Output {
    OutputForm form;
    std::vector<Target> targets;
    bool probabilities = true;  ///< so far, every row has at least 2 numbers >= 0 that sum to 1
    std::int64_t elements = 0, nan = 0, mismatches = 0;
    std::vector<char> same{};  ///< by row: labels and the largest score are equal, infinities and NaN agree
    std::vector<std::vector<double>> off{};  ///< for numbers, by row: the largest |answer - exact| of every target
  };
  static void add_reals(Output& output, std::span<const double> answers, std::span<const double> exact);
  static ErrorMeasure measure_of(const Output& output);
  /// Returns the unit of a target's errors.
  static double unit_of(const Output& output, const Target& target);
  bool agrees(const Output& output, std::size_t row) const;

  std::vector<Output> outputs_;
  std::size_t rows_ = 0;
};

}  // namespace tacit::session
