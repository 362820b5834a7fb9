#pragma once

#include <tacit/ckks.h>

#include "app/api/access.h"
#include "params/schedule.h"
#include "runtime/binding.h"
#include "scheme/ckks/bootstrapper.h"
#include "scheme/ckks/context.h"
#include "scheme/ckks/decryptor.h"
#include "scheme/ckks/encoder.h"
#include "scheme/ckks/encryptor.h"
#include "scheme/ckks/evaluator.h"

/// The implementations of the public classes of <tacit/ckks.h>.
namespace tacit::ckks {

namespace inner = scheme::ckks;

struct ParametersImpl {
  params::CkksParameters value;
};

struct ContextImpl {
  Parameters parameters;
  inner::ContextPtr value;
};

struct PlaintextImpl {
  inner::Plaintext value;
};

/// Ciphertexts and keys under one secret key carry the key set that was drawn with it. One comparison finds a mix-up.
struct CiphertextImpl {
  inner::ContextPtr context;
  inner::Ciphertext value;
  runtime::KeySetId key_set{};
};

struct SecretKeyImpl {
  inner::ContextPtr context;
  inner::SecretKey value;
  runtime::KeySetId key_set{};
};

struct PublicKeyImpl {
  inner::ContextPtr context;
  inner::PublicKey value;
  runtime::KeySetId key_set{};
};

struct EvaluationKeysImpl {
  inner::ContextPtr context;
  std::shared_ptr<const inner::EvaluationKeys> value;
  runtime::KeySetId key_set{};
};

struct LinearTransformImpl {
  params::LinearSchedule schedule;
  inner::DiagonalMatrix matrix;
};

struct BootstrappingImpl {
  inner::Bootstrapper value;
};

using detail::Access;

inline const inner::ContextPtr& context_of(const Context& context) { return Access::impl(context).value; }

/// Throws KeyMismatch, beginning with `operation`, unless both belong to one secret key.
inline void check_key_set(const runtime::KeySetId& a, const runtime::KeySetId& b, const char* operation) {
  if (a != b)
    throw KeyMismatch(std::string(operation) +
                      ": the ciphertext was made under another secret key; use the keys that were generated with it");
}

}  // namespace tacit::ckks
