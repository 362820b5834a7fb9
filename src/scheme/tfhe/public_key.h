#pragma once

#include <span>
#include <vector>

#include "base/aligned.h"
#include "scheme/tfhe/lwe_ciphertexts.h"
#include "scheme/tfhe/secret_key.h"
#include "scheme/tfhe/torus.h"

namespace tacit::scheme::tfhe {

/// A key that encrypts and does not decrypt: k GLWE encryptions of zero under the large key. A row is k mask
/// polynomials A_i, which a seed expands to (GlweRows), and the body b_i = <A_i, s> + e_i. The security is that of the
/// rows of the evaluation keys: module LWE of dimension k N with binary secrets. Immutable, thread safe.
struct PublicKey {
  base::Seed seed{};
  std::vector<Torus> bodies{};  ///< k polynomials of N words
  params::ParameterHash parameters{};

  /// Makes a key from the operating system's randomness. Throws KeyMismatch on a secret of another set.
  static PublicKey generate(const Context& context, const SecretKey& secret);
};

/// Encrypts under a public key with fresh randomness of the operating system (Lyubashevsky, Peikert, Regev 2010, over
/// modules). N torus elements m become one GLWE ciphertext with the masks sum_i r_i A_i + e'' and the body
/// sum_i r_i b_i + e' + m. The r_i are uniform on {-1, 0, 1}, so that errors of ciphertexts do not share a mean. The
/// errors are as wide as those of the key. Masks, errors and products are wiped. params::public_encryption_factor
/// states the noise. Thread safe.
class PublicEncryptor {
 public:
  /// Expands the key. Throws KeyMismatch on a key of another set.
  PublicEncryptor(ContextPtr context, const PublicKey& key);
  /// Encrypts at least one torus element (torus.h: encode).
  FreshLweCiphertexts encrypt(std::span<const Torus> messages) const;

 private:
  ContextPtr context_;
  base::AlignedVector<Torus> rows_;  ///< k rows of k masks and a body, each N words
};

}  // namespace tacit::scheme::tfhe
