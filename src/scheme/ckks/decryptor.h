#pragma once

#include <complex>
#include <optional>
#include <vector>

#include "scheme/ckks/ciphertext.h"
#include "scheme/ckks/context.h"
#include "scheme/ckks/decoding_noise.h"
#include "scheme/ckks/encoder.h"
#include "scheme/ckks/keys.h"

namespace tacit::scheme::ckks {

/// Thread safe.
class Decryptor {
 public:
  /// Throws KeyMismatch on a key of another set.
  Decryptor(ContextPtr context, const SecretKey& key);

  /// The slots, with decoding noise of this deviation; where none is stated, with that of `estimated_noise`, which
  /// takes the message to be real. Half a bit of precision is lost to as much noise as there is.
  std::vector<std::complex<double>> decrypt(const Ciphertext& ciphertext, std::optional<double> deviation = {}) const;

  /// The plaintext with the ciphertext's own noise and no other: for what stays with the owner of the key (checks and
  /// validation), and for who adds noise himself. Whoever sees all of its digits, and the ciphertext, has the key.
  Plaintext decrypt_exactly(const Ciphertext& ciphertext) const;
  /// The slots of that plaintext, at `scale` where the ciphertext is not to say its own.
  std::vector<std::complex<double>> exact_slots(const Ciphertext& ciphertext, std::optional<double> scale = {}) const;

  /// That of the ciphertext of a real message.
  double estimated_noise(const Ciphertext& ciphertext) const;

  /// What `decrypt` adds.
  const DecodingNoise& noise() const { return noise_; }

 private:
  ContextPtr context_;
  Encoder encoder_;
  SecretKey key_;
  DecodingNoise noise_;
};

}  // namespace tacit::scheme::ckks
