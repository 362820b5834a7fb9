#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "layout/diagonals.h"
#include "layout/linear_operator.h"
#include "params/lookup_schedule.h"
#include "params/schedule.h"
#include "program/array.h"

namespace tacit::slots {

using program::Array;
using program::ArrayPtr;
using program::SlotsOf;
using program::View;

/// The use of the numbers of a decryption. Exact numbers together with the ciphertext reveal the secret key: they stay
/// with the owner of the key, for validation.
enum class Decoding { with_noise, exact };

/// The level and scale on which the result of an instruction lands.
struct Landing {
  int level = 0;     ///< level of the parameters
  double scale = 1;  ///< exact
};

/// A linear map and its schedule.
struct ScheduledMap {
  const layout::LinearMap& map;
  const params::LinearSchedule& schedule;
  std::optional<layout::DiagonalCount> diagonals{};  ///< set if they were counted before
};

/// A linear map that one reading has prepared for one level and scale. Immutable.
class EncodedMap {
 public:
  virtual ~EncodedMap() = default;
  virtual double bytes() const = 0;
};
using EncodedMapPtr = std::shared_ptr<const EncodedMap>;

/// An operand of a linear instruction, with its map.
struct MappedView {
  View view;
  EncodedMapPtr map;
};

/// One reading of instructions on slots: in the clear, as costs, on ciphertexts, or as a recorded program. One call is
/// one instruction on arrays of ciphertexts. The caller decides levels, scales and schedules: an evaluator executes and
/// never chooses. Operands above the level that an instruction reads are dropped to it, which is free and keeps their
/// scale. Results are row-major over the grid of the views. The grids of two views have equal counts.
class Evaluator {
 public:
  virtual ~Evaluator() = default;
  virtual layout::Index slots() const = 0;
  /// Returns the bytes of one ciphertext at this level.
  virtual double ciphertext_bytes(int level) const = 0;

  /// Encrypts. `slots` returns the slots of every ciphertext of the layout.
  virtual ArrayPtr encrypt(const layout::Layout& layout, const SlotsOf& slots, Landing to) = 0;
  virtual std::vector<std::vector<double>> decrypt(const View& a, Decoding decoding) = 0;
  /// Encodes plaintexts that are added to an array at `to`.
  virtual ArrayPtr encode_addend(layout::Index count, const SlotsOf& slots, Landing to) = 0;
  /// Encodes plaintexts that multiply an array at `from`. The product lands at `to`, a level below.
  virtual ArrayPtr encode_factor(layout::Index count, const SlotsOf& slots, Landing from, Landing to) = 0;
  virtual EncodedMapPtr encode_map(const ScheduledMap& map, Landing from, Landing to) = 0;

  virtual ArrayPtr add(const View& a, const View& b, Landing to) = 0;
  virtual ArrayPtr subtract(const View& a, const View& b, Landing to) = 0;
  virtual ArrayPtr add_plain(const View& a, const View& plain, Landing to) = 0;
  /// Returns sums of `terms` consecutive grid positions: the last dimensions of the grid are summed.
  virtual ArrayPtr sum(const View& a, layout::Index terms, Landing to) = 0;
  /// Returns sums of `terms` consecutive products, relinearised and rescaled once per sum. One level.
  virtual ArrayPtr multiply_sum(const View& a, const View& b, layout::Index terms, Landing to) = 0;
  /// Does the same with plaintexts that were encoded as factors for these levels. One level.
  virtual ArrayPtr multiply_plain_sum(const View& a, const View& plain, layout::Index terms, Landing to) = 0;
  /// Rotates the slots of every ciphertext to the left by `steps`, any sign.
  virtual ArrayPtr rotate(const View& a, std::int64_t steps, Landing to) = 0;
  /// Returns `a` plus the sum of its rotations by all `steps`, from one decomposition (hoisting; steps are not 0).
  virtual ArrayPtr rotate_sum(const View& a, std::span<const std::int64_t> steps, Landing to) = 0;
  /// Returns the members of all views in sequence. No work.
  virtual ArrayPtr gather(std::span<const View> parts, Landing to) = 0;
  /// Returns the same values at a lower level and another scale: one product by 1.
  virtual ArrayPtr drop(const View& a, Landing to) = 0;
  /// Returns the sum of linear maps, each of a separate operand, and of an encoded addend (null = none). Maps share
  /// their output layout. One level.
  virtual ArrayPtr linear(std::span<const MappedView> terms, const ArrayPtr& bias, Landing to) = 0;
  /// Evaluates a slot-wise Chebyshev series on [-1, 1]. schedule.depth levels.
  virtual ArrayPtr polynomial(const View& a, std::span<const double> coefficients,
                              const params::PolynomialSchedule& schedule, Landing to) = 0;
  /// Refreshes the ciphertexts of all views, in sequence, two at a time.
  virtual ArrayPtr bootstrap(std::span<const View> parts, const params::BootstrapSchedule& schedule, Landing to) = 0;
  /// Looks the ciphertexts of all views up in all tables, in sequence, two at a time. The results of one ciphertext are
  /// side by side.
  virtual ArrayPtr look_up(std::span<const View> parts, std::span<const std::vector<double>> tables,
                           const params::LookupSchedule& schedule, Landing to) = 0;
};

}  // namespace tacit::slots
