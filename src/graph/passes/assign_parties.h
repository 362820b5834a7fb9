#pragma once

#include <set>
#include <string>

#include "graph/client_parts.h"
#include "graph/graph.h"

namespace tacit::graph::passes {

/// What the owner of a model allows the client to run.
struct PartyChoices {
  bool before = true;                    ///< operators on the inputs
  bool after = true;                     ///< operators on decrypted values
  std::set<std::string> keep_private{};  ///< nodes that stay with the server
  bool tables = false;  ///< the server can look up tables, and so evaluate decision trees and functions with steps
};

/// A model cut into what the client runs and what the server computes on ciphertexts.
struct Parties {
  Graph encrypted;  ///< tensor ids are those of the whole graph, and new ones of lookups follow; inputs and outputs are
                    ///< what is encrypted and decrypted
  ClientParts client;
};

/// Gives every node to the server or to the client. Nodes with weights of layers (Conv, Gemm, MatMul, …) are the
/// server's. The client runs
/// - behind the last of them what has no exact encrypted form (Softmax, ArgMax, labels, functions), and what lies
///   behind that; affine maps and products in front of it stay with the server,
/// - before the first of them what depends on the inputs alone: operators without an encrypted form (Imputer,
///   comparisons, Normalizer) and functions, with the arithmetic that they need, and products and movements of the
///   inputs. Arithmetic that sets an input against rows of constants (distances from classes) does not go with them:
///   its constants are what the model has learned.
/// Private indices of a table that stays with the server are looked up by a product (write_out_lookups.h).
/// Operators to which a little noise makes a difference on common values (Equal, a truncation, the label of a number)
/// never read decrypted reals.
/// Throws InputError when:
/// - An output depends on no private input, or has no element.
/// - The client can run the whole model.
/// - A kept node does not exist, or has no encrypted form.
Parties assign_parties(const Graph& graph, const PartyChoices& choices);

}  // namespace tacit::graph::passes
