#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "graph/graph.h"
#include "session/owner/output_errors.h"

namespace tacit::session {

/// The way to read the answer of a network from its numbers.
enum class AnswerKind {
  argmax,       ///< several scores: the class of the largest one
  label,        ///< the class, computed by the network
  probability,  ///< one number from a sigmoid or a linear classifier: above one half or not
  regression,   ///< one number: the number itself
};
std::string_view answer_kind_name(AnswerKind kind);

/// The output that answers, and the way to read it. The output with the most elements answers: of a label and scores,
/// the scores.
struct Question {
  std::size_t output = 0;  ///< index into graph.outputs
  AnswerKind kind = AnswerKind::argmax;
  std::vector<double> labels;  ///< labels of the classes, if the model names them by other numbers than 0, 1, 2 …
};
Question question_of(const graph::Graph& graph);

/// Returns the answer in the numbers of one output: a class label, 0 or 1, or the number itself. Returns NaN, which
/// agrees with nothing, if a number is not finite.
double answer(const Question& question, std::span<const double> values);

/// Compares encrypted answers with plaintext answers and with the truth.
class Scoreboard {
 public:
  /// Compares only the output that answers the question.
  explicit Scoreboard(Question question) : question_(std::move(question)) {}
  /// Compares every output of a graph.
  explicit Scoreboard(const graph::Graph& graph) : question_(question_of(graph)), errors_(output_forms(graph)) {}

  /// Adds the numbers of question.output for one input. Labels are given for all inputs or for none.
  void add(std::span<const double> encrypted, std::span<const double> plain, std::optional<double> label);
  /// Adds all outputs for one input.
  void add(std::span<const graph::Tensor> encrypted, std::span<const graph::Tensor> plain, std::optional<double> label);
  /// Returns OutputErrors::nan_in of an input's outputs: the reason that it has no answer.
  std::optional<std::string> nan_in(std::span<const graph::Tensor> encrypted, std::span<const graph::Tensor> plain) {
    return errors_ ? errors_->nan_in(encrypted, plain) : std::nullopt;
  }
  /// Returns the errors by output; empty if only the question's output is compared.
  std::vector<OutputError> outputs() const { return errors_ ? errors_->account() : std::vector<OutputError>{}; }

  /// Counts an input without an encrypted answer. Either a value left the interval that it was compiled for, or the
  /// model cannot take the input, or the answer is no number.
  void miss(std::int64_t input) { missed_.push_back(input); }
  const std::vector<std::int64_t>& missed() const { return missed_; }
  std::int64_t misses() const { return static_cast<std::int64_t>(missed_.size()); }
  std::size_t answered() const { return encrypted_.size(); }

  /// The number of inputs, including those without an answer.
  std::int64_t images() const { return static_cast<std::int64_t>(encrypted_.size()) + misses(); }
  /// True if an input has the plaintext's answer in every output (OutputErrors::agrees). If only the question's output
  /// is compared, a regression agrees within 1 % of a range. It is the range of the plaintext's answers over all inputs
  /// so far, or the answer itself if they are all equal.
  bool agrees(std::size_t index) const;
  /// The share of inputs that agree. An input without an answer does not agree.
  double agreement() const;
  /// The share of answered inputs whose answer is the label. For a regression, the coefficient of determination R2.
  /// There is none without labels, and for a regression with labels that do not vary.
  std::optional<double> accuracy_encrypted() const { return accuracy(encrypted_); }
  std::optional<double> accuracy_plain() const { return accuracy(plain_); }
  /// The largest |encrypted - plaintext| over all numbers of the output.
  double max_abs_error() const { return max_abs_error_; }
  double encrypted_answer(std::size_t index) const { return encrypted_.at(index); }
  double plain_answer(std::size_t index) const { return plain_.at(index); }
  const Question& question() const { return question_; }

 private:
  std::optional<double> accuracy(const std::vector<double>& answers) const;

  Question question_;
  std::optional<OutputErrors> errors_{};
  std::vector<double> encrypted_, plain_, labels_;
  double max_abs_error_ = 0;
  std::vector<std::int64_t> missed_;
};

}  // namespace tacit::session
