#include "session/owner/slots/client_on_slots.h"

#include "scheme/ckks/keys.h"

namespace tacit::session {

scheme::ckks::SecretKey ClientOnSlots::new_secret_key(const ContextPtr& context) {
  return scheme::ckks::KeyGenerator(context).secret_key();
}

scheme::ckks::EvaluationKeys ClientOnSlots::new_keys(const ClientModel& model, const ContextPtr& context,
                                                     const SecretKey& secret, base::Progress& progress) {
  return scheme::ckks::KeyGenerator(context).evaluation_keys(secret, model.keys, progress);
}

scheme::ckks::PublicKey ClientOnSlots::new_public_key(const ContextPtr& context, const SecretKey& secret) {
  return scheme::ckks::KeyGenerator(context).public_key(secret);
}

}  // namespace tacit::session
