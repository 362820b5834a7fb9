#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tacit::ring {

/// Galois element 5^steps mod 2N of a left rotation by `steps` slots; steps may be negative and wrap at N / 2.
/// Here and below n is the ring degree N, a power of two.
std::uint64_t rotation_element(std::int64_t steps, std::size_t n);
/// Galois element 2N - 1 of complex conjugation.
std::uint64_t conjugation_element(std::size_t n);
/// Index table for limb::permute: X -> X^element in the NTT domain of NttTables. Throws InputError unless the element
/// is odd and below 2N.
std::vector<std::uint32_t> automorphism_table(std::uint64_t element, std::size_t n);

}  // namespace tacit::ring
