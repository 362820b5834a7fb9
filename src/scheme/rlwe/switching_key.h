#pragma once

#include <cstdint>
#include <vector>

#include "base/random.h"
#include "ring/rns_poly.h"
#include "ring/uniform_row.h"
#include "scheme/rlwe/modulus_chain.h"

namespace tacit::scheme::rlwe {

/// A key that turns c * from into (c0, c1) with c0 + c1 * to close to it, for polynomials up to one level: per digit d
/// a pair (b_d, a_d) of extended polynomials with b_d = -a_d to + e_d + P g_d from, where g_d is 1 on the primes of the
/// digit and 0 on the others. Independent of the level that it is used at, as the gadget is. Of the a_d only a 32-byte
/// seed is held: they are expanded where they are used. Movable, immutable, thread safe.
class SwitchingKey {
 public:
  /// `from` and `to`: NTT form, one row per prime of the chain. Fresh randomness from the operating system.
  static SwitchingKey generate(const ModulusChain& chain, const ring::NttPoly& from, const ring::NttPoly& to,
                               int level);
  /// From its stored form: one extended polynomial b_d per digit (throws InputError when the shape does not fit).
  SwitchingKey(const ModulusChain& chain, int level, const base::Seed& seed, std::vector<ring::NttPoly> b);

  int level() const { return level_; }
  const base::Seed& seed() const { return seed_; }
  std::size_t digits() const { return b_.size(); }
  const std::vector<ring::NttPoly>& b() const { return b_; }
  /// Row `row` of an extended polynomial at level `level` <= this->level().
  const std::uint64_t* b(std::size_t digit, int level, std::size_t row) const { return b_[digit].limb(at(level, row)); }
  ring::UniformRow a(const ModulusChain& chain, std::size_t digit, int level, std::size_t row) const;
  /// Bytes held in memory.
  std::size_t bytes() const;

 private:
  std::size_t at(int level, std::size_t row) const {
    return row < ModulusChain::rows(level) ? row : row + static_cast<std::size_t>(level_ - level);
  }
  int level_ = 0;
  base::Seed seed_{};
  std::vector<ring::NttPoly> b_;
};

/// Row of prime `prime` of a uniform polynomial; `index` separates the polynomials of one seed.
ring::UniformRow uniform_row(const ModulusChain& chain, const base::Seed& seed, std::size_t index, std::size_t prime);

}  // namespace tacit::scheme::rlwe
