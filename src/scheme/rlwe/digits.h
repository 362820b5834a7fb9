#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "ring/rns_poly.h"
#include "scheme/rlwe/modulus_chain.h"
#include "scheme/rlwe/scratch.h"

namespace tacit::scheme::rlwe {

/// Whether so many words, written by one phase and read by a later one, go around the caches.
bool goes_around(std::size_t words);

/// The first half of a base conversion of whole polynomials, tile by tile: tiles of the source primes are made into
/// coefficients, converted and half-transformed to every target while they are in the nearer caches.
/// For one thread; `targets` of the converter are those of the rows in `to`.
class TileConverter {
 public:
  TileConverter(const ModulusChain& chain, const ring::BaseConverter& converter, Contents contents = Contents::open);
  /// `from`: tables and half-transformed tiled limbs of the source primes; `to`: the same of all target primes.
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

/// The digits of a polynomial in the NTT domain, extended to all primes of a level, with the last phase of their
/// transform left to whoever reads them block by block. Thread safe once made.
class Digits {
 public:
  /// Reads the first level + 1 rows of `source`, which must outlive this object. Decomposes `source` times P_level / P,
  /// so that <digits, key> is P_level times what the key turns it into (ModulusChain).
  Digits(const ModulusChain& chain, const ring::NttPoly& source, int level);
  /// Of a polynomial whose integer coefficients are small, over a chain of one digit that divides by all special primes
  /// at every level: it is that digit itself. `source` and `special` are its rows of the ciphertext and of the special
  /// primes, and must outlive this object. The error of a key is multiplied by the coefficients, so that they should
  /// not be much larger than P.
  Digits(const ModulusChain& chain, const ring::NttPoly& source, const ring::NttPoly& special, int level);
  /// Finishes every row now, for several key switches of one polynomial (hoisting: Halevi, Shoup 2018).
  void hoist();
  bool hoisted() const { return !tiled_; }
  int level() const { return level_; }
  std::size_t count() const { return chain_->digits(level_); }
  bool owns(std::size_t digit, std::size_t row) const {
    return row >= chain_->digit_first(digit) && row < chain_->digit_last(level_, digit);
  }
  /// Where `finished` reads a row that the digit owns, or any after hoist().
  const std::uint64_t* row(std::size_t digit, std::size_t row) const {
    if (owns(digit, row) && !(hoisted() && scaled())) return source_->limb(row);
    return special_ != nullptr ? special_->limb(row - ModulusChain::rows(level_)) : extended_[digit].limb(row);
  }
  /// Words of one row finished lazily (ring::NttTables) into `room`, or where they lie.
  const std::uint64_t* finished(std::size_t digit, std::size_t row, std::uint64_t* room) const;
  /// The values of one block of one row of a digit, where they lie or finished lazily (ring::NttTables) into `room`.
  const std::uint64_t* block(std::size_t digit, std::size_t row, std::size_t block, std::uint64_t* room) const;

 private:
  std::size_t at(std::size_t digit, std::size_t row) const { return digit * chain_->extended_rows(level_) + row; }
  /// Whether own rows are not those of the source.
  bool scaled() const { return chain_->spares(level_); }
  /// `count` words of an own row from `first` on, in `room` or where they lie.
  const std::uint64_t* own(std::size_t row, std::size_t first, std::size_t count, std::uint64_t* room) const;

  const ModulusChain* chain_;
  const ring::NttPoly* source_;
  const ring::NttPoly* special_ = nullptr;  ///< of a small polynomial
  int level_;
  std::unique_ptr<ScratchRows> tiled_;   ///< by digit, then row
  std::vector<ring::NttPoly> extended_;  ///< after hoist(), but for own rows that lie in the source
};

}  // namespace tacit::scheme::rlwe
