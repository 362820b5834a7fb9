#pragma once

#include <vector>

#include "graph/calibration.h"
#include "graph/graph.h"

namespace tacit::graph::passes {

struct SlotsDraft;

/// Finds how every Softmax along the last axis of an encrypted graph is written out, from samples of the graph's
/// inputs.
/// - Keys: if the scores are products of queries and keys, least squares find for each group (head) the vector that
///   predicts the logarithm of a row's sum of exponentials from the query. It is kept if the sums of samples that it
///   was not fitted on are then closer together.
/// - Halvings: as many as bring the largest sum of a row to at most 500 times the smallest one.
/// - Masks: a summand that is 0 or one number of at most -10^4 in all samples is a mask.
///
/// Throws InputError, naming the node, if more than kMostHalvings would be needed.
std::vector<SoftmaxForm> softmax_forms(const Graph& graph, const std::vector<std::vector<Tensor>>& samples);

/// Writes out the Softmax nodes that have forms.
Graph with_softmax_forms(Graph graph, const std::vector<SoftmaxForm>& forms);

/// The pass: takes the forms from the samples, or from the ranges that were measured before, and notes them.
void shape_softmax(SlotsDraft& draft);

}  // namespace tacit::graph::passes
