#pragma once

#include <optional>

#include "base/random.h"
#include "params/ckks_parameters.h"
#include "ring/rns_poly.h"

namespace tacit::scheme::ckks {

/// A fresh or evaluated ciphertext: (c0, c1) in the NTT domain over q_0 … q_level, decrypting to c0 + c1 s.
/// Holds slots * scale + noise. Copyable; operations return new objects.
struct Ciphertext {
  ring::NttPoly c0, c1;
  int level = 0;
  double scale = 0;
  params::ParameterHash parameters{};
  /// Set for a fresh ciphertext under the secret key only. c1 is the expansion of this seed, so that it need not be
  /// sent.
  std::optional<base::Seed> c1_seed{};
  /// Above 0 for a thin ciphertext: c0 is a polynomial in X^(2^log_gap), a question (Encryptor::encrypt_thin) or an
  /// answer (thinned in subring.h). Its words in the NTT domain repeat 2^log_gap times.
  int log_gap = 0;
};

/// A ciphertext whose modulus was raised, under the ephemeral secret: the integer coefficients of c1 are at most q_0 /
/// 2 in absolute value.
struct RaisedCiphertext {
  Ciphertext lifted;
  ring::NttPoly special;  ///< c1 modulo p_0
};

/// An encoded message over q_0 … q_level (and, for diagonals of linear maps, the special primes), NTT domain.
struct Plaintext {
  ring::NttPoly poly;
  int level = 0;
  double scale = 0;
  params::ParameterHash parameters{};
};

}  // namespace tacit::scheme::ckks
