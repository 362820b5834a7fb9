#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "program/slots/clear.h"
#include "program/slots/execute.h"
#include "program/slots/noise_model.h"

namespace tacit::slots {

/// A program prepared for clear runs, which many threads may make at a time.
class ClearProgram {
 public:
  /// `program` must outlive this object.
  explicit ClearProgram(const Program& program);

  /// Receives every value right after it was made.
  using Observer = std::function<void(ValueId, const SlotArray& value, std::span<const ArrayPtr> operands)>;
  /// Modelled Gaussian noise, drawn from a generator with this seed (a simulation, not cryptography). `model` has one
  /// deviation for each value of the program.
  struct Noise {
    const NoiseModel& model;
    std::uint64_t seed = 0;
  };
  /// Takes logical tensors, one for each Input in order, and returns one for each Output. Throws InputError if there
  /// are too few. Thread safe.
  std::vector<std::vector<double>> run(const std::vector<std::vector<double>>& inputs, const Observer& observer = {},
                                       std::optional<Noise> noise = {}) const;

 private:
  const Program& program_;
  std::unique_ptr<ClearEvaluator> evaluator_;
  std::unique_ptr<KeptWeights> weights_;
};

/// Returns the array that an Input makes of a client's tensor in the clear.
ArrayPtr clear_input(const Instruction& input, std::vector<double> tensor);

}  // namespace tacit::slots
