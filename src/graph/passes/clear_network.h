#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "base/aligned.h"
#include "graph/passes/network.h"

namespace tacit::graph::passes {

/// Whether functions are evaluated exactly, or by their series where they have one.
enum class Functions { exact, by_series };

/// The numbers of every value of a network on one input (one tensor per private input, row-major).
/// Throws InputError if the input does not have the model's shapes.
std::vector<std::vector<double>> evaluate(const Network& network, const std::vector<Tensor>& inputs,
                                          Functions functions = Functions::exact);

/// By sample and output of a network.
using SampleOutputs = std::vector<std::vector<std::vector<double>>>;

/// So many samples are evaluated side by side: an entry of a matrix is loaded once for all of them, and their sums do
/// not wait for each other.
inline constexpr std::size_t kLanes = 16;

/// Numbers of one value for kLanes samples, side by side: element e of sample i at [e * kLanes + i]. Shared by all that
/// read it.
using SampleBlock = std::shared_ptr<const base::AlignedVector<double>>;

/// Of one sample, in row-major order.
std::vector<double> lane_of(std::span<const double> block, std::size_t lane);

/// How a function, of this id, is evaluated: replaces its inputs by its results.
using FunctionReading = std::function<void(ValueId function, std::span<double> numbers)>;

/// Replaces every x by f(x), a few thousand at a time: what lies between the steps of `f` stays in the caches.
void apply_in_place(const ScalarFunction& f, std::span<double> numbers);

/// As FunctionReading, where `first_input` is what another reading has for the function's input.
using SecondReading =
    std::function<void(ValueId function, std::span<double> numbers, std::span<const double> first_input)>;

/// Two readings of a network on at least one and at most kLanes samples side by side, value by value in step, on two
/// threads. Lanes without a sample repeat the last. Both are called in the order of the values, and no value is held
/// longer than others read it. Throws InputError as `evaluate`.
void evaluate_in_step(const Network& network, std::span<const std::vector<Tensor>> samples,
                      const FunctionReading& first, const SecondReading& second);

class BlockPools;

/// A network's values on a set of samples, evaluated several samples side by side and on all threads, and kept where
/// they take little memory (256 MiB), so that what lies before a change of the network is not evaluated again.
class SampleRun {
 public:
  /// All must outlive this.
  SampleRun(const Network& network, std::span<const std::vector<Tensor>> samples, Functions functions);

  /// One value of some samples side by side: kLanes of them, of which those past `samples` repeat the last.
  struct BlockOfValue {
    std::size_t first, samples;  ///< first sample, and how many
    ValueId id;
    std::span<const double> numbers;
  };
  using BlockBody = std::function<void(const BlockOfValue& block)>;
  /// False: no more of this run is needed.
  using OutputBody = std::function<bool(std::size_t sample, std::vector<std::vector<double>> outputs)>;

  /// body(block) for every value of every block of samples: a block's values in their order, blocks on any thread and
  /// in any order. Holds no value longer than others read it.
  void each_value(const BlockBody& body) const;
  /// body(sample, its outputs) for every sample, on any thread and in any order, until one returns false. Nothing
  /// before value `first` has changed since the last `keep`. Holds no value longer than others read it. Throws
  /// InputError as `evaluate`.
  void each_output(const OutputBody& body, ValueId first = 0) const;
  /// Keeps the values as they are now; nothing before `first` has changed since the last time.
  void keep(ValueId first = 0);

 private:
  std::size_t blocks() const;
  std::span<const std::vector<Tensor>> samples_of(std::size_t block) const;
  /// The values of a block before `first` as they were kept, if they were.
  std::vector<SampleBlock> kept_before(std::size_t block, ValueId first) const;

  const Network& network_;
  std::span<const std::vector<Tensor>> samples_;
  Functions functions_;
  std::vector<std::vector<SampleBlock>> kept_;  // by block and value, or none
  std::shared_ptr<BlockPools> pools_;
};

}  // namespace tacit::graph::passes
