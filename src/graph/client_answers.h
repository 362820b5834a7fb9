#pragma once

#include <span>
#include <vector>

#include "graph/client_parts.h"

namespace tacit::graph {

/// The model's outputs from the decrypted tensors, as run_after makes them. Throws InputError as run_after does. Also
/// throws InputError, naming output, operator and element, where an operator of the client reads NaN and gives none. An
/// ArgMax, a comparison or a maximum over NaN gives a number or a label that looks right. Operators that only move
/// elements, Where, IsNaN and Imputer may read NaN. Thread safe.
std::vector<Tensor> answers_of(const ClientParts& parts, std::span<const std::vector<double>> decrypted,
                               std::span<const Tensor> kept = {});

/// For outputs with nothing to compare them with: throws InputError, naming output and element, where one is NaN. A
/// model that gives NaN for an input on purpose is refused as well: nobody can tell the two apart after decryption.
void require_numbers(const ClientParts& parts, std::span<const Tensor> outputs);

}  // namespace tacit::graph
