#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "ring/rns_poly.h"
#include "scheme/rlwe/modulus_chain.h"
#include "scheme/rlwe/scratch.h"

namespace tacit::scheme::rlwe {

/// Returns true if `words` words that one phase writes and a later one reads should go around the caches.
bool goes_around(std::size_t words);

/// The first half of a base conversion of whole polynomials, tile by tile. Tiles of the source primes are made into
/// coefficients, converted and half-transformed to every target while they are in the nearer caches. `targets` of the
/// converter are those of the rows in `to`. For one thread.
class TileConverter {
 public:
  TileConverter(const ModulusChain& chain, const ring::BaseConverter& converter, Contents contents = Contents::open);
  /// A prime: `from` has tables and half-transformed tiled limbs of the source primes, `to` those of all target primes.
  struct Limb {
    const ring::NttTables* ntt;
    ring::Destination tiled;
  };
  void run(std::size_t tile, std::span<const Limb> from, std::span<const Limb> to);

 private:
  const ring::NttTables::Tiling& tiling_;
  const ring::BaseConverter& converter_;
  Contents contents_;
  ScratchRows coefficients_, prepared_;
};

/// The digits of a polynomial in the NTT domain, extended to all primes of a level. Readers do the last phase of the
/// transforms block by block. Thread safe once made.
class Digits {
 public:
  /// Decomposes the first level + 1 rows of `source`, which must outlive this object. The digits are those of `source`
  /// times P_level / P, so that <digits, key> is P_level times the switched polynomial (ModulusChain).
  Digits(const ModulusChain& chain, const ring::NttPoly& source, int level);
  /// Takes a polynomial with small integer coefficients as its own single digit. The chain must have one digit and
  /// divide by all special primes at every level. `source` and `special` are the rows of the ciphertext primes and of
  /// the special primes, and must outlive this object. The coefficients multiply the error of a key: they should not be
  /// much larger than P.
  Digits(const ModulusChain& chain, const ring::NttPoly& source, const ring::NttPoly& special, int level);
  /// Finishes every row, for several key switches of one polynomial (hoisting: Halevi, Shoup 2018).
  void hoist();
  bool hoisted() const { return !tiled_; }
  int level() const { return level_; }
  std::size_t count() const { return chain_->digits(level_); }
  bool owns(std::size_t digit, std::size_t row) const {
    return row >= chain_->digit_first(digit) && row < chain_->digit_last(level_, digit);
  }
  /// Returns the words of a row that the digit owns, or of any row after hoist().
  const std::uint64_t* row(std::size_t digit, std::size_t row) const {
    if (owns(digit, row) && !(hoisted() && scaled())) return source_->limb(row);
    return special_ != nullptr ? special_->limb(row - ModulusChain::rows(level_)) : extended_[digit].limb(row);
  }
  /// Returns one row finished lazily (ring::NttTables). The words are in `room`, or at an existing place.
  const std::uint64_t* finished(std::size_t digit, std::size_t row, std::uint64_t* room) const;
  /// Returns the values of one block of one row of a digit. They are finished lazily (ring::NttTables) in `room`, or at
  /// an existing place.
  const std::uint64_t* block(std::size_t digit, std::size_t row, std::size_t block, std::uint64_t* room) const;

 private:
  std::size_t at(std::size_t digit, std::size_t row) const { return digit * chain_->extended_rows(level_) + row; }
  /// Returns true if own rows differ from those of the source.
  bool scaled() const { return chain_->spares(level_); }
  /// Returns `count` words of an own row from `first` on, in `room` or at an existing place.
  const std::uint64_t* own(std::size_t row, std::size_t first, std::size_t count, std::uint64_t* room) const;

  const ModulusChain* chain_;
  const ring::NttPoly* source_;
  const ring::NttPoly* special_ = nullptr;  ///< set for a small polynomial
  int level_;
  std::unique_ptr<ScratchRows> tiled_;   ///< by digit, then row
  std::vector<ring::NttPoly> extended_;  ///< after hoist(), without own rows that equal rows of the source
};

}  // namespace tacit::scheme::rlwe
