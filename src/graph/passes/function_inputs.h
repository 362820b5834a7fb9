#pragma once

#include <cstddef>
#include <vector>

#include "graph/passes/clear_network.h"
#include "graph/passes/network.h"

namespace tacit::graph::passes {

/// A sample of the inputs of a network's functions. It holds about 2^17 numbers per function, or all if there are
/// fewer. They are evenly spread over samples and elements, because neighbours may be alike. They are noted before
/// elements are stretched.
class FunctionInputs {
 public:
  FunctionInputs() = default;
  FunctionInputs(const Network& network, std::size_t samples);

  /// Notes a block if a function reads its value. Thread safe for different blocks.
  void note(const SampleRun::BlockOfValue& block);
  /// Returns the histogram of a function's inputs over [lowest, highest], in the stretch that they have in `network`.
  /// If the function has a parity, the histogram is mirrored around 0. Empty if nothing was noted.
  approximate::Histogram histogram(const Network& network, const Function& function) const;

 private:
  struct Numbers {
    std::size_t all_elements = 0, elements = 0,
                samples = 0;    ///< elements of the value; noted elements and noted samples
    std::vector<double> noted;  ///< [sample][element]
    /// Returns the element that is noted as the i-th of a sample. The elements are evenly spread, and differ between
    /// samples.
    std::size_t element(std::size_t sample, std::size_t i) const {
      constexpr std::size_t kShift = 7919;  // a prime
      return (i * all_elements + sample * kShift % all_elements) / elements;
    }
  };
  std::size_t all_samples_ = 0;
  std::vector<Numbers> of_;  ///< by value; no elements if no function reads the value
};

}  // namespace tacit::graph::passes
