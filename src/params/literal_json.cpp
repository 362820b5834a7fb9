#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/json_text.h"
#include "params/ckks_parameters.h"

namespace tacit::params {
namespace {

using Json = nlohmann::json;

int integer(const Json& value, std::string_view field) {
  if (!value.is_number_integer())
    throw base::InputError(fmt::format("parameter literal: '{}' must be an integer, not {}", field, value.type_name()));
  constexpr auto kMax = std::numeric_limits<int>::max();
  const bool fits = value.is_number_unsigned() ? value.get<std::uint64_t>() <= static_cast<std::uint64_t>(kMax)
                                               : value.get<std::int64_t>() >= -kMax;
  if (!fits) throw base::InputError(fmt::format("parameter literal: '{}' is out of range", field));
  return value.get<int>();
}

std::vector<int> integers(const Json& value, std::string_view field) {
  if (!value.is_array())
    throw base::InputError(
        fmt::format("parameter literal: '{}' must be a list of integers, not {}", field, value.type_name()));
  std::vector<int> result;
  for (const Json& item : value) result.push_back(integer(item, field));
  return result;
}

const Json& required(const Json& object, const char* field) {
  const auto it = object.find(field);
  if (it == object.end()) throw base::InputError(fmt::format("parameter literal: the field '{}' is missing", field));
  return *it;
}

void check_fields(const Json& object, std::string_view what, std::initializer_list<std::string_view> known) {
  for (const auto& [field, value] : object.items())
    if (std::ranges::find(known, field) == known.end())
      throw base::InputError(
          fmt::format("{}: unknown field '{}'; the fields are {}", what, field, fmt::join(known, ", ")));
}

BootstrapLiteral bootstrap_from(const Json& json) {
  if (!json.is_object())
    throw base::InputError(fmt::format("parameter literal: 'bootstrap' must be an object, not {}", json.type_name()));
  check_fields(json, "parameter literal, bootstrap",
               {"slots_to_coefficients", "sine", "coefficients_to_slots", "ephemeral_weight"});
  return {.slots_to_coefficients = integer(required(json, "slots_to_coefficients"), "slots_to_coefficients"),
          .sine = integers(required(json, "sine"), "sine"),
          .coefficients_to_slots = integer(required(json, "coefficients_to_slots"), "coefficients_to_slots"),
          .ephemeral_weight = integer(required(json, "ephemeral_weight"), "ephemeral_weight")};
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

CkksLiteral literal_from(const Json& json) {
  if (!json.is_object())
    throw base::InputError(fmt::format("parameter literal: expected an object, not {}", json.type_name()));
  check_fields(json, "parameter literal",
               {"name", "log_n", "q_bits", "p_bits", "log_scale", "insecure", "digits", "bootstrap", "real_slots"});
  CkksLiteral literal;
  const Json& name = required(json, "name");
  if (!name.is_string())
    throw base::InputError(fmt::format("parameter literal: 'name' must be text, not {}", name.type_name()));
  literal.name = name.get<std::string>();
  literal.log_n = integer(required(json, "log_n"), "log_n");
  literal.q_bits = integers(required(json, "q_bits"), "q_bits");
  literal.p_bits = integers(required(json, "p_bits"), "p_bits");
  literal.log_scale = integer(required(json, "log_scale"), "log_scale");
  const auto flag = [&](const char* field, bool& value) {
    const auto it = json.find(field);
    if (it == json.end()) return;
    if (!it->is_boolean())
      throw base::InputError(
          fmt::format("parameter literal: '{}' must be true or false, not {}", field, it->type_name()));
    value = it->get<bool>();
  };
  flag("insecure", literal.insecure);
  flag("real_slots", literal.real_slots);
  if (const auto it = json.find("digits"); it != json.end()) literal.digits = integers(*it, "digits");
  if (const auto it = json.find("bootstrap"); it != json.end()) literal.bootstrap = bootstrap_from(*it);
  return literal;
}

}  // namespace tacit::params
