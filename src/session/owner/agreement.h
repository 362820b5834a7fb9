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

/// How the answer of a network is read from the numbers it returns.
enum class AnswerKind {
  argmax,       ///< several scores: the largest one's class
  label,        ///< the class itself, computed by the network
  probability,  ///< one number out of a sigmoid: above one half or not
  regression,   ///< one number: itself
};
std::string_view answer_kind_name(AnswerKind kind);

/// Which output answers and how. Where a network returns a label beside its scores, the scores answer.
struct Question {
  std::size_t output = 0;  ///< index into graph.outputs
  AnswerKind kind = AnswerKind::argmax;
  std::vector<double> labels;  ///< of the classes, where the model names them by other numbers than 0, 1, 2 …
};
Question question_of(const graph::Graph& graph);

/// The answer in the numbers of one output: a class label, 0 or 1, or the number itself; NaN, which agrees with
/// nothing, if one of them is not finite.
double answer(const Question& question, std::span<const double> values);

/// How encrypted answers compare with plaintext ones and with the truth.
class Scoreboard {
 public:
  /// Compares the output alone that answers the question.
  explicit Scoreboard(Question question) : question_(std::move(question)) {}
  /// Compares every output of a graph.
  explicit Scoreboard(const graph::Graph& graph) : question_(question_of(graph)), errors_(output_forms(graph)) {}

  /// The numbers of question.output for one input. Labels are given for all inputs or for none.
  void add(std::span<const double> encrypted, std::span<const double> plain, std::optional<double> label);
  /// All outputs for one input.
  void add(std::span<const graph::Tensor> encrypted, std::span<const graph::Tensor> plain, std::optional<double> label);
  /// OutputErrors::nan_in of an input's outputs: why it has no answer.
  std::optional<std::string> nan_in(std::span<const graph::Tensor> encrypted, std::span<const graph::Tensor> plain) {
    return errors_ ? errors_->nan_in(encrypted, plain) : std::nullopt;
  }
  /// By output; empty where the question's output alone is compared.
  std::vector<OutputError> outputs() const { return errors_ ? errors_->account() : std::vector<OutputError>{}; }

  /// An input without an encrypted answer: a value left the interval that it was compiled for, the model cannot take
  /// the input, or the answer is no number.
  void miss(std::int64_t input) { missed_.push_back(input); }
  const std::vector<std::int64_t>& missed() const { return missed_; }
  std::int64_t misses() const { return static_cast<std::int64_t>(missed_.size()); }
  std::size_t answered() const { return encrypted_.size(); }

  /// Inputs, those without an answer included.
  std::int64_t images() const { return static_cast<std::int64_t>(encrypted_.size()) + misses(); }
  /// True if an input has the plaintext's answer, in every output (OutputErrors::agrees). Where the question's output
  /// alone is compared, a regression agrees within 1 % of the range of the plaintext's answers over all inputs added so
  /// far (of the answer itself where they do not differ).
  bool agrees(std::size_t index) const;
  /// Share of inputs that agree; one without an answer does not.
  double agreement() const;
  /// Of the inputs that have an answer: the share whose answer is the label; for a regression the coefficient of
  /// determination R2. Nothing without labels, or for a regression whose labels do not vary.
  std::optional<double> accuracy_encrypted() const { return accuracy(encrypted_); }
  std::optional<double> accuracy_plain() const { return accuracy(plain_); }
  /// Largest |encrypted - plaintext| over every number of the output.
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
