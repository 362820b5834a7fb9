#pragma once

#include <functional>
#include <span>
#include <vector>

#include "graph/passes/network.h"

namespace tacit::graph::passes {

/// Whether functions are evaluated exactly, or by their series where they have one.
enum class Functions { exact, by_series };

/// The numbers of every value of a network on one input (one tensor per private input, row-major).
/// Throws InputError if the input does not have the model's shapes.
std::vector<std::vector<double>> evaluate(const Network& network, const std::vector<Tensor>& inputs,
                                          Functions functions = Functions::exact);

/// The numbers of a network's values on one of several samples.
class SampleNumbers {
 public:
  /// blocks[id][e * lanes + lane]: element e of value id.
  SampleNumbers(std::span<const std::vector<double>> blocks, std::size_t lanes, std::size_t lane)
      : blocks_(blocks), lanes_(lanes), lane_(lane) {}

  std::size_t values() const { return blocks_.size(); }
  /// Of one value, in row-major order.
  std::vector<double> of(ValueId id) const;
  /// Of several, by their position in the list.
  std::vector<std::vector<double>> of(std::span<const ValueId> ids) const;

 private:
  std::span<const std::vector<double>> blocks_;
  std::size_t lanes_, lane_;
};

/// As `evaluate` for every sample, several of them side by side and on all threads: body(sample, its numbers) on any thread
/// and in any order. No further samples are evaluated once a body has returned false.
void evaluate_each(const Network& network, std::span<const std::vector<Tensor>> samples, Functions functions,
                   const std::function<bool(std::size_t sample, const SampleNumbers& numbers)>& body);

}  // namespace tacit::graph::passes
