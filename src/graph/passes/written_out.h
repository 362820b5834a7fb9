#pragma once

#include "graph/graph.h"
#include "graph/passes/graph_editor.h"

namespace tacit::graph::passes {

/// The operators that `write_out` replaces. Each function appends nodes that make the outputs of `node`.
void write_out_classifier(GraphEditor& editor, const Node& node);       ///< ai.onnx.ml.LinearClassifier
void write_out_regressor(GraphEditor& editor, const Node& node);        ///< ai.onnx.ml.LinearRegressor
void write_out_support_vectors(GraphEditor& editor, const Node& node);  ///< ai.onnx.ml.SVMClassifier, SVMRegressor
void write_out_tree_ensemble(GraphEditor& editor, const Node& node);    ///< ai.onnx.ml.TreeEnsemble
void write_out_tree_classifier(GraphEditor& editor, const Node& node);  ///< ai.onnx.ml.TreeEnsembleClassifier
void write_out_tree_regressor(GraphEditor& editor, const Node& node);   ///< ai.onnx.ml.TreeEnsembleRegressor
void write_out_norm(GraphEditor& editor, const Node& node);             ///< ReduceL1, ReduceL2, ReduceLogSum
void write_out_norm_pool(GraphEditor& editor, const Node& node);        ///< LpPool, GlobalLpPool

/// The operators of the encrypted part that `write_out_maxima` replaces in addition to maxima.
void write_out_log_sum(GraphEditor& editor, const Node& node);              ///< ReduceLogSumExp, LogSoftmax, Softmax
void write_out_running_sum(GraphEditor& editor, const Node& node);          ///< CumSum
void write_out_quotient(GraphEditor& editor, const Node& node);             ///< Div by an encrypted value
void write_out_layer_normalisation(GraphEditor& editor, const Node& node);  ///< LayerNormalization, RMSNormalization
void write_out_group_normalisation(GraphEditor& editor,
                                   const Node& node);           ///< GroupNormalization, InstanceNormalization
void write_out_moments(GraphEditor& editor, const Node& node);  ///< MeanVarianceNormalization
void write_out_length_normalisation(GraphEditor& editor, const Node& node);  ///< LpNormalization

/// Returns the input of an estimator as [batch, features]. A vector is one row.
TensorId as_rows(GraphEditor& editor, const Node& node);

}  // namespace tacit::graph::passes
