#pragma once

#include <span>
#include <vector>

#include "graph/client_parts.h"

namespace tacit::graph {

/// Returns the model's outputs for the decrypted tensors, as ClientRun::after makes them, and throws InputError as it.
/// Also throws InputError, naming output, operator and element, if an operator of the client reads NaN and gives none.
/// An ArgMax, a comparison or a maximum over NaN gives a number or a label that looks right. Operators that only move
/// elements, Where, IsNaN and Imputer may read NaN. Thread safe.
std::vector<Tensor> answers_of(const ClientRun& run, std::span<const std::vector<double>> decrypted,
                               std::span<const Tensor> kept = {});

/// Throws InputError, naming output and element, if an output is NaN. For outputs that cannot be compared with a
/// reference. A model that gives NaN for an input on purpose is refused as well, because the two cases look the same
/// after decryption.
void require_numbers(const ClientParts& parts, std::span<const Tensor> outputs);

}  // namespace tacit::graph
