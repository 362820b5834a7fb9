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

/// How noisy a ciphertext is: 2-norms of the whole weights on results of lookups, and on fresh ciphertexts.
struct NoiseNorms {
  double lookups = 0, fresh = 0;
};

/// What stands behind Ciphertexts.
struct IntegerBatch {
  scheme::tfhe::ContextPtr context;
  runtime::KeySetId key_set{};
  scheme::tfhe::LweCiphertexts values;
  std::vector<NoiseNorms> norms;  ///< by ciphertext
  /// Whether their noises are independent, so that squares of norms add up; otherwise norms do.
  bool independent = true;
  /// What `values` was expanded from, where it was: to be saved.
  std::shared_ptr<const scheme::tfhe::SeededLweCiphertexts> seeded{};
};

}  // namespace tacit::detail

/// What stands behind the public classes of <tacit/tfhe.h>.
namespace tacit::tfhe {

namespace inner = scheme::tfhe;

/// The tables for transforms are made with the set, once.
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
/// Fresh ones, each with noise of its own.
Ciphertexts fresh_ciphertexts(const inner::ContextPtr& context, const runtime::KeySetId& key_set,
                              std::shared_ptr<const inner::SeededLweCiphertexts> seeded);
/// Throws InputError where a ciphertext is too noisy to be looked up or, if `decrypted`, to be decrypted, with no more
/// than the parameters' probability of failure. `what` begins the sentence.
void require_quiet(const IntegerBatch& ciphertexts, bool decrypted, const std::string& what);

}  // namespace tacit::tfhe
