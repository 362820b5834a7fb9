#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "graph/graph.h"
#include "program/clear.h"
#include "program/client_interface.h"

namespace tacit::app {

/// The clear reading of a compiled program, prepared once and then read by many threads at a time.
class ClearReading {
 public:
  /// `program` must outlive the reading.
  explicit ClearReading(const program::Program& program);

  /// The program's outputs for one sample (one tensor for each input). With a noise model, errors are drawn from the
  /// seed. Thread safe.
  std::vector<std::vector<double>> run(std::span<const graph::Tensor> sample,
                                       const program::ValueObserver<program::SlotArray>& observer = {},
                                       const program::NoiseModel* noise = nullptr, std::uint64_t seed = 0) const;

 private:
  const program::Program& program_;
  program::ClearEvaluator prepared_;
};

/// The tensors that a program's results are in the client's units, by output of the interface.
std::vector<std::vector<double>> in_model_units(const program::ClientInterface& client,
                                                const std::vector<std::vector<double>>& results);

}  // namespace tacit::app
