#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "scheme/ckks/ciphertext.h"
#include "scheme/ckks/context.h"
#include "scheme/ckks/keys.h"
#include "scheme/ckks/rounded_coefficients.h"
#include "scheme/ckks/sub_secret.h"

namespace tacit::scheme::ckks {

/// Switches ciphertexts from the secret key of several owners to the key of a receiver (the public key switch of
/// Mouchet, Troncoso-Pastoriza, Bossuat, Hubaux 2021). The share of the sub-secret s for a ciphertext (c0, c1) and a
/// receiver's key (b, a) is
///   (v b + c1 s + f, v a + e)
/// with a ternary v, an error e of deviation 3.19, and the flood f. All of them are a function of the seed, c1 and the
/// receiver's key: a share that is asked for again has the same bytes. (c0 + sum of the first halves, sum of the second
/// ones) decrypts under the receiver's secret to the message, its noise and the floods.
///
/// Bits far below the flood are not sent: the first half is rounded to a 16th of the flood's deviation, and the second
/// half to as little once it meets the receiver's secret. For ciphertexts at level 0 or 1.
///
/// Messages that are polynomials in X^g, g = 2^log_gap, need only the coefficients of X^(g i) of the first half (as the
/// answers of subring.h). A share then has no others, and the result is a thin ciphertext. Thread safe.
class ResultSharing {
 public:
  /// `flood` is the deviation of a coefficient of the flood of one share, from 2^8 to 2^52 (params/owner_flood.h).
  /// Throws KeyMismatch for a key of another set, and InputError for a flood or a gap out of range.
  ResultSharing(ContextPtr context, PublicKey receiver, double flood, int log_gap = 0);

  /// Returns the bytes of the share of one ciphertext: share_bytes of its level. Throws InputError above level 1.
  std::vector<std::uint8_t> share(const SubSecret& secret, const Ciphertext& ciphertext) const;
  std::size_t share_bytes(int level) const;
  /// Returns the ciphertext under the receiver's key from one share for every part. Throws InputError for bytes that
  /// are no share of this level.
  Ciphertext combine(const Ciphertext& ciphertext, std::span<const std::span<const std::uint8_t>> shares) const;

 private:
  /// Returns the form in which each half of a share is sent.
  std::array<RoundedCoefficients, 2> forms(int level) const;

  ContextPtr context_;
  PublicKey receiver_;
  double flood_;
  int log_gap_;
};

}  // namespace tacit::scheme::ckks
