#include "session/owner/integers/client_on_integers.h"

#include "runtime/integers/prepared_integers.h"

namespace tacit::session {

void ClientOnIntegers::require_memory_for_keys(const ClientModel& model, const base::MemoryBudget& memory) {
  memory.require("the keys of model '" + model.name + "' need",
                 runtime::key_bytes(params::TfheParameters::check(model.literal)));
}

nlohmann::ordered_json ClientOnIntegers::describe_keys(const ClientModel& model) {
  const params::TfheParameters parameters = params::TfheParameters::check(model.literal);
  return {{"bootstrap_key_bytes", parameters.bootstrap_key_bytes()},
          {"key_switch_key_bytes", parameters.key_switch_key_bytes()}};
}

void ClientOnIntegers::require_memory_for_input(const ClientModel& model, const base::MemoryBudget& memory) {
  double ciphertexts = 0;
  for (const integers::ClientInput& input : model.interface.inputs)
    ciphertexts += static_cast<double>(layout::element_count(input.shape));
  memory.require("an input of model '" + model.name + "' needs",
                 ciphertexts * params::TfheParameters::check(model.literal).ciphertext_bytes());
}

}  // namespace tacit::session
