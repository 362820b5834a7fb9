#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/cpu.h"
#include "ring/modulus.h"
#include "ring/simd/kernels.h"

namespace tacit::ring {

/// Converts residues x mod each prime of `from`, coefficient domain, to residues mod each prime of `to`. The base
/// conversion is that of Bajard, Eynard, Hasan, Zucca 2016, in the centred variant of Halevi, Polyakov, Shoup 2018
/// (section 2.2). A floating-point quotient avoids adding a multiple of the source product.
///
/// x is the centred representative modulo the product Q of `from`. With one source prime it is exact. With more it is
/// exact unless |x| is within about 2^-45 Q of Q / 2; there the result may be either neighbour. A converter with a
/// scale takes x times the scale modulo Q instead, at no cost. Immutable, thread safe; copies share their tables.
class BaseConverter {
 public:
  /// `scale` holds the canonical residues of the scale modulo the primes of `from`; empty means 1. Throws InputError in
  /// these cases: `from` is empty, has more than 64 primes, or has one twice; the scale has another number of residues.
  BaseConverter(std::vector<Modulus> from, std::vector<Modulus> to, base::Isa isa = base::active_isa(),
                const std::vector<std::uint64_t>& scale = {});
  const std::vector<Modulus>& from() const { return from_; }
  const std::vector<Modulus>& to() const { return to_; }
  /// Computes the first half, which depends on the source primes alone. src[i] are limbs of n words in [0, q), n a
  /// multiple of 8. `prepared` has prepared_words(n) words on a cache line.
  std::size_t prepared_words(std::size_t n) const;
  void prepare(std::span<const std::uint64_t* const> src, std::uint64_t* prepared, std::size_t n) const;
  /// Converts to dst.size() primes of `to` from `first_target` on. Results are n words each in [0, 2q), as
  /// NttTables::forward_tile takes them.
  void convert_prepared(const std::uint64_t* prepared, std::size_t first_target, std::span<std::uint64_t* const> dst,
                        std::size_t n) const;

 private:
  /// Calls visit(words of the strip, its first coefficient, their number) for every strip of coefficients.
  template <class Words, class Visit>
  void each_strip(Words* prepared, std::size_t n, const Visit& visit) const;

  std::vector<Modulus> from_, to_;
  const simd::Kernels* kernels_;
  std::shared_ptr<const std::vector<std::uint64_t>> factors_;  ///< to x 2 x (from + 1), pointed into by targets_
  std::vector<simd::ConversionSource> sources_;
  std::vector<simd::ConversionTarget> targets_;
};

}  // namespace tacit::ring
