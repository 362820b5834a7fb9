#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "layout/diagonals.h"
#include "layout/linear_operator.h"
#include "params/bootstrap_schedule.h"
#include "params/schedule.h"
#include "program/array.h"

namespace tacit::slots {

using program::Array;
using program::ArrayPtr;
using program::SlotsOf;
using program::View;

/// What the numbers of a decryption are for. Exact ones give the secret key to whoever also sees the ciphertext: they
/// stay with the owner of the key, for validation.
enum class Decoding { with_noise, exact };

/// Where the result of an instruction lands.
struct Landing {
  int level = 0;     ///< of the parameters
  double scale = 1;  ///< exact
};

/// A linear map and how it is carried out.
struct ScheduledMap {
  const layout::LinearMap& map;
  const params::LinearSchedule& schedule;
  std::optional<layout::DiagonalCount> diagonals{};  ///< where they were counted before
};

/// A linear map as one reading has prepared it, for one level and scale. Immutable.
class EncodedMap {
 public:
  virtual ~EncodedMap() = default;
  virtual double bytes() const = 0;
};
using EncodedMapPtr = std::shared_ptr<const EncodedMap>;

/// An operand of a linear instruction, with the map that it goes through.
struct MappedView {
  View view;
  EncodedMapPtr map;
};

/// One reading of instructions on slots: in the clear, as costs, on ciphertexts, or as a program that is recorded. One
/// call is one instruction on arrays of ciphertexts. The caller decides levels, scales and schedules: an evaluator
/// carries out and never chooses. Operands above the level that an instruction reads are dropped to it, which is free
/// and keeps their scale. Results are row-major over the grid of the views; the grids of two views have equal counts.
class Evaluator {
 public:
  virtual ~Evaluator() = default;
  virtual layout::Index slots() const = 0;
  /// Bytes of one ciphertext at this level.
  virtual double ciphertext_bytes(int level) const = 0;

  /// Encrypts. `slots` gives the slots of every ciphertext of the layout.
  virtual ArrayPtr encrypt(const layout::Layout& layout, const SlotsOf& slots, Landing to) = 0;
  virtual std::vector<std::vector<double>> decrypt(const View& a, Decoding decoding) = 0;
  /// Plaintexts that are added to an array at `to`.
  virtual ArrayPtr encode_addend(layout::Index count, const SlotsOf& slots, Landing to) = 0;
  /// Plaintexts that multiply an array at `from`, so that the product lands at `to`, a level below.
  virtual ArrayPtr encode_factor(layout::Index count, const SlotsOf& slots, Landing from, Landing to) = 0;
  virtual EncodedMapPtr encode_map(const ScheduledMap& map, Landing from, Landing to) = 0;

  virtual ArrayPtr add(const View& a, const View& b, Landing to) = 0;
  virtual ArrayPtr subtract(const View& a, const View& b, Landing to) = 0;
  virtual ArrayPtr add_plain(const View& a, const View& plain, Landing to) = 0;
  /// Sums of `terms` consecutive grid positions: the last dimensions of the grid are summed.
  virtual ArrayPtr sum(const View& a, layout::Index terms, Landing to) = 0;
  /// Sums of `terms` consecutive products, relinearised and rescaled once a sum. One level.
  virtual ArrayPtr multiply_sum(const View& a, const View& b, layout::Index terms, Landing to) = 0;
  /// The same with plaintexts that were encoded as factors for these levels. One level.
  virtual ArrayPtr multiply_plain_sum(const View& a, const View& plain, layout::Index terms, Landing to) = 0;
  /// The slots of every ciphertext to the left by `steps`, any sign.
  virtual ArrayPtr rotate(const View& a, std::int64_t steps, Landing to) = 0;
  /// a + sum over steps of a rotated by them, from one decomposition (hoisting; steps are not 0).
  virtual ArrayPtr rotate_sum(const View& a, std::span<const std::int64_t> steps, Landing to) = 0;
  /// The members of all views behind each other. No work.
  virtual ArrayPtr gather(std::span<const View> parts, Landing to) = 0;
  /// The same values at a lower level and another scale: one product by 1.
  virtual ArrayPtr drop(const View& a, Landing to) = 0;
  /// The sum of linear maps, each of its own operand, and an encoded addend, or none (null). Maps share their output
  /// layout. One level.
  virtual ArrayPtr linear(std::span<const MappedView> terms, const ArrayPtr& bias, Landing to) = 0;
  /// Slot-wise Chebyshev series on [-1, 1]. schedule.depth levels.
  virtual ArrayPtr polynomial(const View& a, std::span<const double> coefficients,
                              const params::PolynomialSchedule& schedule, Landing to) = 0;
  /// The ciphertexts of all views behind each other, refreshed two at a time.
  virtual ArrayPtr bootstrap(std::span<const View> parts, const params::BootstrapSchedule& schedule, Landing to) = 0;
};

}  // namespace tacit::slots
