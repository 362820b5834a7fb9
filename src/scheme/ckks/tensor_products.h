#pragma once

#include <span>
#include <utility>

#include "ring/rns_poly.h"
#include "scheme/ckks/ciphertext.h"
#include "scheme/rlwe/modulus_chain.h"

namespace tacit::scheme::ckks {

/// So many products are added up at a time rather than term by term where they are used.
inline constexpr std::size_t kManyProducts = 3;

/// d0 + d1 s + d2 s^2: the sum of products of ciphertexts of two polynomials. Every operand is read once, a run of
/// words of all of them at a time, while the next run is fetched: where they come from memory, that is what decides.
struct TensorProduct {
  ring::NttPoly d0, d1, d2;  ///< rows of the level
};
TensorProduct tensor_products(const rlwe::ModulusChain& chain,
                              std::span<const std::pair<const Ciphertext*, const Ciphertext*>> terms, int level);

}  // namespace tacit::scheme::ckks
