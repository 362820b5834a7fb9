#pragma once

#include <vector>

#include "graph/graph.h"

namespace tacit::graph::passes {

/// What a network of calibration samples answers, and how far its outputs may move before it answers otherwise. An
/// output of several numbers answers by the largest one; a single number behind a sigmoid by its sign; any other single
/// number is an answer itself, within 1 % of the range of the answers. Whatever the kind, an output must keep 1/16 of
/// its range.
class Answers {
 public:
  /// `after` is what the client computes from the outputs of the encrypted part; exact[s][o] is the tensor of output o
  /// for sample s.
  Answers(const Graph& after, std::vector<std::vector<std::vector<double>>> exact);

  std::size_t samples() const { return exact_.size(); }
  /// The share of the way to another answer that outputs with errors have gone: 0 where they are exact, 1 where the
  /// answer is about to change or an output is off by what it may be, above 1 behind that.
  double used_margin(std::size_t sample, const std::vector<std::vector<double>>& outputs) const;
  /// The largest deviation of noise in every output that answers allow: twelve deviations keep every answer that the
  /// given outputs (by sample and output) keep at twice their error, and one is a 1024th of the output's range.
  std::vector<double> allowed_noise(const std::vector<std::vector<std::vector<double>>>& outputs) const;

 private:
  enum class Kind { largest, sign, number };
  struct Rule {
    Kind kind;
    double allowed;  ///< error of any number
    double range;    ///< of the exact numbers
  };
  std::vector<std::vector<std::vector<double>>> exact_;
  std::vector<Rule> rules_;  // by output
};

}  // namespace tacit::graph::passes
