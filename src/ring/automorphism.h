#pragma once

#include <cstddef>
#include <cstdint>

#include "ring/kind.h"
#include "ring/simd/kernels.h"

namespace tacit::ring {

/// Galois element of a left rotation by `steps` slots, 5^steps modulo the order of the roots of unity; steps may be
/// negative and wrap at the number of slots. Here and below n is the ring degree N, a power of two.
std::uint64_t rotation_element(std::int64_t steps, std::size_t n, Kind kind = Kind::negacyclic);
/// Galois element 2N - 1 of complex conjugation, which the conjugate-invariant ring does not have.
std::uint64_t conjugation_element(std::size_t n);
/// The element that undoes this one.
std::uint64_t inverse_element(std::uint64_t element, std::size_t n, Kind kind = Kind::negacyclic);
/// X -> X^element in the NTT domain of NttTables, on the reversals of the n positions. Throws InputError unless the
/// element is odd and below the order of the roots, and in the conjugate-invariant ring 1 modulo 4.
simd::AffineMap automorphism_map(std::uint64_t element, std::size_t n, Kind kind = Kind::negacyclic);

}  // namespace tacit::ring
