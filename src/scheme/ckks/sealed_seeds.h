#pragma once

#include <span>
#include <vector>

#include "base/random.h"
#include "scheme/ckks/ciphertext.h"
#include "scheme/ckks/context.h"
#include "scheme/ckks/keys.h"

/// Seeds under the public key of their receiver. A bit of a seed is half of q_0 in a coefficient (Regev 2005). The
/// randomness of the encryption is a hash of the seeds and the key, and the receiver encrypts again to compare
/// (Fujisaki, Okamoto 1999). So a sealed message that its receiver accepts was made from the seeds that it holds, and a
/// refusal tells its maker nothing about the receiver's key.
namespace tacit::scheme::ckks {

/// Returns ciphertexts at level 0 that hold the seeds, as few as their bits need. Throws KeyMismatch for a key of
/// another set. Seeds must be random: the seal hides nothing that can be guessed.
std::vector<Ciphertext> seal(const Context& context, const PublicKey& receiver, std::span<const base::Seed> seeds);
/// Returns `count` seeds, sealed under `own`, the public key of `secret`. Throws InputError for anything that `seal`
/// does not give for these seeds. The caller wipes the seeds.
std::vector<base::Seed> open_sealed(const Context& context, const SecretKey& secret, const PublicKey& own,
                                    std::span<const Ciphertext> sealed, std::size_t count);

}  // namespace tacit::scheme::ckks
