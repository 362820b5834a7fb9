#pragma once

#include "graph/graph.h"

namespace tacit::graph::passes {

struct SlotsDraft;

/// Turns the functions of a quantised network into tables, so that its results in slots are exact. A network is
/// quantised if the server rounds (QuantizeLinear). Its sums are then multiples of a step, because inputs, weights and
/// biases are. The functions between two sums are one table of a sum's possible values (quant::Provenance). The bounds
/// of sums hold for all inputs.
///
/// The client rounds decrypted sums to the nearest multiple of their step. No noise is then left.
///
/// Other networks stay as they are. Throws InputError, naming the node, for these networks:
/// - An encrypted input is not quantised before it is encrypted.
/// - A sum is off the grid of its operands: scales by channel, or a bias with another scale.
/// - A sum takes more values than a table has entries.
/// - Elements of one value need different tables.
/// - A value is neither a sum nor a function of one.
void tabulate(SlotsDraft& draft);

/// True if a model has operators that quantise.
bool is_quantised(const Graph& model);

}  // namespace tacit::graph::passes
