#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "base/aligned.h"
#include "graph/passes/network.h"

namespace tacit::graph::passes {

/// How functions are evaluated: exactly, or by their series if they have one. A series gives NaN outside the interval
/// of its function, where runs refuse the input.
enum class Functions { exact, by_series };

/// Returns the numbers of every value of a network on one input (one tensor per private input, row-major).
std::vector<std::vector<double>> evaluate(const Network& network, const std::vector<Tensor>& inputs,
                                          Functions functions = Functions::exact);

/// The outputs of a network on samples, by sample and output.
using SampleOutputs = std::vector<std::vector<std::vector<double>>>;

/// The number of samples that are evaluated side by side. An entry of a matrix is loaded once for all of them, and
/// their sums do not wait for each other.
inline constexpr std::size_t kLanes = 16;

/// The numbers of one value for kLanes samples side by side: element e of sample i at [e * kLanes + i]. All readers
/// share the block.
using SampleBlock = std::shared_ptr<const base::AlignedVector<double>>;

/// Returns the numbers of one sample of a block, in row-major order.
std::vector<double> lane_of(std::span<const double> block, std::size_t lane);

/// Evaluates the function of this id: replaces its inputs by its results.
using FunctionReading = std::function<void(ValueId function, std::span<double> numbers)>;

/// Replaces every x by f(x), a few thousand at a time, so that the intermediate numbers of `f` stay in the caches.
void apply_in_place(const ScalarFunction& f, std::span<double> numbers);

/// As FunctionReading. `first_input` is the function's input in the other reading.
using SecondReading =
    std::function<void(ValueId function, std::span<double> numbers, std::span<const double> first_input)>;

/// Evaluates a network twice, by two readings, on 1 to kLanes samples side by side. The two evaluations run value by
/// value in step, on two threads. Lanes without a sample repeat the last one. Both readings are called in the order of
/// the values. A value is released after its last reader. Throws InputError as `evaluate`.
void evaluate_in_step(const Network& network, std::span<const std::vector<Tensor>> samples,
                      const FunctionReading& first, const SecondReading& second);

class BlockPools;

/// The values of a network on a set of samples. Evaluates several samples side by side and on all threads. Values are
/// kept if they take at most 256 MiB, so that the values before a change of the network are not evaluated again.
class SampleRun {
 public:
  /// All arguments must outlive this object.
  SampleRun(const Network& network, std::span<const std::vector<Tensor>> samples, Functions functions);

  /// One value of some samples side by side. There are kLanes lanes, and those past `samples` repeat the last sample.
  struct BlockOfValue {
    std::size_t first, samples;  ///< first sample, and number of samples
    ValueId id;
    std::span<const double> numbers;
  };
  using BlockBody = std::function<void(const BlockOfValue& block)>;
  /// Returns false if no more of this run is needed.
  using OutputBody = std::function<bool(std::size_t sample, std::vector<std::vector<double>> outputs)>;

  /// Calls body(block) for every value of every block of samples. The values of a block come in their order. Blocks
  /// come on any thread and in any order. A value is released after its last reader.
  void each_value(const BlockBody& body) const;
  /// Calls body(sample, its outputs) for every sample, on any thread and in any order, until one call returns false.
  /// Nothing before value `first` may have changed since the last `keep`. A value is released after its last reader.
  /// Throws InputError as `evaluate`.
  void each_output(const OutputBody& body, ValueId first = 0) const;
  /// Keeps the values of the present network. Nothing before `first` may have changed since the last `keep`.
  void keep(ValueId first = 0);

 private:
  std::size_t blocks() const;
  std::span<const std::vector<Tensor>> samples_of(std::size_t block) const;
  /// Returns the values of a block before `first` that were kept, if any.
  std::vector<SampleBlock> kept_before(std::size_t block, ValueId first) const;

  const Network& network_;
  std::span<const std::vector<Tensor>> samples_;
  Functions functions_;
  std::vector<std::vector<SampleBlock>> kept_;  // by block and value, or none
  std::shared_ptr<BlockPools> pools_;
};

}  // namespace tacit::graph::passes
