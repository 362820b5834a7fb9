#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/aligned.h"
#include "base/error.h"
#include "base/secret_memory.h"
#include "base/wipe.h"

namespace tacit::ring {

/// The domain of a polynomial is part of its type.
struct CoefficientDomain {};
struct NttDomain {};

/// A polynomial of degree < N in residue number form: `limbs` rows of N canonical words, one prime per row. The owner
/// knows the primes of the rows (level, special primes last). The rows are contiguous and skewed against each other by
/// a cache line, so that equal positions do not share a cache set. Copyable, movable.
template <class Domain, class Words = base::AlignedVector<std::uint64_t>>
class RnsPoly {
 public:
  RnsPoly() = default;
  /// Leaves the words uninitialised.
  RnsPoly(std::size_t n, std::size_t limbs)
      : n_(n), limbs_(limbs), stride_((n + kLine - 1) / kLine * kLine + kLine), words_(stride_ * limbs) {}
  std::size_t n() const { return n_; }
  std::size_t limbs() const { return limbs_; }
  std::uint64_t* limb(std::size_t i) {
    TACIT_ASSERT(i < limbs_);
    return words_.data() + i * stride_;
  }
  const std::uint64_t* limb(std::size_t i) const {
    TACIT_ASSERT(i < limbs_);
    return words_.data() + i * stride_;
  }
  std::span<std::uint64_t> limb_span(std::size_t i) { return {limb(i), n_}; }
  std::span<const std::uint64_t> limb_span(std::size_t i) const { return {limb(i), n_}; }
  void zero() { std::fill(words_.begin(), words_.end(), 0); }
  /// Zeroises the words in a way the compiler may not remove, for values that depend on a secret.
  void wipe() noexcept { base::wipe(words_); }

 private:
  static constexpr std::size_t kLine = 8;  ///< words of a cache line

  std::size_t n_ = 0, limbs_ = 0, stride_ = 0;
  Words words_;
};

using NttPoly = RnsPoly<NttDomain>;
using CoefficientPoly = RnsPoly<CoefficientDomain>;
/// A polynomial in the memory of secrets, which zeroises itself.
using SecretNttPoly = RnsPoly<NttDomain, base::SecretVector<std::uint64_t>>;

/// The rows of a polynomial in any memory, which must outlive this object.
class NttRows {
 public:
  template <class Words>
  NttRows(const RnsPoly<NttDomain, Words>& poly)
      : first_(poly.limb(0)), stride_(poly.limbs() > 1 ? static_cast<std::size_t>(poly.limb(1) - first_) : 0) {}
  /// Takes rows that begin `stride` words apart.
  NttRows(const std::uint64_t* first, std::size_t stride) : first_(first), stride_(stride) {}
  const std::uint64_t* limb(std::size_t i) const { return first_ + i * stride_; }

 private:
  const std::uint64_t* first_;
  std::size_t stride_;
};

}  // namespace tacit::ring
