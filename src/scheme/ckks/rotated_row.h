#pragma once

#include <array>
#include <optional>
#include <vector>

#include "scheme/ckks/linear_transform.h"
#include "scheme/rlwe/key_row.h"
#include "scheme/rlwe/scratch.h"

namespace tacit::scheme::ckks {

/// One row of P_level times every input of a group rotated by every baby step, modulo one prime. It is made a strip at
/// a time: the inputs in order, and for each the baby steps in order. For one thread.
class LinearTransform::RotatedRow {
 public:
  RotatedRow(const LinearTransform& map, Group group, std::size_t row);
  /// Returns the words of a strip.
  std::size_t strip() const { return strip_; }
  /// Returns true if inputs rotated by this baby step are 0. P_level times an input is 0 in the row of a special prime.
  bool vanishes(std::size_t baby) const { return special_ && !keys_[baby]; }
  /// Returns both halves of strip `s`, in the rooms, as words whose low 52 bits count. They are null if they vanish.
  std::array<const std::uint64_t*, 2> make(std::size_t input, std::size_t baby, std::size_t s, std::uint64_t* room0,
                                           std::uint64_t* room1);

 private:
  /// Finds the words of keys and inputs that the next strip reads.
  void find_next(std::size_t input, std::size_t baby, std::size_t s);

  const LinearTransform& map_;
  Group group_;
  std::size_t row_, strip_;
  const ring::Modulus& q_;
  bool special_;
  std::uint64_t special_product_;  ///< P_level
  std::uint64_t product_two52_;    ///< the same times 2^52, as the words of keys are held
  std::size_t digits_;
  std::vector<std::optional<rlwe::KeyRow>> keys_;  ///< by baby step; none for 0
  rlwe::ScratchRows finished_;                     ///< rows of digits, by input
  std::vector<const std::uint64_t*> digit_rows_;
  std::vector<const std::uint64_t*> digit_;
  std::vector<const std::uint64_t*> next_;
};

}  // namespace tacit::scheme::ckks
