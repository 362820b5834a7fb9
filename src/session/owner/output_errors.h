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

/// How the elements of an output are read. It says when a row agrees, and what an error is compared with.
enum class OutputKind {
  scores,         ///< the largest one answers: a classifier's
  probability,    ///< one number: above one half or not
  numbers,        ///< each element is an answer: a regressor's targets
  open,           ///< several reals, and the graph does not tell whether they are scores or numbers
  whole_numbers,  ///< integers and labels
  texts,          ///< labels
};
std::string_view name(OutputKind kind);

/// What an error is a share of.
enum class ErrorMeasure {
  range,      ///< the range of the exact values of this target over all rows
  one,        ///< 1: probabilities
  magnitude,  ///< the largest exact magnitude, where the exact values do not vary
  elements,   ///< all elements: the share of whole numbers or texts that differ
};
std::string_view name(ErrorMeasure measure);

/// An output of a model, as far as its errors are concerned.
struct OutputForm {
  std::string name;
  OutputKind kind = OutputKind::open;
  std::size_t elements = 1;
  bool of_one = false;  ///< the model makes probabilities: errors are a share of 1
};

/// The outputs of a graph, in order. Kinds follow from the operators behind an output: Softmax, ZipMap and classifiers
/// make scores, regressors make numbers, reals beside a label are scores, and a single real is a number.
std::vector<OutputForm> output_forms(const graph::Graph& graph);

/// Elements of an output up to which each of them is a target of its own. An output with more is one target.
inline constexpr std::size_t kMostTargets = 16;

/// How far the answers of one target are off. Shares are of what `OutputError::measure` says.
struct TargetError {
  double largest = 0, mean = 0;
  double lowest = 0, highest = 0;  ///< exact values that are finite; 0 where there are none
};

/// How far the answers of one output are off.
struct OutputError {
  std::string name;
  OutputKind kind = OutputKind::open;
  ErrorMeasure measure = ErrorMeasure::range;
  double largest = 0, mean = 0;        ///< of the target with the largest error; infinite where an infinity differs
  std::int64_t nan = 0;                ///< elements that are NaN where the exact answer is not
  std::int64_t mismatches = 0;         ///< elements that differ: whole numbers, texts, infinities
  std::int64_t agreeing = 0;           ///< rows
  std::vector<TargetError> targets{};  ///< of 2 to kMostTargets reals; empty otherwise
};

/// Compares rows of answers with exact ones, output by output.
class OutputErrors {
 public:
  explicit OutputErrors(std::vector<OutputForm> forms);

  /// Why a row has no answer: the first element that is NaN where the exact one is not. Counts all such elements. A row
  /// that has some is not to be added.
  std::optional<std::string> nan_in(std::span<const graph::Tensor> answers, std::span<const graph::Tensor> exact);
  /// One row, with a tensor for each output.
  void add(std::span<const graph::Tensor> answers, std::span<const graph::Tensor> exact);

  std::size_t rows() const { return rows_; }
  /// True if every output agrees in a row.
  /// - Whole numbers and texts agree if they are equal.
  /// - Scores, and reals of unknown kind, agree if the same element is the largest.
  /// - A probability agrees if it is on the same side of one half.
  /// - Numbers agree if each is within 1 % of the range of its target over all rows added so far. Where a target does
  ///   not vary, the 1 % is of its magnitude.
  /// - NaN agrees with NaN, and an infinity with the same infinity.
  bool agrees(std::size_t row) const;
  /// The account of all rows added so far, in the order of the outputs.
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
    bool probabilities = true;  ///< so far: every row is of at least 2 numbers from 0 on that sum to 1
    std::int64_t elements = 0, nan = 0, mismatches = 0;
    std::vector<char> same{};  ///< by row: labels and the largest score are equal, infinities and NaN are alike
    std::vector<std::vector<double>> off{};  ///< of numbers, by row: the largest |answer - exact| of every target
  };
  static void add_reals(Output& output, std::span<const double> answers, std::span<const double> exact);
  static ErrorMeasure measure_of(const Output& output);
  /// What errors of a target are a share of.
  static double unit_of(const Output& output, const Target& target);
  bool agrees(const Output& output, std::size_t row) const;

  std::vector<Output> outputs_;
  std::size_t rows_ = 0;
};

}  // namespace tacit::session
