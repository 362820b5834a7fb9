#pragma once

#include <tacit/model.h>

#include <cstdint>
#include <nlohmann/json.hpp>

/// Reads the plan in a client's half. The statements of the file are checked where they matter.
namespace tacit::app::api {

/// Returns the count in `field`. Throws InputError if the field holds no count.
std::int64_t planned_count(const nlohmann::ordered_json& plan, const char* field);

/// Reads the fields that plans of both schemes have, and keeps the JSON.
void read_common(const nlohmann::ordered_json& json, Plan& plan);

}  // namespace tacit::app::api
