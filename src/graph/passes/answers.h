#pragma once

#include <cstddef>
#include <set>
#include <vector>

#include "graph/client_parts.h"

namespace tacit::graph::passes {

/// Largest error of a value that people read, a probability or a number, as a share of the values' range.
inline constexpr double kValueTolerance = 1e-3;

/// From this ratio on between their ranges, the elements of an output are numbers of their own, not scores.
inline constexpr double kUnlikeNumbers = 16;

/// Outputs of more elements are read as a whole, like pictures.
inline constexpr std::size_t kMostNumbers = 64;

/// The numbers of several tensors, in order: those that are decrypted, or scores.
using Numbers = std::vector<std::vector<double>>;

/// What a network of calibration samples answers, and how far its outputs may move before it answers otherwise. Every
/// output has scores: the output itself or, where the client pools it or mixes its elements, what comes out of the last
/// such operator. Several scores answer by the largest one; a single number behind a sigmoid by its sign; any other
/// single number is an answer itself. Whatever the kind, scores must keep 1/16 of their range. What the client makes of
/// scores and shows as real numbers (probabilities), and single numbers, must keep kValueTolerance of their range.
/// Elements that the client only moves are numbers if they are kMostNumbers at most and their ranges differ by
/// kUnlikeNumbers or more. Then each element must keep kValueTolerance of its range.
class Answers {
 public:
  /// `client` computes the model's outputs; exact[s][o] is the tensor of output o of the encrypted part for sample s.
  /// Samples that lie `far` (by sample; none where empty) say nothing of the ranges that errors are shares of.
  Answers(const ClientParts& client, std::vector<Numbers> exact, std::vector<char> far = {});

  std::size_t samples() const { return exact_.size(); }
  /// True if people read values, which errors change little by little, and not only the largest of several scores.
  bool shows_values() const;
  /// The share of the way to another answer that outputs with errors have gone: 0 where they are exact, 1 where the
  /// answer is about to change or an output is off by what it may be, above 1 behind that.
  double used_margin(std::size_t sample, const Numbers& outputs) const;
  /// The share of answers that errors are expected to change for inputs not seen: every sample's errors are tried on
  /// every sample's answer. Few samples lie near another answer, and their own errors may be small by chance.
  double changed_share(const std::vector<Numbers>& outputs) const;
  /// The largest deviation of noise in every output that answers allow: twelve deviations keep every answer that the
  /// given outputs (by sample and output) keep at twice their error, one is a 1024th of the output's range, and eight
  /// change no value by more than it may.
  std::vector<double> allowed_noise(const std::vector<Numbers>& outputs) const;

 private:
  enum class Kind { largest, sign, number, numbers };
  struct Rule {
    Kind kind;
    double allowed;              ///< error of any score
    double range;                ///< of the exact scores; of numbers of their own, the widest range of one
    std::vector<double> each{};  ///< numbers of their own: the error that each allows
    double gain =
        1;  ///< largest move of a score seen where all numbers of the output move by one, up or in turns; at least 1
  };
  struct Value {
    std::size_t output;  ///< of the model
    double range;        ///< over the samples
  };
  /// By element of the scores of an output.
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
  /// By how much the worst value of any sample moves, as a share of its range, for a step of an encrypted output. A
  /// sample that happens to lie where values hardly move says nothing of inputs not seen: all are judged by the worst.
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
