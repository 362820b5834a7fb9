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

/// The box of a table that an argument lies in, modulo 2^(bits + 1): those from 2^bits on are of the padding, where a
/// table gives minus what it gives 2^bits boxes before. `above` is the argument less the first box's centre, and
/// `noise` is added to its phase, as a share of the torus.
std::uint64_t box_of(std::int64_t above, int step, int bits, double noise = 0);

/// The clear reading of a program on integers: exact, or with modelled noise where tables are looked up and results are
/// decrypted. Thread safe; one run uses one thread.
class ClearProgram {
 public:
  /// The program is verified and must outlive this.
  explicit ClearProgram(const Program& program);
  const Program& program() const { return program_; }

  /// Called with every value, in order.
  using Observer = std::function<void(ValueId id, std::span<const std::int64_t> numbers)>;
  /// Gaussian noise of these deviations (noise.h: noise_deviations).
  struct Noise {
    std::span<const double> deviations;
    std::uint64_t seed = 0;
    /// By value, of those that round: by bit, lowest first (noise.h: rounding_deviations).
    std::span<const std::vector<double>> of_bits{};
    /// By value, if not empty: grows by the lookups that took another box than the nearest.
    std::span<std::size_t> moved{};
  };

  /// The outputs in order, as integers in the steps of their operands' values less rounded bits: what decryption gives.
  /// Equal seeds give equal results. Throws InternalError where a tensor has the wrong size.
  std::vector<Integers> run(std::span<const Integers> inputs, const Observer& observer = {},
                            const std::optional<Noise>& noise = {}) const;

 private:
  const Program& program_;
  std::vector<ValueId> last_uses_;
  std::vector<std::vector<WeightRows>> weights_;  // by instruction and term
  std::vector<Bootstraps> bootstraps_;            // by instruction
};

}  // namespace tacit::integers
