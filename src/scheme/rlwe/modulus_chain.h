#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "ring/base_converter.h"
#include "ring/ntt.h"
#include "ring/rns_poly.h"

namespace tacit::scheme::rlwe {

/// The ciphertext primes q_0 … q_L and special primes p_0 … p_(K-1) of one ring, with everything that key switching
/// precomputes. A polynomial at level l has the rows q_0 … q_l; an *extended* one has q_0 … q_l, p_0 … p_(K_l - 1). A
/// digit of the hybrid key switch (Han, Ki 2020) is a run of consecutive ciphertext primes.
///
/// A key switch at level l uses the first K_l special primes alone. Keys are made for P, the product of all special
/// primes. A decomposition of c at the level first multiplies c by P_l / P. Then <digits, key> is P_l c modulo every q
/// and 0 modulo every special prime (level-aware key switching: Hwang, Seo, Song 2023). One key serves all levels.
/// Immutable, thread safe.
class ModulusChain {
 public:
  /// Throws InputError unless the arguments satisfy these bounds:
  /// - n is a power of two.
  /// - All primes are distinct and 1 modulo the order of the ring's roots.
  /// - `digits` holds the number of ciphertext primes of every digit, from q_0.
  /// - `special` holds the number of special primes of every level, at least 1, never falling.
  ModulusChain(std::size_t n, std::span<const std::uint64_t> q, std::span<const std::uint64_t> p,
               std::span<const std::size_t> digits, std::span<const std::size_t> special,
               ring::Kind kind = ring::Kind::negacyclic);
  /// Makes a chain of primes of `whole` in another order. `q` and `p` are indices there, ciphertext primes first. The
  /// tables are shared. With `small`, only small polynomials are decomposed, which are their own digit, and there is no
  /// mod_up.
  enum class Decomposes { all, small };
  ModulusChain(const ModulusChain& whole, std::span<const std::size_t> q, std::span<const std::size_t> p,
               std::span<const std::size_t> digits, std::span<const std::size_t> special,
               Decomposes decomposes = Decomposes::all);

  std::size_t n() const { return n_; }
  ring::Kind kind() const { return kind_; }
  int max_level() const { return static_cast<int>(ciphertext_primes_) - 1; }
  /// Returns the number of primes of both kinds.
  std::size_t primes() const { return tables_.size(); }
  std::size_t special_primes(int level) const { return level_special_[static_cast<std::size_t>(level)]; }
  /// Returns the values of the special primes of the level.
  std::vector<std::uint64_t> special_values(int level) const;
  static std::size_t rows(int level) { return static_cast<std::size_t>(level) + 1; }
  std::size_t extended_rows(int level) const { return rows(level) + special_primes(level); }
  std::size_t digits(int level) const;
  /// Return the prime indices [first, last) of a digit at this level.
  std::size_t digit_first(std::size_t digit) const { return digit_first_[digit]; }
  std::size_t digit_last(int level, std::size_t digit) const;
  /// Returns the digit that a ciphertext prime belongs to.
  std::size_t digit_of(std::size_t row) const;

  /// Returns the index of the prime of an extended row: 0 … L, then the special primes.
  std::size_t prime_of(int level, std::size_t row) const {
    return row < rows(level) ? row : row - rows(level) + ciphertext_primes_;
  }
  const ring::NttTables& ntt(std::size_t prime) const { return *tables_[prime]; }
  const ring::Modulus& modulus(std::size_t prime) const { return tables_[prime]->modulus(); }
  /// Returns the tiling of all primes: their coefficients go together tile by tile.
  const ring::NttTables::Tiling& tiling() const { return tables_[0]->tiling(); }

  /// Returns the converter that multiplies a digit by digit_factor and extends it to the extended rows that it does not
  /// own, in their order.
  const ring::BaseConverter& mod_up(int level, std::size_t digit) const {
    return levels_[static_cast<std::size_t>(level)].mod_up[digit];
  }
  /// Return the converters from P_level to all ciphertext primes, and from q_level, P_level to those below the level
  /// (level >= 1).
  const ring::BaseConverter& divide(int level) const { return *special(level).divide; }
  const ring::BaseConverter& divide_rescale(int level) const {
    return *levels_[static_cast<std::size_t>(level)].divide_rescale;
  }
  /// Returns P mod q_row, with P the product of all special primes.
  std::uint64_t key_factor(std::size_t row) const { return special_.back().product[row]; }
  /// Returns P_level mod q_row.
  std::uint64_t special_product(int level, std::size_t row) const { return special(level).product[row]; }
  /// Returns P_level^-1 mod q_row.
  std::uint64_t divide_factor(int level, std::size_t row) const { return special(level).inverse[row]; }
  /// Returns true if the level divides by some of the special primes only, so that digit_factor is not 1.
  bool spares(int level) const { return special_primes(level) < special_.size(); }
  /// Returns P_level / P mod q_row.
  std::uint64_t digit_factor(int level, std::size_t row) const { return special(level).share[row]; }
  /// Returns (P_level q_level)^-1 mod q_row, row < level.
  std::uint64_t divide_rescale_factor(int level, std::size_t row) const {
    return levels_[static_cast<std::size_t>(level)].divide_rescale_factor[row];
  }
  /// Returns q_level^-1 mod q_row, row < level.
  std::uint64_t rescale_factor(int level, std::size_t row) const {
    return levels_[static_cast<std::size_t>(level)].rescale_factor[row];
  }

 private:
  struct Level {
    std::vector<ring::BaseConverter> mod_up;
    std::optional<ring::BaseConverter> divide_rescale;
    std::vector<std::uint64_t> divide_rescale_factor, rescale_factor;
  };
  void precompute(std::span<const std::size_t> digits, std::span<const std::size_t> special);
  /// The factors of the first special primes, by ciphertext prime.
  struct Special {
    std::vector<std::uint64_t> product, inverse, share;
    std::optional<ring::BaseConverter> divide;
  };
  Level make_level(int level) const;
  const Special& special(int level) const { return special_[special_primes(level) - 1]; }

  std::size_t n_ = 0, ciphertext_primes_ = 0;
  ring::Kind kind_;
  Decomposes decomposes_ = Decomposes::all;
  std::vector<std::size_t> digit_first_;  ///< ends with the number of ciphertext primes
  std::vector<std::shared_ptr<const ring::NttTables>> tables_;
  std::vector<std::size_t> level_special_;  ///< special primes of every level
  std::vector<Special> special_;            ///< by number of special primes, from 1
  std::vector<Level> levels_;
};

}  // namespace tacit::scheme::rlwe
