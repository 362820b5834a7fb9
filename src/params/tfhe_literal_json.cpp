#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/json_text.h"
#include "params/tfhe_parameters.h"

namespace tacit::params {
namespace {

using Json = nlohmann::json;
constexpr std::string_view kWhat = "TFHE parameter literal";

const Json& required(const Json& object, const char* field) {
  const auto it = object.find(field);
  if (it == object.end()) throw base::InputError(fmt::format("{}: the field '{}' is missing", kWhat, field));
  return *it;
}

int integer(const Json& value, std::string_view field) {
  if (!value.is_number_integer())
    throw base::InputError(fmt::format("{}: '{}' must be an integer, not {}", kWhat, field, value.type_name()));
  constexpr auto kMax = std::numeric_limits<int>::max();
  const bool fits = value.is_number_unsigned() ? value.get<std::uint64_t>() <= static_cast<std::uint64_t>(kMax)
                                               : value.get<std::int64_t>() >= -kMax;
  if (!fits) throw base::InputError(fmt::format("{}: '{}' is out of range", kWhat, field));
  return value.get<int>();
}

double real(const Json& value, std::string_view field) {
  if (!value.is_number() || !std::isfinite(value.get<double>()))
    throw base::InputError(fmt::format("{}: '{}' must be a number, not {}", kWhat, field, value.type_name()));
  return value.get<double>();
}

Decomposition cut(const Json& value, const char* field) {
  const bool shaped = value.is_object() && value.size() == 2 && value.contains("base_log") && value.contains("levels");
  if (!shaped)
    throw base::InputError(fmt::format("{}: '{}' must be an object of 'base_log' and 'levels'", kWhat, field));
  return {.base_log = integer(value["base_log"], "base_log"), .levels = integer(value["levels"], "levels")};
}

constexpr std::array kIntegers = {
    std::pair{"bits", &TfheLiteral::bits},
    std::pair{"lwe_dimension", &TfheLiteral::lwe_dimension},
    std::pair{"glwe_dimension", &TfheLiteral::glwe_dimension},
    std::pair{"log_polynomial", &TfheLiteral::log_polynomial},
    std::pair{"log_extension", &TfheLiteral::log_extension},
    std::pair{"lwe_noise_bits", &TfheLiteral::lwe_noise_bits},
    std::pair{"glwe_noise_bits", &TfheLiteral::glwe_noise_bits},
    std::pair{"log_tables", &TfheLiteral::log_tables},
};
constexpr std::array kReals = {std::pair{"norm2", &TfheLiteral::norm2},
                               std::pair{"log2_failure", &TfheLiteral::log2_failure}};
constexpr std::array kCuts = {std::pair{"bootstrap", &TfheLiteral::bootstrap},
                              std::pair{"key_switch", &TfheLiteral::key_switch}};

}  // namespace

std::string to_json(const TfheLiteral& literal) {
  nlohmann::ordered_json json{{"scheme", "tfhe"}, {"name", literal.name}};
  for (const auto& [field, member] : kIntegers) json[field] = literal.*member;
  for (const auto& [field, member] : kReals) json[field] = literal.*member;
  for (const auto& [field, member] : kCuts)
    json[field] = {{"base_log", (literal.*member).base_log}, {"levels", (literal.*member).levels}};
  json["insecure"] = literal.insecure;
  return json.dump();
}

TfheLiteral tfhe_literal_from_json(std::string_view text) { return tfhe_literal_from(base::json_from(text, kWhat)); }

TfheLiteral tfhe_literal_from(const Json& json) {
  if (!json.is_object()) throw base::InputError(fmt::format("{}: expected an object, not {}", kWhat, json.type_name()));
  std::vector<std::string_view> known = {"scheme", "name", "insecure"};
  for (const auto& [field, member] : kIntegers) known.push_back(field);
  for (const auto& [field, member] : kReals) known.push_back(field);
  for (const auto& [field, member] : kCuts) known.push_back(field);
  for (const auto& [field, value] : json.items())
    if (std::ranges::find(known, field) == known.end())
      throw base::InputError(
          fmt::format("{}: unknown field '{}'; the fields are {}", kWhat, field, fmt::join(known, ", ")));
  if (required(json, "scheme") != "tfhe") throw base::InputError(fmt::format("{}: the scheme is not tfhe", kWhat));
  TfheLiteral literal;
  const Json& name = required(json, "name");
  if (!name.is_string())
    throw base::InputError(fmt::format("{}: 'name' must be text, not {}", kWhat, name.type_name()));
  literal.name = name.get<std::string>();
  for (const auto& [field, member] : kIntegers) literal.*member = integer(required(json, field), field);
  for (const auto& [field, member] : kReals) literal.*member = real(required(json, field), field);
  for (const auto& [field, member] : kCuts) literal.*member = cut(required(json, field), field);
  const auto it = json.find("insecure");
  if (it != json.end() && !it->is_boolean())
    throw base::InputError(fmt::format("{}: 'insecure' must be true or false, not {}", kWhat, it->type_name()));
  literal.insecure = it != json.end() && it->get<bool>();
  return literal;
}

}  // namespace tacit::params
