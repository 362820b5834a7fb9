#pragma once

#include <optional>
#include <utility>

#include "graph/client_parts.h"

namespace tacit::graph::quant {

/// Returns public knowledge of all encrypted tensors. It is the user's range of inputs that are only moved before, or
/// the intervals at which quantised models saturate.
std::optional<std::pair<double, double>> known_interval(const ClientParts& client,
                                                        const std::optional<std::pair<double, double>>& inputs);

}  // namespace tacit::graph::quant
