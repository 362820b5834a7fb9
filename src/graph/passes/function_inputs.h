#pragma once

#include <cstddef>
#include <vector>

#include "graph/passes/clear_network.h"
#include "graph/passes/network.h"

namespace tacit::graph::passes {

/// What the functions of a network read on samples: of each some 2^17 numbers, or all where there are fewer, evenly
/// over samples and elements, for neighbours may be alike. They are noted before elements are stretched.
class FunctionInputs {
 public:
  FunctionInputs() = default;
  FunctionInputs(const Network& network, std::size_t samples);

  /// Notes a block, if a function reads its value. Thread safe for different blocks.
  void note(const SampleRun::BlockOfValue& block);
  /// Of a function, over [lowest, highest], with its input as it is stretched in `network`; of an interval around 0
  /// with a parity, mirrored. Empty where nothing was noted.
  approximate::Histogram histogram(const Network& network, const Function& function) const;

 private:
  struct Numbers {
    std::size_t all_elements = 0, elements = 0, samples = 0;  ///< of the value; of them and of all samples, those noted
    std::vector<double> noted;                                ///< [sample][element]
    /// The i-th that is noted of a sample: evenly spread, and others of every sample.
    std::size_t element(std::size_t sample, std::size_t i) const {
      constexpr std::size_t kShift = 7919;  // a prime
      return (i * all_elements + sample * kShift % all_elements) / elements;
    }
  };
  std::size_t all_samples_ = 0;
  std::vector<Numbers> of_;  ///< by value; no elements where no function reads it
};

}  // namespace tacit::graph::passes
