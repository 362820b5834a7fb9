#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/json_text.h"
#include "params/literal_fields.h"
#include "params/tfhe_parameters.h"

namespace tacit::params {
namespace {

using Json = nlohmann::json;

constexpr std::string_view kWhat = "TFHE parameter literal";

double real(const LiteralFields& fields, const char* field) {
  const Json& value = fields.at(field);
  if (!value.is_number() || !std::isfinite(value.get<double>()))
    fields.refuse("'{}' must be a number, not {}", field, value.type_name());
  return value.get<double>();
}

Decomposition cut(const LiteralFields& fields, const char* field) {
  const Json& value = fields.at(field);
  const bool shaped = value.is_object() && value.size() == 2 && value.contains("base_log") && value.contains("levels");
  if (!shaped) fields.refuse("'{}' must be an object of 'base_log' and 'levels'", field);
  return {.base_log = fields.integer(value["base_log"], "base_log"),
          .levels = fields.integer(value["levels"], "levels")};
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
  std::vector<std::string_view> known = {"scheme", "name", "insecure"};
  for (const auto& [field, member] : kIntegers) known.push_back(field);
  for (const auto& [field, member] : kReals) known.push_back(field);
  for (const auto& [field, member] : kCuts) known.push_back(field);
  const LiteralFields fields(json, kWhat, known);
  if (fields.at("scheme") != "tfhe") fields.refuse("the scheme is not tfhe");
  TfheLiteral literal;
  literal.name = fields.text("name");
  for (const auto& [field, member] : kIntegers) literal.*member = fields.integer(field);
  for (const auto& [field, member] : kReals) literal.*member = real(fields, field);
  for (const auto& [field, member] : kCuts) literal.*member = cut(fields, field);
  literal.insecure = fields.flag("insecure");
  return literal;
}

}  // namespace tacit::params
