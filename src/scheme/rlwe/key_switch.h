#pragma once

#include <array>
#include <functional>
#include <vector>

#include "ring/rns_poly.h"
#include "scheme/rlwe/modulus_chain.h"
#include "scheme/rlwe/switching_key.h"

/// Hybrid key switching (Han, Ki 2020; Kim, Polyakov, Zucca 2021), carried out group of rows by group of rows so that
/// extended digits are used while they are in cache, with the division by P, or by P times the last prime, at the end.
namespace tacit::scheme::rlwe {

__extension__ using Int128 = __int128;

/// The digits of a polynomial in the NTT domain, to be extended to all primes of a level. Thread safe once made.
class Digits {
 public:
  /// Reads the first level + 1 rows of `source`, which must outlive this object.
  Digits(const ModulusChain& chain, const ring::NttPoly& source, int level);
  /// Extends every digit now, for several key switches of one polynomial (hoisting: Halevi, Shoup 2018).
  void hoist();
  int level() const { return level_; }
  std::size_t count() const { return digits_; }
  /// out[digit * group.count + r] = row group.first + r of the digit; those that must be computed go to `scratch`, which
  /// has room for count() * group.count rows.
  void extend(const RowGroup& group, std::uint64_t* const* scratch, const std::uint64_t** out) const;
  /// One extended row of a digit, after hoist().
  const std::uint64_t* row(std::size_t digit, std::size_t row) const {
    return row >= chain_->digit_first(digit) && row < chain_->digit_last(level_, digit) ? source_->limb(row)
                                                                                        : extended_[digit].limb(row);
  }

 private:
  const ModulusChain* chain_;
  const ring::NttPoly* source_;
  int level_;
  std::size_t digits_;
  std::vector<base::AlignedVector<std::uint64_t>> prepared_;  ///< by digit: the sources of its base conversions
  std::vector<ring::NttPoly> extended_;
};

/// A linear combination of polynomials in the NTT domain that is added to a result before the division, so that it comes
/// out divided too: weight * sum of x * y + sum of factor * x + constant. Only the rows of ciphertext primes are read.
struct Combination {
  struct Product {
    const ring::NttPoly* x;
    const ring::NttPoly* y;
  };
  struct Multiple {
    const ring::NttPoly* x;
    Int128 factor;
  };
  std::vector<Product> products;
  std::vector<Multiple> multiples;
  Int128 constant = 0;
  std::uint64_t weight = 1;
};

/// What a division divides by.
enum class Divisor {
  special,           ///< P: the result has the rows of the level
  special_and_last,  ///< P * q_level: fused mod-down and rescale, the result has the rows of level - 1
};

/// Receives finished rows, each once, from several threads: polynomial 0 or 1, row, n words that the callee may change.
using RowSink = std::function<void(std::size_t poly, std::size_t row, std::uint64_t* values)>;

/// (u_0, u_1) = <digits, key>, extended, not divided.
void switch_key_extended(const ModulusChain& chain, const Digits& digits, const SwitchingKey& key, const RowSink& sink);

/// (u_0 + P * add[0], u_1 + P * add[1]) divided with rounding. The key must reach the level of the digits.
void switch_key(const ModulusChain& chain, const Digits& digits, const SwitchingKey& key,
                const std::array<Combination, 2>& add, Divisor divisor, const RowSink& sink);

/// Extended polynomials at `level` divided with rounding; `polys` are not changed.
void divide(const ModulusChain& chain, int level, std::span<const ring::NttPoly* const> polys, Divisor divisor,
            const RowSink& sink);

/// Combinations over q_0 … q_level divided by q_level with rounding: a rescale.
void rescale(const ModulusChain& chain, int level, std::span<const Combination> combinations, const RowSink& sink);

/// One row of a combination.
void evaluate_row(const ModulusChain& chain, const Combination& combination, std::size_t row, std::uint64_t* out);

/// A signed 128-bit number modulo a prime.
std::uint64_t residue(Int128 value, const ring::Modulus& q);

}  // namespace tacit::scheme::rlwe
