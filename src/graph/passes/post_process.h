#pragma once

#include <string>
#include <vector>

#include "graph/passes/recognise.h"
#include "program/client_interface.h"

namespace tacit::graph::passes {

/// How one output of the model is made from a tensor that the server computes.
struct PlannedOutput {
  std::string name;
  TensorId source = kNoTensor;           ///< encrypted tensor, decrypted by the client
  std::vector<program::PostStep> steps;  ///< run by the client, in order
  Shape final_shape;
};

/// The encrypted part of a model and what the client does with its outputs.
struct SplitGraph {
  Recognised encrypted;                ///< outputs: the distinct sources
  std::vector<PlannedOutput> outputs;  ///< one per output of the model, in order
};

/// The name that the encrypted part gives to the scores of a LinearClassifier before its post_transform, a tensor that
/// the model has not: one score for each label, and -s and s where one row of coefficients scores two labels.
std::string raw_scores_name(const Node& classifier);

/// Moves operators that only post-process an output to the client: Softmax, LogSoftmax, ArgMax, a final Sigmoid, and a
/// LinearClassifier's labels and scores, of which the server keeps the affine part. Changes of shape behind them need
/// no work. If not `enabled`, everything stays encrypted.
SplitGraph split_post_processing(Recognised recognised, bool enabled = true);

}  // namespace tacit::graph::passes
