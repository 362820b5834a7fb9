#pragma once

#include <vector>

#include "graph/calibration.h"
#include "graph/graph.h"

namespace tacit::graph::passes {

struct SlotsDraft;

/// Finds how every Softmax along the last axis of an encrypted graph is written out. Samples of the graph's inputs
/// show:
/// - Keys. The scores may be products of queries and keys. The logarithm of a row's sum of exponentials is then
///   predicted from its query, by one vector per group (head) and least squares. The vector is fitted to half of the
///   samples first. It is used if the sums of the other half come closer together.
/// - Halvings. The largest sum of a row may be 64 times the smallest one, or 500 times with halvings. The least number
///   of halvings that achieves this is taken.
/// - Masks (hiding_mask.h). The client refuses numbers that no sample has.
///
/// Throws InputError, naming the node, if more than kMostHalvings would be needed.
std::vector<SoftmaxForm> softmax_forms(const Graph& graph, const std::vector<std::vector<Tensor>>& samples);

/// Writes out the Softmax nodes that have forms.
Graph with_softmax_forms(Graph graph, const std::vector<SoftmaxForm>& forms);

/// The pass: takes the forms from the samples, or from the ranges that were measured before, and notes them.
void shape_softmax(SlotsDraft& draft);

}  // namespace tacit::graph::passes
