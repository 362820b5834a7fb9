#pragma once

#include <memory>
#include <string>
#include <vector>

#include "params/requirement.h"
#include "scheme/ckks/context.h"
#include "scheme/ckks/keys.h"
#include "tensor/packing.h"

namespace tacit::bench {

/// One batch of a computation under one packing, carried out and priced.
struct PackingMeasurement {
  tensor::PackedComputation::Extents extents;
  tensor::PackingOptions options;
  int level = 0;  ///< of the first input, above the base
  std::int64_t batches = 1, items = 1;
  std::int64_t tiles = 0;  ///< encrypted inputs of a batch
  std::int64_t products = 0, relinearisations = 0, rotations = 0;
  std::vector<double> timings;  ///< seconds of a batch
  double latency = 0;           ///< their median
  double amortised = 0;         ///< seconds an item: latency times batches over items
  double tensor_bytes = 0;      ///< inputs and products of a batch
  double process_bytes = 0;     ///< resident set at its largest while the batch ran
  double predicted_latency = 0;
  double predicted_process_bytes = 0;
  double error = 0;  ///< largest difference from the same computation in the clear, over its largest value
  std::vector<std::string> shapes;  ///< on the way
};

/// A parameter set with its secret, and prices measured on it: where packings are run.
class PackingBench {
 public:
  /// `costs` price what is not measured.
  PackingBench(const params::Requirement& requirement, const params::CostTable& costs);

  /// Asks for the keys that a run will need. Call it for every run before the first one.
  void announce(const tensor::PackedComputation& computation, const tensor::PackedComputation::Extents& extents,
                const tensor::PackingOptions& options, int level);
  /// Makes the keys that were asked for so far.
  void make_keys();
  /// Measures what each kind of work takes at each level. Needs the keys. Of several rounds the medians count.
  void measure_prices();

  PackingMeasurement run(const tensor::PackedComputation& computation,
                         const tensor::PackedComputation::Extents& extents, const tensor::PackingOptions& options,
                         int level, int repeats);
  /// More timings of the same, and the prediction by the prices of now: a machine that is slow for a while is then slow
  /// in a part of the timings only.
  void run_again(PackingMeasurement& m, const tensor::PackedComputation& computation, int repeats);

  /// A cost reading with the measured prices (or, before `prepare`, those of the limb counts).
  std::shared_ptr<tensor::CostSession> cost_reading() const;
  /// The cost table that explains the measured prices best. Products with encoded diagonals are not among them and keep
  /// their cost.
  params::CostTable fitted_table() const;
  int max_level() const;
  const params::RequiredParameters& parameters() const { return required_; }
  double key_bytes() const;

 private:
  /// (bytes of all operands, seconds of a term) of sums of more and more products at level 1.
  std::vector<std::pair<double, double>> product_terms() const;
  /// Adds timings, and predicts by the prices of now.
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
