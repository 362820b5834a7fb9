#include "app/api/planned.h"

namespace tacit::app::api {

std::int64_t planned_count(const nlohmann::ordered_json& plan, const char* field) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 53;
  const nlohmann::ordered_json& value = plan.at(field);
  if (!value.is_number_unsigned() || value.get<std::uint64_t>() > kMost)
    throw InputError(std::string("the plan in the client's half: '") + field + "' is no count; compile again");
  return value.get<std::int64_t>();
}

void read_common(const nlohmann::ordered_json& json, Plan& plan) {
  plan.input_ciphertexts = planned_count(json, "ciphertexts");
  plan.output_ciphertexts = planned_count(json, "output_ciphertexts");
  json.at("warnings").get_to(plan.warnings);
  const nlohmann::ordered_json& estimate = json.at("estimate");
  estimate.at("seconds").get_to(plan.seconds);
  plan.threads = estimate.value("threads", 1.0);  // missing in earlier files
  estimate.at("machine").get_to(plan.machine);
  estimate.at("key_bytes").get_to(plan.key_bytes);
  estimate.at("weight_bytes").get_to(plan.weight_bytes);
  estimate.at("ciphertext_bytes").get_to(plan.ciphertext_bytes);
  plan.json = json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace tacit::app::api
