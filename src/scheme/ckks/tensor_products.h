#pragma once

#include <span>
#include <utility>

#include "ring/rns_poly.h"
#include "scheme/ckks/ciphertext.h"
#include "scheme/rlwe/modulus_chain.h"

namespace tacit::scheme::ckks {

/// The number of products from which they are added together first, rather than term by term at their use.
inline constexpr std::size_t kManyProducts = 3;

/// d0 + d1 s + d2 s^2: the sum of products of ciphertexts of two polynomials. Every operand is read once. A run of
/// words of all operands is used while the next run is fetched, because reading from memory decides the speed.
struct TensorProduct {
  ring::NttPoly d0, d1, d2;  ///< rows of the level
};
TensorProduct tensor_products(const rlwe::ModulusChain& chain,
                              std::span<const std::pair<const Ciphertext*, const Ciphertext*>> terms, int level);

}  // namespace tacit::scheme::ckks
