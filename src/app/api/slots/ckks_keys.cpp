#include <utility>

#include "app/api/memory.h"
#include "app/api/slots/ckks_impl.h"
#include "session/owner/slots/client_memory.h"

namespace tacit::ckks {

KeyGenerator::KeyGenerator(Context context) : context_(std::move(context)) {}

SecretKey KeyGenerator::secret_key() const {
  const inner::ContextPtr& context = context_of(context_);
  return Access::make<SecretKey>(context, inner::KeyGenerator(context).secret_key(), runtime::new_key_set_id());
}

PublicKey KeyGenerator::public_key(const SecretKey& secret) const {
  const inner::ContextPtr& context = context_of(context_);
  const auto& owner = Access::impl(secret);
  return Access::make<PublicKey>(context, inner::KeyGenerator(context).public_key(owner.value), owner.key_set);
}

EvaluationKeys KeyGenerator::evaluation_keys(const SecretKey& secret, const KeyRequest& request) const {
  const int level = request.level.value_or(context_.parameters().max_level());
  const auto slots = static_cast<std::int64_t>(context_.parameters().slots());
  params::KeyManifest manifest;
  if (request.multiply) manifest.relinearise_level = level;
  if (request.conjugate) manifest.conjugate_level = level;
  for (const std::int64_t steps : request.rotations) {
    const std::int64_t left = (steps % slots + slots) % slots;
    if (left != 0) manifest.rotations[left] = level;
  }
  const inner::ContextPtr& context = context_of(context_);
  if (request.bootstrap) manifest.merge(params::key_manifest(params::plan_bootstrap(context->parameters().literal())));
  const params::CkksLiteral& literal = context->parameters().literal();
  session::require_memory_for_keys("the parameter set '" + literal.name + "'", literal, manifest,
                                   app::api::work_budget(0));
  const auto& owner = Access::impl(secret);
  auto keys = std::make_shared<const inner::EvaluationKeys>(
      inner::KeyGenerator(context).evaluation_keys(owner.value, manifest));
  return Access::make<EvaluationKeys>(context, std::move(keys), owner.key_set);
}

}  // namespace tacit::ckks
