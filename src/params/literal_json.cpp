#include <nlohmann/json.hpp>

#include "base/json_text.h"
#include "params/ckks_parameters.h"
#include "params/literal_fields.h"

namespace tacit::params {
namespace {

constexpr std::string_view kLiteralFields[] = {"name",     "log_n",  "q_bits",    "p_bits",     "log_scale",
                                               "insecure", "digits", "bootstrap", "real_slots", "parts"};
constexpr std::string_view kBootstrapFields[] = {"slots_to_coefficients", "sine", "coefficients_to_slots",
                                                 "ephemeral_weight"};

std::vector<int> integers(const LiteralFields& fields, const char* field) {
  const nlohmann::json& value = fields.at(field);
  if (!value.is_array()) fields.refuse("'{}' must be a list of integers, not {}", field, value.type_name());
  std::vector<int> result;
  for (const nlohmann::json& item : value) result.push_back(fields.integer(item, field));
  return result;
}

BootstrapLiteral bootstrap_from(const LiteralFields& whole) {
  const nlohmann::json& json = whole.at("bootstrap");
  if (!json.is_object()) whole.refuse("'bootstrap' must be an object, not {}", json.type_name());
  const LiteralFields fields(json, "parameter literal, bootstrap", kBootstrapFields);
  return {.slots_to_coefficients = fields.integer("slots_to_coefficients"),
          .sine = integers(fields, "sine"),
          .coefficients_to_slots = fields.integer("coefficients_to_slots"),
          .ephemeral_weight = fields.integer("ephemeral_weight")};
}

}  // namespace

std::string to_json(const CkksLiteral& literal) {
  nlohmann::ordered_json json;
  json["name"] = literal.name;
  json["log_n"] = literal.log_n;
  json["q_bits"] = literal.q_bits;
  json["p_bits"] = literal.p_bits;
  json["log_scale"] = literal.log_scale;
  json["insecure"] = literal.insecure;
  if (!literal.digits.empty()) json["digits"] = literal.digits;
  if (literal.real_slots) json["real_slots"] = true;
  if (literal.parts != 1) json["parts"] = literal.parts;
  if (const auto& b = literal.bootstrap)
    json["bootstrap"] = {{"slots_to_coefficients", b->slots_to_coefficients},
                         {"sine", b->sine},
                         {"coefficients_to_slots", b->coefficients_to_slots},
                         {"ephemeral_weight", b->ephemeral_weight}};
  return json.dump();
}

CkksLiteral literal_from_json(std::string_view text) {
  return literal_from(base::json_from(text, "parameter literal"));
}

CkksLiteral literal_from(const nlohmann::json& json) {
  const LiteralFields fields(json, "parameter literal", kLiteralFields);
  CkksLiteral literal{.name = fields.text("name"),
                      .log_n = fields.integer("log_n"),
                      .q_bits = integers(fields, "q_bits"),
                      .p_bits = integers(fields, "p_bits"),
                      .log_scale = fields.integer("log_scale"),
                      .insecure = fields.flag("insecure")};
  literal.real_slots = fields.flag("real_slots");
  if (fields.has("parts")) literal.parts = fields.integer("parts");
  if (fields.has("digits")) literal.digits = integers(fields, "digits");
  if (fields.has("bootstrap")) literal.bootstrap = bootstrap_from(fields);
  return literal;
}

}  // namespace tacit::params
