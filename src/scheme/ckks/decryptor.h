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

  /// Returns the slots with decoding noise of this deviation. The default deviation is `estimated_noise`, which assumes
  /// a real message. As much noise as the ciphertext has costs half a bit of precision.
  std::vector<std::complex<double>> decrypt(const Ciphertext& ciphertext, std::optional<double> deviation = {}) const;

  /// Returns the plaintext with the ciphertext's own noise alone. It must stay with the owner of the key (checks and
  /// validation), or the caller must add noise. All of its digits together with the ciphertext reveal the key.
  Plaintext decrypt_exactly(const Ciphertext& ciphertext) const;
  /// Returns the slots of that plaintext. `scale` replaces the ciphertext's own scale.
  std::vector<std::complex<double>> exact_slots(const Ciphertext& ciphertext, std::optional<double> scale = {}) const;

  /// Returns the estimated noise of the ciphertext of a real message.
  double estimated_noise(const Ciphertext& ciphertext) const;

  /// Returns the noise that `decrypt` adds.
  const DecodingNoise& noise() const { return noise_; }

 private:
  ContextPtr context_;
  Encoder encoder_;
  SecretKey key_;
  DecodingNoise noise_;
};

}  // namespace tacit::scheme::ckks
