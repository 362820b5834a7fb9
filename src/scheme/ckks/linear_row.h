#pragma once

#include <array>
#include <span>
#include <vector>

#include "ring/limb.h"
#include "scheme/ckks/linear_transform.h"
#include "scheme/ckks/rotated_row.h"
#include "scheme/rlwe/scratch.h"

namespace tacit::scheme::ckks {

/// One row of the sums under the giant steps of a batch over the inputs of a group, modulo one prime. Every rotated
/// input is made in the second-level cache, a strip at a time, and used by every accumulator at once, with one
/// reduction for each. For one thread.
class LinearTransform::Row {
 public:
  Row(const LinearTransform& map, std::span<const Accumulator> batch, Group group, std::size_t row);
  /// Words of a strip.
  std::size_t strip() const { return rotations_.strip(); }
  const ring::Modulus& modulus() const { return q_; }
  /// Positions [at, at + strip()) of both halves of accumulator i into out[2 i] and out[2 i + 1]; strips in order.
  void make(std::size_t at, std::span<std::uint64_t* const> out);

 private:
  /// The same over inputs that are rotated already; added to what is there if they are not the first.
  void add(std::size_t at, Group inputs, std::span<std::uint64_t* const> out);

  const LinearTransform& map_;
  std::span<const Accumulator> batch_;
  Group group_;
  std::size_t row_;
  const ring::Modulus& q_;
  std::size_t together_;  ///< inputs that are rotated at a time
  RotatedRow rotations_;
  rlwe::ScratchRows room_, sum_;
  std::vector<std::array<const std::uint64_t*, 2>> rotated_;  ///< by input rotated at the time, then baby step
  std::vector<ring::limb::FactorRow> factors_;
  std::vector<const std::uint64_t*> strips_[2];
};

}  // namespace tacit::scheme::ckks
