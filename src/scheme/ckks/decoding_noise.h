#pragma once

#include <complex>
#include <span>

#include "base/sha256.h"
#include "params/ckks_parameters.h"
#include "scheme/ckks/ciphertext.h"
#include "scheme/ckks/keys.h"

/// Deviations are those of the real part of one slot, and of its imaginary part, in the units of the message.
namespace tacit::scheme::ckks {

/// Estimated noise of a ciphertext, never below that of a fresh one. `slots` are those of a real message, decoded
/// exactly: what imaginary parts they have is noise. The estimate is their root mean square, or more where a few stand
/// out by more than those of even noise do: noise is uneven behind a mask of very different weights, and then it may be
/// estimated several times too small in the noisiest slots. Sets of real slots show no noise: theirs is taken to be
/// that of one key switch at the level, which every result has but a fresh ciphertext.
double estimated_noise(const params::CkksParameters& parameters, int level, double scale,
                       std::span<const std::complex<double>> slots);

/// Gaussian noise that the owner of a secret key adds to what he decodes, so that its digits do not tell the noise of
/// the ciphertext (Li, Micciancio 2021). It is drawn from AES-256-CTR keyed with the SHA-256 of the secret, the
/// deviation and the first limb of c1. Nobody without the secret can draw it. The same ciphertext always has the same
/// noise. So have all ciphertexts that differ from it by a constant, or by limbs that were dropped: their decodings
/// average nothing out. A ciphertext that was computed in another way has independent noise, and n related ones leave
/// an n-th of its variance (SECURITY.md states how many are safe). Thread safe.
class DecodingNoise {
 public:
  explicit DecodingNoise(const SecretKey& secret);
  ~DecodingNoise();
  DecodingNoise(const DecodingNoise&) = default;
  DecodingNoise& operator=(const DecodingNoise&) = default;

  /// Adds independent noise to both parts of every slot. The deviation is rounded up to the next of sixteen steps
  /// between powers of two, so that nearly equal ones have the same noise.
  void add_to(std::span<std::complex<double>> slots, const Ciphertext& ciphertext, double deviation) const;

 private:
  base::Digest key_;
};

}  // namespace tacit::scheme::ckks
