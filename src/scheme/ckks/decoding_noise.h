#pragma once

#include <complex>
#include <span>

#include "base/sha256.h"
#include "params/ckks_parameters.h"
#include "scheme/ckks/ciphertext.h"
#include "scheme/ckks/keys.h"

/// Deviations are those of the real part of one slot, and of its imaginary part, in the units of the message.
namespace tacit::scheme::ckks {

/// Returns the estimated noise of a ciphertext, at least that of a fresh one. `slots` are the slots of a real message,
/// decoded exactly. Their imaginary parts are noise, and the estimate is their root mean square. It is larger if a few
/// slots exceed what even noise explains. A mask of very different weights leaves uneven noise: the estimate may then
/// be several times too small for the noisiest slots. Sets of real slots show no noise. Their estimate is the noise of
/// one key switch at the level, which every result has except a fresh ciphertext.
double estimated_noise(const params::CkksParameters& parameters, int level, double scale,
                       std::span<const std::complex<double>> slots);

/// Gaussian noise that the owner of a secret key adds to decoded slots. It hides the noise of the ciphertext in their
/// digits (Li, Micciancio 2021). It is drawn from AES-256-CTR keyed with the SHA-256 of the secret, the deviation and
/// the first limb of c1. Nobody without the secret can draw it.
///
/// The same ciphertext always has the same noise. So do all ciphertexts that differ from it by a constant or by dropped
/// limbs: averaging their decodings removes nothing. A ciphertext from another computation has independent noise. The
/// mean over n related ones keeps 1/n of the variance (SECURITY.md states how many are safe). Thread safe.
class DecodingNoise {
 public:
  explicit DecodingNoise(const SecretKey& secret);
  ~DecodingNoise();
  DecodingNoise(const DecodingNoise&) = default;
  DecodingNoise& operator=(const DecodingNoise&) = default;

  /// Adds independent noise to both parts of every slot. The deviation is rounded up to the next of sixteen steps
  /// between powers of two, so that nearly equal deviations give the same noise.
  void add_to(std::span<std::complex<double>> slots, const Ciphertext& ciphertext, double deviation) const;

 private:
  base::Digest key_;
};

}  // namespace tacit::scheme::ckks
