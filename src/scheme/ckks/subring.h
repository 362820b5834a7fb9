#pragma once

#include <cstdint>

#include "ring/rns_poly.h"
#include "scheme/ckks/ciphertext.h"
#include "scheme/ckks/context.h"

/// Polynomials in X^g, g = 2^log_gap, are a subring. It holds the messages whose slots repeat with the period slots /
/// g. In the NTT domain such a polynomial has every value g times in sequence.
namespace tacit::scheme::ckks {

/// Keeps the coefficients of X^(g i) of a polynomial over ciphertext primes: the mean of each sequence of g values.
/// Without a gap it does nothing.
void keep_subring(const rlwe::ModulusChain& chain, ring::NttPoly& poly, int log_gap);

/// Multiplies a polynomial over ciphertext primes by 1 / g modulo the primes.
void divide_by_gap(const rlwe::ModulusChain& chain, ring::NttPoly& poly, int log_gap);

/// Returns a ciphertext of which c0 has the coefficients of X^(g i) alone, for a message whose slots repeat with the
/// period slots / g. Decryptor makes the same message of it, with the noise of these coefficients alone. Throws
/// InputError unless 0 <= log_gap < log2 slots.
Ciphertext thinned(const Context& context, Ciphertext ciphertext, int log_gap);

/// Throws InputError unless 0 <= log_gap < log2 slots. `operation` begins the message.
void check_gap(const Context& context, int log_gap, const char* operation);

}  // namespace tacit::scheme::ckks
