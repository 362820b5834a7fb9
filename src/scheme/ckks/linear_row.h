#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "ring/limb.h"
#include "scheme/ckks/linear_transform.h"
#include "scheme/ckks/rotated_row.h"
#include "scheme/rlwe/scratch.h"

namespace tacit::scheme::ckks {

/// One row of the sums under the giant steps of a batch over the inputs of a group, modulo one prime. Every rotated
/// input is made in the second-level cache, a strip at a time. All accumulators use it at once, with one reduction
/// each. For one thread.
class LinearTransform::Row {
 public:
  Row(const LinearTransform& map, std::span<const Accumulator> batch, Group group, std::size_t row);
  /// Returns the words of a strip.
  std::size_t strip() const { return rotations_.strip(); }
  const ring::Modulus& modulus() const { return q_; }
  /// Writes positions [at, at + strip()) of both halves of accumulator i to out[2 i] and out[2 i + 1]; strips in order.
  void make(std::size_t at, std::span<std::uint64_t* const> out);

 private:
  /// Several accumulators over inputs that are rotated together. Each rotated input is read once for all of them.
  struct Products {
    Group accumulators;
    std::vector<std::size_t> rotated;  ///< inputs and baby steps, as in rotated_
    /// Rows of diagonals, accumulator by accumulator. A diagonal that does not multiply the rotated input has no words.
    std::vector<ring::limb::FactorRow> factors;
  };
  /// Returns the products of accumulators from `begin` on over these inputs, as long as they read nearly the same
  /// rotated inputs.
  Products products_from(std::size_t begin, Group inputs) const;
  Products products_of(Group accumulators, Group inputs) const;
  /// Returns the inputs that are rotated together, from `first` on.
  Group together_from(std::size_t first) const { return {first, std::min(group_.last, first + together_)}; }
  /// Computes the sums at positions from `at` on. It adds them to `out` if the inputs are not the first.
  void add(std::size_t at, const Products& products, bool first, std::span<std::uint64_t* const> out);

  const LinearTransform& map_;
  std::span<const Accumulator> batch_;
  Group group_;
  std::size_t row_;
  const ring::Modulus& q_;
  std::size_t together_;  ///< inputs that are rotated at a time
  RotatedRow rotations_;
  rlwe::ScratchRows room_, sum_;
  std::vector<std::vector<Products>> products_;               ///< by inputs that are rotated together
  std::vector<std::vector<char>> read_;                       ///< which of them some product reads, as in rotated_
  std::vector<std::array<const std::uint64_t*, 2>> rotated_;  ///< by input rotated at the time, then by baby step
  std::vector<ring::limb::FactorRow> factors_;
  std::vector<const std::uint64_t*> strips_[2];
  std::vector<std::uint64_t*> more_;
};

}  // namespace tacit::scheme::ckks
