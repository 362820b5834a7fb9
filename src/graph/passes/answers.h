#pragma once

#include <cstddef>
#include <set>
#include <vector>

#include "graph/client_parts.h"

namespace tacit::graph::passes {

/// The largest error of a value that people read (a probability or a number), as a share of the values' range.
inline constexpr double kValueTolerance = 1e-3;

/// The ratio between the ranges of an output's elements from which they are separate numbers, not scores.
inline constexpr double kUnlikeNumbers = 16;

/// The most elements of an output whose elements may be separate numbers. A larger output is read as a whole, like a
/// picture.
inline constexpr std::size_t kMostNumbers = 64;

/// The numbers of several tensors, in order. The tensors are decrypted ones, or scores.
using Numbers = std::vector<std::vector<double>>;

/// The answers of a network to calibration samples, and how far its outputs may move before an answer changes.
///
/// Every output has scores. The scores are the output itself, unless the client pools it or mixes its elements. Then
/// they are the result of the last such operator. The scores answer in one of these ways:
/// - Several scores answer by the largest one.
/// - A single number answers by its sign if the client applies a sigmoid, a sign, a comparison or the vote of a linear
///   classifier to it.
/// - Any other single number is the answer itself, and must keep kValueTolerance of its range.
/// - Elements that the client only moves are separate numbers if there are at most kMostNumbers and their ranges differ
///   by kUnlikeNumbers or more. Each element must then keep kValueTolerance of its range.
///
/// In the first two cases, scores must keep 1/16 of their range. Real numbers that the client computes from scores and
/// shows (probabilities) must keep kValueTolerance of their range.
class Answers {
 public:
  /// `client` computes the model's outputs. exact[s][o] is the tensor of output o of the encrypted part for sample s.
  /// Samples that are `far` (by sample; none if empty) are left out of the ranges that errors are compared with.
  Answers(const ClientParts& client, std::vector<Numbers> exact, std::vector<char> far = {});

  std::size_t samples() const { return exact_.size(); }
  /// True if people read values, which errors change gradually, and not only labels.
  bool shows_values() const;
  /// Returns error / margin. It is 0 for exact outputs, and 1 when an answer is about to change or an output is off by
  /// its allowance. It is above 1 beyond that.
  double used_margin(std::size_t sample, const Numbers& outputs) const;
  /// Returns the share of answers that errors are expected to change for inputs not seen. The errors of every sample
  /// are tried on the answer of every sample. Few samples are near another answer, and their own errors may be small by
  /// chance.
  double changed_share(const std::vector<Numbers>& outputs) const;
  /// Returns the largest error of any sample, as a share of the range of what is off: values that people read, and
  /// scores if nothing else is read. It is infinite if an output is not finite. Numbers that do not vary are left out.
  double largest_error(const std::vector<Numbers>& outputs) const;
  /// Returns the largest deviation of noise in every output that answers allow. `outputs` are by sample and output.
  /// Three rules hold:
  /// - Twelve deviations keep every answer that the given outputs keep at twice their error.
  /// - One deviation is at most a 1024th of the output's range.
  /// - Eight deviations change no value by more than its allowance.
  std::vector<double> allowed_noise(const std::vector<Numbers>& outputs) const;

 private:
  enum class Kind { largest, sign, number, numbers };
  struct Rule {
    Kind kind;
    double allowed;              ///< allowed error of any score
    double range;                ///< range of the exact scores; of separate numbers, the widest range of one
    std::vector<double> each{};  ///< allowed error of each separate number
    double gain = 1;             ///< largest move of a score per move of all numbers (up or in turns); at least 1
  };
  struct Value {
    std::size_t output;  ///< position among the model's outputs
    double range;        ///< range over the samples
  };
  /// Returns the ranges of the scores of an output, by element.
  std::vector<double> ranges_of_elements(std::size_t output) const;
  /// Returns the scores, tensors of `client_.after`.
  std::vector<TensorId> find_scores();
  const std::vector<Numbers>& exact_scores() const { return scores_are_outputs_ ? exact_ : exact_scores_; }
  void find_values();
  Numbers scores_of(const Numbers& outputs) const;
  double used_margin_of_scores(std::size_t sample, const Numbers& scores) const;
  double value_margin(std::size_t sample, const Numbers& outputs) const;
  /// Calls `found` with `part` of samples whose numbers of one output move by `step`, up and down in turns or all up.
  template <class Found>
  void probe(const ClientParts& part, std::size_t output, double step, bool in_turns, const Found& found) const;
  /// Returns how far the worst value of any sample moves, as a share of its range, for a step of an encrypted output.
  /// Some samples are at a place where values hardly move, and say nothing of inputs not seen. So the worst sample
  /// decides.
  double sensitivity(std::size_t output, double step) const;

  bool is_ordinary(std::size_t sample) const { return far_.empty() || far_[sample] == 0; }

  ClientParts client_;
  std::vector<char> far_;          // by sample, or none
  ClientParts to_scores_;          // the client's part up to the scores
  std::set<TensorId> on_the_way_;  // the tensors of `client_.after` up to the scores
  bool scores_are_outputs_ = true;
  std::vector<Numbers> exact_;                     // outputs by sample
  std::vector<Numbers> exact_scores_;              // none where they are the outputs
  std::vector<Rule> rules_;                        // by output
  std::vector<Value> values_;                      // that people read
  std::vector<double> sensitivities_;              // of the values to every output, or none
  std::vector<std::vector<Tensor>> exact_values_;  // the model's outputs, by sample
};

}  // namespace tacit::graph::passes
