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
/// An array of ciphertexts from elsewhere, which are at one level: of copies, or of the ciphertexts themselves, which
/// must outlive it.
program::ArrayPtr array_of(std::span<const scheme::ckks::Ciphertext> ciphertexts);
program::ArrayPtr array_of(SharedCiphertexts ciphertexts, int level);
program::ArrayPtr borrowed(std::span<const scheme::ckks::Ciphertext> ciphertexts);

/// The encrypted reading. Every instruction ends at the level and the scale that its caller names: operands that are
/// higher are dropped first, and a result that lands elsewhere is an InternalError. Ciphertexts are carried out on
/// threads. Thread safe.
class EncryptedEvaluator : public slots::Evaluator {
 public:
  /// `keys` may be null: what needs one is then refused. KeyMismatch on keys of another set. `bootstrappers`, which
  /// must outlive the evaluator, may be null where nothing is bootstrapped. `progress` too must outlive it: bootstraps,
  /// the longest instructions, ask it on their way whether to go on.
  static std::shared_ptr<EncryptedEvaluator> make(scheme::ckks::ContextPtr context,
                                                  std::shared_ptr<const scheme::ckks::EvaluationKeys> keys,
                                                  const Bootstrappers* bootstrappers = nullptr,
                                                  base::Progress& progress = base::Progress::silent());
  /// What encrypts and decrypts here; without it, both are refused (InputError).
  virtual void set_secret(const scheme::ckks::SecretKey& secret) = 0;
  virtual const scheme::ckks::ContextPtr& context() const = 0;
  using slots::Evaluator::encode_map;
  /// A linear map of which only some outputs will be computed (DiagonalMap).
  virtual std::shared_ptr<const DiagonalMap> encode_map(const slots::ScheduledMap& map, slots::Landing from,
                                                        slots::Landing to, const layout::Interval& outputs) const = 0;
};

}  // namespace tacit::runtime
