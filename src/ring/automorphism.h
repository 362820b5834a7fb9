#pragma once

#include <cstdint>
#include <vector>

namespace tacit::ring {

/// Galois element 5^steps mod 2N of a left rotation by `steps` slots; steps may be negative.
std::uint64_t rotation_element(std::int64_t steps, std::size_t n);
/// Galois element 2N - 1 of complex conjugation.
std::uint64_t conjugation_element(std::size_t n);
/// Index table for limb::permute: X -> X^element in the NTT domain of NttTables.
std::vector<std::uint32_t> automorphism_table(std::uint64_t element, std::size_t n);

}  // namespace tacit::ring
