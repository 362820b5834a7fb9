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
/// precomputes. Rows of a polynomial at level l: q_0 … q_l; of an *extended* polynomial: q_0 … q_l, p_0 … p_(K_l - 1).
/// A digit of the hybrid key switch (Han, Ki 2020) is some consecutive ciphertext primes.
/// A key switch at level l uses the first special primes alone, as many as the level says: keys are made for P, the
/// product of all, and whoever decomposes c at the level multiplies it by P_l / P first, as <digits, key> is then P_l c
/// modulo every q and 0 modulo every special prime (level-aware key switching: Hwang, Seo, Song 2023). One key serves
/// all levels. Immutable, thread safe.
class ModulusChain {
 public:
  /// n is a power of two; all primes are distinct and 1 modulo the order of the ring's roots; `digits` holds the number
  /// of ciphertext primes of every digit, from q_0; `special` the number of special primes of every level, 1 to all of
  /// them and never falling (throws InputError otherwise).
  ModulusChain(std::size_t n, std::span<const std::uint64_t> q, std::span<const std::uint64_t> p,
               std::span<const std::size_t> digits, std::span<const std::size_t> special,
               ring::Kind kind = ring::Kind::negacyclic);
  /// Primes of `whole` in another order: `q` and `p` are indices there, ciphertext primes first. The tables are shared.
  /// Where only small polynomials are decomposed, which are their digit themselves, there is no mod_up.
  enum class Decomposes { all, small };
  ModulusChain(const ModulusChain& whole, std::span<const std::size_t> q, std::span<const std::size_t> p,
               std::span<const std::size_t> digits, std::span<const std::size_t> special,
               Decomposes decomposes = Decomposes::all);

  std::size_t n() const { return n_; }
  ring::Kind kind() const { return kind_; }
  int max_level() const { return static_cast<int>(ciphertext_primes_) - 1; }
  /// Of both kinds.
  std::size_t primes() const { return tables_.size(); }
  std::size_t special_primes(int level) const { return level_special_[static_cast<std::size_t>(level)]; }
  /// The special primes of the level themselves.
  std::vector<std::uint64_t> special_values(int level) const;
  static std::size_t rows(int level) { return static_cast<std::size_t>(level) + 1; }
  std::size_t extended_rows(int level) const { return rows(level) + special_primes(level); }
  std::size_t digits(int level) const;
  /// Digits [first, last) of prime indices at this level.
  std::size_t digit_first(std::size_t digit) const { return digit_first_[digit]; }
  std::size_t digit_last(int level, std::size_t digit) const;
  /// The digit that a ciphertext prime belongs to.
  std::size_t digit_of(std::size_t row) const;

  /// Index of the prime of an extended row: 0 … L, then the special primes.
  std::size_t prime_of(int level, std::size_t row) const {
    return row < rows(level) ? row : row - rows(level) + ciphertext_primes_;
  }
  const ring::NttTables& ntt(std::size_t prime) const { return *tables_[prime]; }
  const ring::Modulus& modulus(std::size_t prime) const { return tables_[prime]->modulus(); }
  /// The same for all primes: their coefficients go together tile by tile.
  const ring::NttTables::Tiling& tiling() const { return tables_[0]->tiling(); }

  /// Multiplies a digit by digit_factor and extends it: to the extended rows that it does not own, in their order.
  const ring::BaseConverter& mod_up(int level, std::size_t digit) const {
    return levels_[static_cast<std::size_t>(level)].mod_up[digit];
  }
  /// P_level to all ciphertext primes; q_level, P_level to those below the level (level >= 1).
  const ring::BaseConverter& divide(int level) const { return *special(level).divide; }
  const ring::BaseConverter& divide_rescale(int level) const {
    return *levels_[static_cast<std::size_t>(level)].divide_rescale;
  }
  /// P mod q_row, of all special primes.
  std::uint64_t key_factor(std::size_t row) const { return special_.back().product[row]; }
  /// P_level mod q_row.
  std::uint64_t special_product(int level, std::size_t row) const { return special(level).product[row]; }
  /// P_level^-1 mod q_row.
  std::uint64_t divide_factor(int level, std::size_t row) const { return special(level).inverse[row]; }
  /// Whether the level divides by fewer special primes than there are, so that digit_factor is not 1.
  bool spares(int level) const { return special_primes(level) < special_.size(); }
  /// P_level / P mod q_row.
  std::uint64_t digit_factor(int level, std::size_t row) const { return special(level).share[row]; }
  /// (P_level q_level)^-1 mod q_row, row < level.
  std::uint64_t divide_rescale_factor(int level, std::size_t row) const {
    return levels_[static_cast<std::size_t>(level)].divide_rescale_factor[row];
  }
  /// q_level^-1 mod q_row, row < level.
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
  /// What belongs to the first special primes, by ciphertext prime.
  struct Special {
    std::vector<std::uint64_t> product, inverse, share;
    std::optional<ring::BaseConverter> divide;
  };
  Level make_level(int level) const;
  const Special& special(int level) const { return special_[special_primes(level) - 1]; }

  std::size_t n_ = 0, ciphertext_primes_ = 0;
  ring::Kind kind_;
  Decomposes decomposes_ = Decomposes::all;
  std::vector<std::size_t> digit_first_;  ///< and the number of ciphertext primes at the end
  std::vector<std::shared_ptr<const ring::NttTables>> tables_;
  std::vector<std::size_t> level_special_;  ///< special primes of every level
  std::vector<Special> special_;            ///< by number of special primes, from 1
  std::vector<Level> levels_;
};

}  // namespace tacit::scheme::rlwe
