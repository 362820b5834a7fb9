#pragma once

#include <vector>

#include "graph/client_parts.h"

namespace tacit::graph::passes {

/// Calibration samples as the client's first part leaves them. Throws InputError as run_before, for calibration data.
std::vector<std::vector<Tensor>> samples_behind(const ClientParts& client, std::vector<std::vector<Tensor>> samples);

/// Whether that part only moves elements, so that a range of the inputs is one of what is encrypted.
bool only_moves(const ClientParts& client);

}  // namespace tacit::graph::passes
