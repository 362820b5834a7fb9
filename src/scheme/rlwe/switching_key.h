#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/random.h"
#include "ring/rns_poly.h"
#include "ring/uniform_row.h"
#include "scheme/rlwe/modulus_chain.h"

namespace tacit::scheme::rlwe {

/// A key that turns c * from into (c0, c1) with c0 + c1 * to close to it, for polynomials up to one level. For each
/// digit d it has a pair (b_d, a_d) of extended polynomials with
///   b_d = -a_d to + e_d + P g_d from.
///
/// Here g_d is 1 on the primes of the digit and 0 on the others, and P is the product of all special primes. The
/// gadget, and thus the key, does not depend on the level of its use. A lower level reads fewer rows, of special primes
/// too. The pairs are held times 2^52 modulo each prime. Sums of products with their words are thus divided by 2^52
/// instead of reduced (Montgomery 1985). The a_d are held as a 32-byte seed and expanded at their use. The a_d of a
/// relinearisation key of several owners are sums, which no seed gives: such a key holds both halves. Movable,
/// immutable, thread safe.
class SwitchingKey {
 public:
  /// Makes a key with fresh randomness from the operating system. `from` and `to` are in NTT form, one row per prime of
  /// the chain.
  static SwitchingKey generate(const ModulusChain& chain, const ring::NttRows& from, const ring::NttRows& to,
                               int level);
  /// Makes a key with the given seed of the a_d, and with errors from `errors`.
  static SwitchingKey generate(const ModulusChain& chain, const ring::NttRows& from, const ring::NttRows& to, int level,
                               const base::Seed& uniform, base::Csprng& errors);
  /// Takes the stored form: one extended polynomial 2^52 b_d per digit (throws InputError if the shape does not fit).
  SwitchingKey(const ModulusChain& chain, int level, const base::Seed& seed, std::vector<ring::NttPoly> b);
  /// Takes both halves: 2^52 b_d and 2^52 a_d. Throws as above.
  SwitchingKey(const ModulusChain& chain, int level, std::vector<ring::NttPoly> b, std::vector<ring::NttPoly> a);

  /// Returns this key over `part`. That chain is `whole`, the chain of this key, without `count` ciphertext primes from
  /// `first` on and without digits that lose all their primes. The words are shared.
  SwitchingKey without(const ModulusChain& whole, const ModulusChain& part, std::size_t first, std::size_t count) const;

  /// Returns this key with its words in the caller's memory, placed_words() of them, which `owner` keeps. With `write`
  /// the words are written there. Otherwise another process that shares the memory has written them. `words` is aligned
  /// to 64 bytes.
  SwitchingKey placed(std::span<std::uint64_t> words, std::shared_ptr<const void> owner, bool write) const;
  /// Returns the number of words for `placed`: the key's, and the gap after each row that separates their cache sets.
  std::size_t placed_words() const;

  int level() const { return level_; }
  /// Returns true if the a_d are the expansion of `seed`, and not held.
  bool seeded() const { return a_.empty(); }
  const base::Seed& seed() const { return seed_; }
  std::size_t digits() const { return digit_.size(); }
  /// Returns the 2^52 b_d, as they are stored.
  const std::vector<ring::NttRows>& b() const { return b_; }
  /// Returns the 2^52 a_d that are held; empty for a seeded key.
  const std::vector<ring::NttRows>& held_a() const { return a_; }
  /// Returns row `row` of an extended polynomial at level `level` <= this->level().
  const std::uint64_t* b(std::size_t digit, int level, std::size_t row) const {
    return b_[digit_[digit]].limb(held_row(level, row));
  }
  /// Returns the same row of 2^52 a_d, for a seeded key.
  ring::UniformRow a(const ModulusChain& chain, std::size_t digit, int level, std::size_t row) const;
  /// Returns the same row of a key that holds both halves.
  const std::uint64_t* held_a(std::size_t digit, int level, std::size_t row) const {
    return a_[digit_[digit]].limb(held_row(level, row));
  }
  /// Returns the bytes held in memory.
  std::size_t bytes() const { return (b_.size() + a_.size()) * held_rows_ * n_ * sizeof(std::uint64_t); }

 private:
  SwitchingKey(const ModulusChain& chain, int level, const base::Seed& seed, std::vector<ring::NttPoly> b,
               std::vector<ring::NttPoly> a);
  /// Returns the index of an extended row among the held ones.
  std::size_t held_row(int level, std::size_t row) const {
    return row < ModulusChain::rows(level) ? held_prime(row) : row + held_level_ - static_cast<std::size_t>(level);
  }
  /// Returns the index of a ciphertext prime in the chain that the key was made for.
  std::size_t held_prime(std::size_t row) const { return row < first_missing_ ? row : row + missing_; }

  int level_ = 0;
  std::size_t held_level_ = 0, first_special_ = 0;  ///< sizes of the chain that the key was made for
  std::size_t first_missing_ = 0, missing_ = 0;
  base::Seed seed_{};
  std::vector<std::size_t> digit_;  ///< the held digit of each digit
  std::size_t n_ = 0, held_rows_ = 0;
  std::vector<ring::NttRows> b_, a_;   ///< held_rows_ rows of n_ words each
  std::shared_ptr<const void> owner_;  ///< of the memory of b_ and a_
};

/// Returns the row of prime `prime` of a uniform polynomial. `index` separates the polynomials of one seed.
ring::UniformRow uniform_row(const ModulusChain& chain, const base::Seed& seed, std::size_t index, std::size_t prime);

}  // namespace tacit::scheme::rlwe
