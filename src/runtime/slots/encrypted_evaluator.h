#pragma once

#include <memory>
#include <span>
#include <vector>

#include "layout/placement.h"
#include "program/slots/evaluator.h"
#include "runtime/slots/bootstrappers.h"
#include "scheme/ckks/context.h"
#include "scheme/ckks/keys.h"

namespace tacit::runtime {

class DiagonalMap;

/// The ciphertexts of an array of the encrypted reading; arrays share them.
using SharedCiphertexts = std::vector<std::shared_ptr<const scheme::ckks::Ciphertext>>;
const SharedCiphertexts& ciphertexts_of(const program::ArrayPtr& array);
/// Make an array of ciphertexts from elsewhere, which are at one level. `array_of` copies or shares the ciphertexts.
/// `borrowed` refers to ciphertexts that must outlive the array.
program::ArrayPtr array_of(std::span<const scheme::ckks::Ciphertext> ciphertexts);
program::ArrayPtr array_of(SharedCiphertexts ciphertexts, int level);
program::ArrayPtr borrowed(std::span<const scheme::ckks::Ciphertext> ciphertexts);

/// The encrypted reading. Every instruction ends at the level and the scale that its caller names. Operands at higher
/// levels are dropped first. A result at another level or scale is an InternalError. Several threads work on the
/// ciphertexts. Thread safe.
class EncryptedEvaluator : public slots::Evaluator {
 public:
  /// `keys` may be null: operations that need a key are then refused. `bootstrappers` must outlive the evaluator, and
  /// may be null if there is no bootstrap. `progress` must outlive it too. Bootstraps, the longest instructions, ask it
  /// during their work whether to stop. Throws KeyMismatch for keys of another set.
  static std::shared_ptr<EncryptedEvaluator> make(scheme::ckks::ContextPtr context,
                                                  std::shared_ptr<const scheme::ckks::EvaluationKeys> keys,
                                                  const Bootstrappers* bootstrappers = nullptr,
                                                  base::Progress& progress = base::Progress::silent());
  /// Sets the key that encrypts and decrypts here. Without it, both are refused (InputError).
  virtual void set_secret(const scheme::ckks::SecretKey& secret) = 0;
  virtual const scheme::ckks::ContextPtr& context() const = 0;
  using slots::Evaluator::encode_map;
  /// Encodes a linear map of which only some outputs will be computed (DiagonalMap).
  virtual std::shared_ptr<const DiagonalMap> encode_map(const slots::ScheduledMap& map, slots::Landing from,
                                                        slots::Landing to, const layout::Interval& outputs) const = 0;
};

}  // namespace tacit::runtime
