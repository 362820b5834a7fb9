#pragma once

#include <map>
#include <string>

#include "graph/graph.h"

namespace tacit::graph::reference {

/// The last part of an SVMClassifier as a separate operator: from the values of its decision functions to label and
/// scores. A compiler evaluates the decisions elsewhere and finishes with this operator.
inline constexpr char kSupportVectorVotes[] = "tacit.SupportVectorVotes";

/// Returns the attributes of the last part of a node ai.onnx.ml.SVMClassifier:
///   classlabels_ints or classlabels_strings, prob_a, prob_b, post_transform: the classifier's own.
///   decisions: "pairs", where column k decides between the k-th pair of classes, (0, 1), (0, 2), ..., (1, 2), ..., for
///     the first where it is positive; or "classes", where each class has a score (the form without support vectors).
///   positive_weights: 1 if no coefficient is negative. Only two classes with scores of their own look at it.
std::map<std::string, Attribute> support_vector_votes_attributes(const Node& classifier);

}  // namespace tacit::graph::reference
