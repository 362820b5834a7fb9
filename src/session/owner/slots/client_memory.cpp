#include "session/owner/slots/client_memory.h"

#include "base/parallel.h"
#include "params/account.h"

namespace tacit::session {

void require_memory_for_keys(const std::string& owner, const params::CkksLiteral& literal,
                             const params::KeyManifest& keys, const base::MemoryBudget& memory) {
  memory.require("the keys of " + owner + " need", params::key_generation_bytes(literal, keys, base::thread_limit()));
}

void require_memory_for_one_key(const std::string& owner, const params::CkksLiteral& literal,
                                const params::KeyManifest& keys, const base::MemoryBudget& memory) {
  memory.require("making the keys of " + owner + " one at a time needs",
                 params::one_key_bytes(literal, keys, base::thread_limit()));
}

void require_memory_for_input(const runtime::ClientModel& model, const base::MemoryBudget& memory) {
  const params::Account account(model.literal);
  double bytes = 0;
  for (const program::ClientInput& input : model.interface.inputs)
    bytes += static_cast<double>(input.layout.ciphertexts()) *
             (account.ciphertext_bytes(input.level) + static_cast<double>(input.layout.slots()) * sizeof(double));
  memory.require("the ciphertexts of one input of model '" + model.name + "' need", bytes);
}

}  // namespace tacit::session
