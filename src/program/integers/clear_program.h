#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "program/integers/bootstraps.h"
#include "program/integers/weight_rows.h"

namespace tacit::integers {

using Integers = std::vector<std::int64_t>;

/// Returns the box of a table that an argument falls into, modulo 2^(bits + 1). Boxes from 2^bits on are in the
/// padding. There a table gives minus the value of 2^bits boxes before. `above` is the argument minus the centre of the
/// first box. `noise` is added to its phase, as a share of the torus.
std::uint64_t box_of(std::int64_t above, int step, int bits, double noise = 0);

/// The clear reading of a program on integers. It is exact, or has modelled noise in lookups and decryptions. Thread
/// safe; one run uses one thread.
class ClearProgram {
 public:
  /// The program is verified and must outlive this object.
  explicit ClearProgram(const Program& program);
  const Program& program() const { return program_; }

  /// Receives every value, in order.
  using Observer = std::function<void(ValueId id, std::span<const std::int64_t> numbers)>;
  /// Gaussian noise of these deviations (noise.h: noise_deviations).
  struct Noise {
    std::span<const double> deviations;
    std::uint64_t seed = 0;
    /// Deviations for values that round: by value, then by bit, lowest first (noise.h: rounding_deviations).
    std::span<const std::vector<double>> of_bits{};
    /// Counts, by value, the lookups that took another box than the nearest one. Empty for no count.
    std::span<std::size_t> moved{};
  };

  /// Returns the outputs in order, as decryption gives them: integers in the steps of their operands' values less
  /// rounded bits. Equal seeds give equal results. Throws InternalError if a tensor has the wrong size.
  std::vector<Integers> run(std::span<const Integers> inputs, const Observer& observer = {},
                            const std::optional<Noise>& noise = {}) const;

 private:
  const Program& program_;
  std::vector<std::vector<WeightRows>> weights_;  // by instruction and term
  std::vector<Bootstraps> bootstraps_;            // by instruction
};

}  // namespace tacit::integers
