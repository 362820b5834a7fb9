#include <fmt/format.h>

#include "graph/attribute.h"
#include "graph/passes/written_out.h"
#include "graph/tree_ensemble.h"
#include "graph/tree_ensemble_as_regressor.h"

namespace tacit::graph::passes {
namespace {

/// Writes the scores of every target, before any transform.
TensorId tree_scores(GraphEditor& editor, const Node& node, TensorId output) {
  const TreeEnsemble ensemble = tree_ensemble(node);
  const TensorId x = as_rows(editor, node);
  const Shape rows = editor.shape(x);
  if (rows[1] < ensemble.features)
    refuse(node, fmt::format("its nodes read feature {}, and the input has {}", ensemble.features - 1, rows[1]));
  const TensorId scores = output != kNoTensor ? output
                                              : editor.tensor(node.name + ".scores",
                                                              {rows[0], static_cast<std::int64_t>(ensemble.targets())});
  editor.node(kTreeScoresOp, node.name, {x}, scores, node.attributes);
  return scores;
}

}  // namespace

void write_out_tree_classifier(GraphEditor& editor, const Node& node) {
  const TensorId scores = tree_scores(editor, node, kNoTensor);
  editor.copy({kTreeVotesOp, node.name, {scores}, node.outputs, tree_votes_attributes(node)});
}

void write_out_tree_regressor(GraphEditor& editor, const Node& node) {
  const std::string transform = text_attribute(node, "post_transform");
  const TensorId scores = tree_scores(editor, node, transform == "NONE" ? node.outputs.at(0) : kNoTensor);
  if (transform == "NONE") return;
  editor.node("tacit.PostTransform", node.name, {scores}, node.outputs.at(0), {{"post_transform", transform}});
}

void write_out_tree_ensemble(GraphEditor& editor, const Node& node) {
  write_out_tree_regressor(editor, as_tree_regressor(node));
}

}  // namespace tacit::graph::passes
