#pragma once

#include <set>
#include <string>

#include "graph/client_parts.h"
#include "graph/graph.h"

namespace tacit::graph::passes {

/// The operators that the owner of a model allows the client to run.
struct PartyChoices {
  bool before = true;                    ///< operators on the inputs
  bool after = true;                     ///< operators on decrypted values
  std::set<std::string> keep_private{};  ///< nodes that stay with the server
  bool tables = false;  ///< the server can look up tables, and so can evaluate decision trees and functions with steps
};

/// A model cut into the client's operators and the operators that the server computes on ciphertexts.
struct Parties {
  Graph encrypted;  ///< tensor ids of the whole graph, then new ones of lookups; encrypted inputs, decrypted outputs
  ClientParts client;
};

/// Assigns every node to the server or to the client. Nodes with weights of layers (Conv, Gemm, MatMul, …) are the
/// server's. The client runs:
/// - after the last of them, operators without an exact encrypted form (Softmax, ArgMax, labels, functions), and all
///   that follows these. Affine maps and products before them stay with the server.
/// - at the end, Transpose and the reshapes behind it, unless the server looks up tables.
/// - before the first of them, operators that depend on the inputs only: those without an encrypted form (Imputer,
///   comparisons, Normalizer), functions with the arithmetic that they need, and products and movements of the inputs.
///
/// Arithmetic between an input and several rows of constants (distances from classes) stays with the server, because
/// the model has learned these constants. Private indices of a table that stays with the server are looked up by a
/// product (write_out_lookups.h). Operators whose result a little noise changes on common values (Equal, a truncation,
/// the label of a number) never read decrypted reals.
///
/// Throws InputError when:
/// - No output depends on a private input, or one has no element. Outputs that are constants beside others are the
///   client's.
/// - The client can run the whole model.
/// - A kept node does not exist, or has no encrypted form.
Parties assign_parties(const Graph& graph, const PartyChoices& choices);

}  // namespace tacit::graph::passes
