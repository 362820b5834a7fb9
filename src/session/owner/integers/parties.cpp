#include "session/owner/integers/parties.h"

#include "runtime/communicator.h"
#include "runtime/integers/prepared_integers.h"
#include "session/owner/integers/encrypt_sample.h"

namespace tacit::session {
namespace {

using graph::quant::CompiledIntegers;
using scheme::tfhe::ContextPtr;

/// Before any key: the model must fit.
ContextPtr context_of(const CompiledIntegers& model, const base::MemoryBudget& memory) {
  ContextPtr context = scheme::tfhe::Context::make(params::TfheParameters::check(model.parameters));
  memory.require("keys, tables and ciphertexts need", runtime::memory_need(model.program, context->parameters()));
  return context;
}

std::shared_ptr<const runtime::IntegerKeys> keys_of(const ContextPtr& context, const scheme::tfhe::SecretKey& secret,
                                                    base::Progress& progress) {
  return std::make_shared<const runtime::IntegerKeys>(
      context, scheme::tfhe::SeededEvaluationKeys::generate(*context, secret, progress), runtime::world().size() > 1);
}

}  // namespace

IntegerParties::IntegerParties(const CompiledIntegers& model, const base::MemoryBudget& memory,
                               base::Progress& progress)
    : context(context_of(model, memory)),
      secret(scheme::tfhe::SecretKey::generate(*context)),
      keys(keys_of(context, secret, progress)),
      evaluator(keys, &keys->evaluator),
      client(model.client, context, secret) {}

std::vector<scheme::tfhe::LweCiphertexts> IntegerParties::encrypt(const CompiledIntegers& model,
                                                                  const std::vector<graph::Tensor>& sample) const {
  std::vector<scheme::tfhe::LweCiphertexts> inputs;
  for (const auto& seeded : encrypt_sample(client, model.parts, sample))
    inputs.push_back(scheme::tfhe::expand(*context, seeded));
  return inputs;
}

}  // namespace tacit::session
