#pragma once

#include <tacit/model.h>

#include <cstdint>
#include <nlohmann/json.hpp>

/// Plans in a client's half, as data. What the file says is not believed where it matters.
namespace tacit::app::api {

/// Throws InputError for what is no count.
std::int64_t planned_count(const nlohmann::ordered_json& plan, const char* field);

/// Reads what plans of both schemes have, and keeps the JSON.
void read_common(const nlohmann::ordered_json& json, Plan& plan);

}  // namespace tacit::app::api
