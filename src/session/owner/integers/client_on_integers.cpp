#include "session/owner/integers/client_on_integers.h"

#include <string>

#include "base/error.h"
#include "graph/labels.h"
#include "runtime/integers/prepared_integers.h"
#include "session/owner/integers/sharing.h"
#include "session/owner/plan_reading.h"
#include "session/sentence.h"

namespace tacit::session {

void ClientOnIntegers::require_memory_for_keys(const ClientModel& model, const base::MemoryBudget& memory) {
  memory.require("the keys of model '" + model.name + "' need",
                 runtime::key_bytes(params::TfheParameters::check(model.literal)));
}

void ClientOnIntegers::expect(Client&, const runtime::OwnersResults&) {
  throw base::KeyMismatch("results on integers have one owner, and these state several; name what evaluate made");
}

void ClientOnIntegers::require_room_for_public_key(const ClientModel& model) {
  std::string refused;
  reading_plan(model.plan, [&](const nlohmann::ordered_json& plan) {
    if (!plan.contains("public_key"))
      refused =
          "its plan does not say whether its parameters leave room for the noise of a public key; compile the model "
          "again, or encrypt with the secret key";
    else if (const auto& found = plan.at("public_key").at("refused"); !found.is_null())
      refused = printable(found.get<std::string>());
  });
  if (!refused.empty()) base::refuse("model '{}' has no public key: {}", model.name, refused);
}

void ClientOnIntegers::require_shared(const ClientModel& model, const graph::ClientParts& parts,
                                      const params::Sharing& promise) {
  bool states = false;
  reading_plan(model.plan, [&](const nlohmann::ordered_json& plan) {
    states = plan.contains("shared_numbers");
    if (states) session::require_shared(plan.at("shared_numbers"), promise, graph::has_labels(parts));
  });
  if (!states)
    base::refuse(
        "the plan of model '{}' does not say whether noise decides a part of its results; compile the model again, or "
        "show others labels alone (--labels)",
        model.name);
}

nlohmann::ordered_json ClientOnIntegers::describe_keys(const ClientModel& model) {
  const params::TfheParameters parameters = params::TfheParameters::check(model.literal);
  return {{"key_bytes", static_cast<std::uint64_t>(runtime::key_bytes(parameters))},
          {"bootstrap_key_bytes", parameters.bootstrap_key_bytes()},
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
