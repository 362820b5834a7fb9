#pragma once

#include <memory>
#include <string>
#include <vector>

#include "params/requirement.h"
#include "scheme/ckks/context.h"
#include "scheme/ckks/keys.h"
#include "tensor/packing.h"

namespace tacit::bench {

/// One batch of a computation under one packing, executed and priced.
struct PackingMeasurement {
  tensor::PackedComputation::Extents extents;
  tensor::PackingOptions options;
  int level = 0;  ///< level of the first input, above the base
  std::int64_t batches = 1, items = 1;
  std::int64_t tiles = 0;  ///< encrypted inputs of a batch
  std::int64_t products = 0, relinearisations = 0, rotations = 0;
  std::vector<double> timings;  ///< seconds of a batch
  double latency = 0;           ///< their median
  double amortised = 0;         ///< seconds per item: latency times batches over items
  double tensor_bytes = 0;      ///< inputs and products of a batch
  double process_bytes = 0;     ///< largest resident set while the batch ran
  double predicted_latency = 0;
  double predicted_process_bytes = 0;
  double error = 0;  ///< largest difference from the same computation in the clear, over its largest value
  std::vector<std::string> shapes;  ///< shapes of all intermediate tensors
};

/// A parameter set with its secret and prices measured on it. Packings run on it.
class PackingBench {
 public:
  /// `costs` prices everything that is not measured.
  PackingBench(const params::Requirement& requirement, const params::CostTable& costs);

  /// Requests the keys that a run will need. Call it for every run before the first one.
  void announce(const tensor::PackedComputation& computation, const tensor::PackedComputation::Extents& extents,
                const tensor::PackingOptions& options, int level);
  /// Makes the keys requested so far.
  void make_keys();
  /// Measures each kind of work at each level. Needs the keys. The medians of several rounds count.
  void measure_prices();

  PackingMeasurement run(const tensor::PackedComputation& computation,
                         const tensor::PackedComputation::Extents& extents, const tensor::PackingOptions& options,
                         int level, int repeats);
  /// Adds timings of the same, and predicts by the current prices. If a machine is slow for a while, only a part of the
  /// timings is then slow.
  void run_again(PackingMeasurement& m, const tensor::PackedComputation& computation, int repeats);

  /// Returns a cost reading with the measured prices. Before measure_prices they are those of the limb counts.
  std::shared_ptr<tensor::CostSession> cost_reading() const;
  /// Returns the cost table that explains the measured prices best. Products with encoded diagonals are not among them
  /// and keep their cost.
  params::CostTable fitted_table() const;
  int max_level() const;
  const params::RequiredParameters& parameters() const { return required_; }
  double key_bytes() const;

 private:
  /// Returns (bytes of all operands, seconds of a term) for sums of more and more products at level 1.
  std::vector<std::pair<double, double>> product_terms() const;
  /// Adds timings, and predicts by the current prices.
  void time(PackingMeasurement& m, const tensor::PackedComputation& computation,
            const std::vector<tensor::TileTensor>& inputs, int repeats);

  params::RequiredParameters required_;
  params::CostTable costs_;
  scheme::ckks::ContextPtr context_;
  scheme::ckks::SecretKey secret_;
  params::KeyManifest needs_;
  std::vector<slots::UnitPrices> rounds_;
  slots::UnitPrices prices_;
  double cache_bytes_ = 0;
  std::shared_ptr<const scheme::ckks::EvaluationKeys> keys_;
  std::shared_ptr<tensor::Session> tiles_;
};

}  // namespace tacit::bench
