#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "graph/client_parts.h"

namespace tacit::graph {

/// The inputs of a model that one of several owners has, and the client's part of the model for this owner.
struct OwnedInputs {
  ClientParts parts;                   ///< `before` takes these inputs alone, in the order of their names
  std::vector<std::size_t> encrypted;  ///< outputs of `before`, by their place among all encrypted tensors; ascending
};

/// Returns the client's part for the owner of the named inputs. Throws InputError in these cases:
/// - The model has no input of a name, or a name is given twice.
/// - No encrypted tensor depends on an input.
/// - An encrypted tensor is computed from the named inputs and from others.
/// - The model returns inputs unchanged. Their owner cannot hand them to the receiver of the results.
OwnedInputs owned_inputs(const ClientParts& parts, std::span<const std::string> names);

/// Returns the names of the model's inputs that every encrypted tensor is computed from, by tensor.
std::vector<std::vector<std::string>> origins_of_encrypted(const ClientParts& parts);

}  // namespace tacit::graph
