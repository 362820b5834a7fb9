#pragma once

#include <cstddef>
#include <cstdint>

#include "ring/kind.h"
#include "ring/simd/kernels.h"

namespace tacit::ring {

/// Returns the Galois element of a left rotation by `steps` slots: 5^steps modulo the order of the roots of unity.
/// `steps` may be negative and wraps at the number of slots. Here and below n is the ring degree N, a power of two.
std::uint64_t rotation_element(std::int64_t steps, std::size_t n, Kind kind = Kind::negacyclic);
/// Returns the Galois element 2N - 1 of complex conjugation. The conjugate-invariant ring has no conjugation.
std::uint64_t conjugation_element(std::size_t n);
/// Returns the element that inverts this one.
std::uint64_t inverse_element(std::uint64_t element, std::size_t n, Kind kind = Kind::negacyclic);
/// Returns the map of X -> X^element in the NTT domain of NttTables, on the reversals of the n positions. Throws
/// InputError unless the element is odd and below the order of the roots. In the conjugate-invariant ring it must be 1
/// modulo 4.
simd::AffineMap automorphism_map(std::uint64_t element, std::size_t n, Kind kind = Kind::negacyclic);

}  // namespace tacit::ring
