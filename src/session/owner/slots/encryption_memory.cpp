#include "session/owner/slots/encryption_memory.h"

#include "params/account.h"

namespace tacit::session {

void require_memory_for_input(const runtime::ClientModel& model, const base::MemoryBudget& memory) {
  const params::Account account(model.literal);
  double bytes = 0;
  for (const program::ClientInput& input : model.interface.inputs)
    bytes += static_cast<double>(input.layout.ciphertexts()) *
             (account.ciphertext_bytes(input.level) + static_cast<double>(input.layout.slots()) * sizeof(double));
  memory.require("the ciphertexts of one input of model '" + model.name + "' need", bytes);
}

}  // namespace tacit::session
