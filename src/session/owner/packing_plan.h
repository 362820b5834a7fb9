#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "tensor/packing.h"

namespace tacit::session {

/// "0.2s", "200ms", "1.5 s", "250us" as seconds. Throws InputError unless it is a positive finite time.
double parse_duration(std::string_view text);
std::string duration_text(double seconds);
/// "16 x 64 > 64 x 16": `extents` are those of one stage after another, `dims` each (0: one stage holds all). A stage
/// that keeps the tiles of the one before is left out.
std::string extents_text(const nlohmann::ordered_json& extents, std::size_t dims = 0);

/// The best candidates of a search over packings, how many were priced, and how long that took.
nlohmann::ordered_json plan_packing_json(const tensor::PackedComputation& computation,
                                         const program::SearchRequest& request, const program::SearchResult& result);
std::string plan_packing_text(const nlohmann::ordered_json& plan);

}  // namespace tacit::session
