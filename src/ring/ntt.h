#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "base/aligned.h"
#include "base/cpu.h"
#include "ring/destination.h"
#include "ring/kind.h"
#include "ring/modulus.h"
#include "ring/simd/kernels.h"

namespace tacit::ring {

/// The roots for the NTT of one prime, degree and ring. Immutable, thread safe, cheap to copy (tables are shared).
///
/// Position i of the NTT domain ("standard" order) holds the evaluation at psi^(2*brv(i)+1). In the conjugate-invariant
/// ring it holds the one at psi^(4*brv(i)+1). brv is the bit reversal on log2 N bits. The order is the same for every
/// instruction set, so that automorphisms and artefacts do not depend on the machine. psi is the smallest primitive
/// root of unity modulo q of the ring's order (kind.h).
///
/// The conjugate-invariant transform is the negacyclic one with other roots and one more pass. With I = psi^N, X^N = I
/// at every psi^(4k+1). There a_0 + sum of a_i (X^i + X^-i) is the ordinary polynomial of coefficients a_i - I a_(N-i).
class NttTables {
 public:
  /// Throws InputError unless q = 1 modulo the order of the roots is prime, N a power of two, 2^3 <= N <= 2^17. The
  /// tables are laid out for one instruction set, which the processor must support. Its instructions are chosen for
  /// multipliers that are scarce or not. The results are the same for all.
  NttTables(const Modulus& q, std::size_t n, base::Isa isa = base::active_isa(), Kind kind = Kind::negacyclic,
            bool scarce_multipliers = base::halves_wide_vectors());
  const Modulus& modulus() const { return modulus_; }
  std::size_t n() const { return words_.n; }
  /// Returns the primitive root of unity that defines the NTT domain.
  std::uint64_t psi() const { return psi_; }

  /// Transforms in place; input in [0, q), output in [0, q).
  void forward(std::uint64_t* a) const;
  /// Transforms a polynomial in X^(n / size) in place, negacyclic, from its `size` coefficients to its distinct values.
  /// Each value stands for n / size consecutive ones. Words are in [0, q). `size` is a power of two, at least 2. The
  /// tables of each requested size are kept.
  void forward_repeating(std::span<std::uint64_t> a) const;
  /// Computes the inverse in place, including the factor 1/N; input and output in [0, q).
  void inverse(std::uint64_t* a) const;

  /// The same transforms in two phases, for callers that make coefficients, or use values, a few at a time. Between the
  /// phases, and before the first, a polynomial has `tiles()` tiles of tile_words() words, tile_stride() apart. The
  /// order of its coefficients depends on the degree and the instruction set alone. Operations on coefficients of
  /// several primes may thus work tile by tile. Values are finished block by block, in their usual order.
  ///
  /// An instruction set without separate phases has one tile and one block, the whole polynomial. The
  /// conjugate-invariant ring has one tile, because its transform pairs coefficients.
  struct Tiling {
    std::size_t tiles = 1, tile_words = 0, tile_stride = 0;
    std::size_t blocks = 1, block_words = 0;
    /// Returns the number of words of a polynomial in tiles.
    std::size_t words() const { return tiles * tile_stride; }
  };
  const Tiling& tiling() const { return tiling_; }
  /// Transforms the coefficients of one tile in [0, 2q) to the input of forward_block, and overwrites `from`. Tiles of
  /// whole polynomials must be on cache lines.
  void forward_tile(std::uint64_t* from, Destination to) const;
  /// Writes the values [block * block_words, (block + 1) * block_words), in [0, q). The words of the next block are
  /// prefetched meanwhile.
  void forward_block(const std::uint64_t* tiled, std::size_t block, std::uint64_t* out) const;
  /// Writes the same as any words whose low 52 bits are congruent to the values, as limb::dot takes them.
  void forward_block_lazy(const std::uint64_t* tiled, std::size_t block, std::uint64_t* out) const;
  /// Transforms the block_words values of a block, in [0, q), to the input of inverse_tile.
  void inverse_block(const std::uint64_t* in, std::size_t block, Destination tiled) const;
  /// Writes the coefficients of a tile in [0, q), the factor 1/N included.
  void inverse_tile(const std::uint64_t* from, std::uint64_t* to) const;

 private:
  struct Smaller;
  /// Makes tables for polynomials in X^(n / size), by the same prime.
  NttTables(const NttTables& whole, std::size_t size);
  /// Sets the members that depend on the degree, the root and the kind.
  void lay_out(std::size_t n, bool scarce_multipliers);
  void make_tables();
  /// Convert coefficients in pairs to those of an ordinary polynomial modulo X^N - I, and back (of their halves).
  void fold(std::uint64_t* a) const;
  void unfold(std::uint64_t* a) const;
  /// Convert between a whole polynomial in its usual order and the kernels' tiles.
  void forward_columns(const std::uint64_t* from, Destination to) const;
  void inverse_columns(const std::uint64_t* from, std::uint64_t* to) const;

  Modulus modulus_;
  Kind kind_;
  std::uint64_t psi_ = 0;
  std::uint64_t mirror_ = 0, mirror_shoup_ = 0;                  ///< -I, and its companion
  std::uint64_t inverse_mirror_ = 0, inverse_mirror_shoup_ = 0;  ///< I
  std::shared_ptr<const base::AlignedVector<std::uint64_t>> tables_;
  simd::NttWords words_;  ///< points into tables_
  Tiling tiling_, kernel_tiling_;
  std::size_t kernel_blocks_ = 1;  ///< blocks of the kernels that make one block
  base::Isa isa_;
  const simd::Kernels* kernels_;
  const simd::TiledNtt* tiled_ = nullptr;  ///< null if the phases are not separate: one tile, one block
  std::shared_ptr<Smaller> smaller_;
};

}  // namespace tacit::ring
