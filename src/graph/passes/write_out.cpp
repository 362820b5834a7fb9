#include "graph/passes/write_out.h"

#include <map>
#include <string>

#include "graph/passes/whole_numbers.h"
#include "graph/passes/write_out_choices.h"
#include "graph/passes/write_out_distances.h"
#include "graph/passes/write_out_quantisation.h"
#include "graph/passes/written_out.h"
#include "graph/prune.h"

namespace tacit::graph::passes {

Graph write_out(const Graph& model) {
  static const std::map<std::string, void (*)(GraphEditor&, const Node&)> kWriters{
      {"GlobalLpPool", write_out_norm_pool},
      {"LpPool", write_out_norm_pool},
      {"ReduceL1", write_out_norm},
      {"ReduceL2", write_out_norm},
      {"ReduceLogSum", write_out_norm},
      {"ai.onnx.ml.LinearClassifier", write_out_classifier},
      {"ai.onnx.ml.LinearRegressor", write_out_regressor},
      {"ai.onnx.ml.SVMClassifier", write_out_support_vectors},
      {"ai.onnx.ml.SVMRegressor", write_out_support_vectors},
      {"ai.onnx.ml.TreeEnsemble", write_out_tree_ensemble},
      {"ai.onnx.ml.TreeEnsembleClassifier", write_out_tree_classifier},
      {"ai.onnx.ml.TreeEnsembleRegressor", write_out_tree_regressor},
  };
  const Graph graph = round_whole_casts(model);
  Graph result = graph;
  result.nodes.clear();
  GraphEditor editor(result);
  QuantisationWriter quantisation(graph, editor);
  ChoiceWriter choices(graph, editor);
  for (const Node& node : graph.nodes) {
    if (quantisation.write(node) || choices.write(node)) continue;
    const auto writer = kWriters.find(node.op);
    if (writer == kWriters.end()) {
      editor.copy(node);
    } else {
      writer->second(editor, node);
    }
  }
  if (quantisation.wrote()) drop_unread(result);
  return write_out_distances(result);
}

}  // namespace tacit::graph::passes
