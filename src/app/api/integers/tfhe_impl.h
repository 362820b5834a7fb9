#pragma once

#include <tacit/tfhe.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "app/api/access.h"
#include "runtime/binding.h"
#include "scheme/tfhe/encryption.h"
#include "scheme/tfhe/evaluator.h"

namespace tacit::detail {

/// The noise of a ciphertext: 2-norms of the integer weights on results of lookups, and on fresh ciphertexts.
struct NoiseNorms {
  double lookups = 0, fresh = 0;
};

/// The implementation of Ciphertexts.
struct IntegerBatch {
  scheme::tfhe::ContextPtr context;
  runtime::KeySetId key_set{};
  scheme::tfhe::LweCiphertexts values;
  std::vector<NoiseNorms> norms;  ///< by ciphertext
  /// True if the noises are independent, so that squares of norms add up. Otherwise the norms add up.
  bool independent = true;
  /// The seeded form from which `values` was expanded, for saving; null if there is none.
  std::shared_ptr<const scheme::tfhe::FreshLweCiphertexts> seeded{};
};

}  // namespace tacit::detail

/// The implementations of the public classes of <tacit/tfhe.h>.
namespace tacit::tfhe {

namespace inner = scheme::tfhe;

/// The parameter set with its tables for transforms, which are made once.
struct ParametersImpl {
  inner::ContextPtr context;
};

struct EvaluationKeysImpl {
  inner::ContextPtr context;
  runtime::KeySetId key_set{};
  std::shared_ptr<const inner::SeededEvaluationKeys> value;
};

struct SecretKeyImpl {
  inner::ContextPtr context;
  runtime::KeySetId key_set{};
  inner::SecretKey value;
};

struct TableImpl {
  inner::LookupTable value;
};

using detail::Access;
using detail::IntegerBatch;
using detail::NoiseNorms;

inline const inner::ContextPtr& context_of(const Parameters& parameters) { return Access::impl(parameters).context; }

inline Ciphertexts ciphertexts_of(IntegerBatch batch) {
  return Access::wrap<Ciphertexts>(std::make_shared<const IntegerBatch>(std::move(batch)));
}
/// Returns fresh ciphertexts, each with independent noise.
Ciphertexts fresh_ciphertexts(const inner::ContextPtr& context, const runtime::KeySetId& key_set,
                              std::shared_ptr<const inner::FreshLweCiphertexts> seeded);
/// Throws InputError if a ciphertext is too noisy for a lookup, or for decryption if `decrypted`. Too noisy means that
/// it would fail more often than the parameters promise. `what` begins the sentence.
void require_quiet(const IntegerBatch& ciphertexts, bool decrypted, const std::string& what);

}  // namespace tacit::tfhe
