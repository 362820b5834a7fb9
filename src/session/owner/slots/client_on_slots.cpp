#include "session/owner/slots/client_on_slots.h"

#include <cstdint>

#include "base/error.h"
#include "params/account.h"
#include "scheme/ckks/keys.h"

namespace tacit::session {

void ClientOnSlots::require_one_owner(const ClientModel& model) {
  if (model.literal.parts > 1)
    base::refuse(
        "model '{}' was compiled for several owners, who make the keys together (keygen --group); compile without "
        "--owners for keys of one owner",
        model.name);
}

scheme::ckks::SecretKey ClientOnSlots::new_secret_key(const ContextPtr& context) {
  return scheme::ckks::KeyGenerator(context).secret_key();
}

scheme::ckks::EvaluationKeys ClientOnSlots::new_keys(const ClientModel& model, const ContextPtr& context,
                                                     const SecretKey& secret, base::Progress& progress) {
  return scheme::ckks::KeyGenerator(context).evaluation_keys(secret, model.keys, progress);
}

base::Digest ClientOnSlots::make_and_save_keys(const ClientModel& model, const ContextPtr& context,
                                               const SecretKey& secret, const runtime::Binding& binding,
                                               const runtime::Sink& sink, base::Progress& progress) {
  scheme::ckks::KeySeries series(context, secret, model.keys);
  return runtime::make_and_save(context, series, binding, sink, progress);
}

scheme::ckks::PublicKey ClientOnSlots::new_public_key(const ContextPtr& context, const SecretKey& secret) {
  return scheme::ckks::KeyGenerator(context).public_key(secret);
}

nlohmann::ordered_json ClientOnSlots::describe_keys(const ClientModel& model) {
  return {{"key_bytes", static_cast<std::uint64_t>(params::key_bytes(model.literal, model.keys))},
          {"rotation_keys", model.keys.rotations.size()}};
}

}  // namespace tacit::session
