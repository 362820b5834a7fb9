#pragma once

#include <cstdint>

namespace tacit::ring::simd {

/// The constants of one prime q < 2^50 as plain words, which Modulus fills in. The struct has no functions. Files
/// compiled for an instruction set may thus include it without emitting code that other files could link to.
struct ModulusWords {
  std::uint64_t q = 0;
  std::uint64_t bits = 0;     ///< bit length b of q
  std::uint64_t ratio64 = 0;  ///< floor(2^64 / q): Barrett of one 64-bit word
  std::uint64_t ratio52 = 0;  ///< floor(2^52 / q): Barrett of one 52-bit word
  std::uint64_t mu = 0;       ///< floor(2^(b+51) / q) < 2^52: Barrett of a product of two residues
  std::uint64_t two52 = 0;    ///< 2^52 mod q, and its 52-bit Shoup companion
  std::uint64_t two52_shoup = 0;
  std::uint64_t two104 = 0;  ///< 2^104 mod q, and its 52-bit Shoup companion
  std::uint64_t two104_shoup = 0;
  std::uint64_t inverse52 = 0;      ///< q^-1 modulo 2^52
  std::uint64_t two52_inverse = 0;  ///< 2^-52 modulo q
};

}  // namespace tacit::ring::simd
