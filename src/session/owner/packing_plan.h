#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "tensor/packing.h"

namespace tacit::session {

/// Returns "0.2s", "200ms", "1.5 s" or "250us" in seconds. Throws InputError unless it is a positive finite time.
double parse_duration(std::string_view text);
std::string duration_text(double seconds);
/// Returns a text like "16 x 64 > 64 x 16". `extents` hold one stage after another, `dims` extents each (0: one stage
/// holds all). A stage with the tiles of the previous one is left out.
std::string extents_text(const nlohmann::ordered_json& extents, std::size_t dims = 0);

/// Returns the best candidates of a search over packings, the number of priced candidates, and the duration of the
/// search.
nlohmann::ordered_json plan_packing_json(const tensor::PackedComputation& computation,
                                         const program::SearchRequest& request, const program::SearchResult& result);
std::string plan_packing_text(const nlohmann::ordered_json& plan);

}  // namespace tacit::session
