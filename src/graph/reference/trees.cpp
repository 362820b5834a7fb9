#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "graph/reference/estimators.h"
#include "graph/reference/operator_call.h"
#include "graph/reference/rounding.h"
#include "graph/tree_ensemble.h"
#include "graph/tree_ensemble_as_regressor.h"

namespace tacit::graph::reference {
namespace {

Tensor tree_scores(const Call& call) {
  const TreeEnsemble ensemble = tree_ensemble(call.node);
  const FeatureRows rows = feature_rows(call);
  if (rows.features < ensemble.features)
    call.refuse(fmt::format("its nodes read feature {}, and the input has {}", ensemble.features - 1, rows.features));
  const auto targets = static_cast<std::int64_t>(ensemble.targets());
  // Thresholds are compared with numbers of the input's format, also where the model's own input is more precise.
  const FloatFormat format = call.rounding(0);
  std::vector<double> numbers(static_cast<std::size_t>(rows.features));
  Tensor result = call.zeros({rows.count, targets});
  for (std::int64_t row = 0; row < rows.count; ++row) {
    std::ranges::transform(std::span(rows.row(row), numbers.size()), numbers.begin(),
                           [&](double number) { return round_to(format, number); });
    const std::vector<double> scores = ensemble.scores(numbers);
    std::ranges::copy(scores, result.data.begin() + row * targets);
  }
  return result;
}

/// Labels and transformed scores, as ONNX Runtime has them: one score that is a probability decides at one half,
/// another at 0. LOGISTIC alone transforms a single score of trees, probability or not.
std::vector<Tensor> tree_votes(const Call& call, Tensor scores) {
  const PostTransform kind = post_transform_of(call);
  const bool left = kind == PostTransform::softmax || kind == PostTransform::softmax_zero;
  const bool probabilities = flag_attribute(call.node, "probabilities");
  return labelled(call, std::move(scores), "scores",
                  {probabilities ? 0.5 : 0, left ? PostTransform::none : kind, !probabilities});
}

std::vector<Tensor> scores_only(const Call& call) { return {tree_scores(call)}; }
std::vector<Tensor> votes_of_tree_scores(const Call& call) { return tree_votes(call, call.input(0)); }
std::vector<Tensor> tree_classifier(const Call& call) {
  const Node tail{kTreeVotesOp, call.node.name, {}, call.node.outputs, tree_votes_attributes(call.node)};
  return tree_votes(Call{tail, call.inputs, call.graph, call.most_elements}, tree_scores(call));
}

std::vector<Tensor> tree_regressor(const Call& call) {
  Tensor scores = tree_scores(call);
  transform_scores(post_transform_of(call), scores);
  return {std::move(scores)};
}

std::vector<Tensor> tree_ensemble_of_either_kind(const Call& call) {
  const Node regressor = as_tree_regressor(call.node);
  return tree_regressor(Call{regressor, call.inputs, call.graph, call.most_elements});
}

constexpr AttributeDeclaration kNodes[] = {reals("base_values"),
                                           integers("nodes_falsenodeids"),
                                           integers("nodes_featureids"),
                                           reals("nodes_hitrates"),
                                           integers("nodes_missing_value_tracks_true"),
                                           texts("nodes_modes"),
                                           integers("nodes_nodeids"),
                                           integers("nodes_treeids"),
                                           integers("nodes_truenodeids"),
                                           reals("nodes_values"),
                                           kPostTransform[0]};
constexpr AttributeDeclaration kClasses[] = {integers("class_ids"),          integers("class_nodeids"),
                                             integers("class_treeids"),      reals("class_weights"),
                                             integers("classlabels_int64s"), texts("classlabels_strings")};
constexpr AttributeDeclaration kTargets[] = {text("aggregate_function", "SUM", "SUM, AVERAGE"),
                                             integer("n_targets", 1),
                                             integers("target_ids"),
                                             integers("target_nodeids"),
                                             integers("target_treeids"),
                                             reals("target_weights")};
constexpr AttributeDeclaration kTreeVotes[] = {integers("classlabels_ints"), texts("classlabels_strings"),
                                               kPostTransform[0], flag("probabilities")};
constexpr std::int64_t kLastAggregate = 3, kLastTransform = 4;
constexpr AttributeDeclaration kEitherKind[] = {integer("aggregate_function", 1, 0, kLastAggregate),
                                                integers("leaf_targetids"),
                                                tensor("leaf_weights"),
                                                tensor("membership_values"),
                                                integer("n_targets", 1),
                                                integers("nodes_falseleafs"),
                                                integers("nodes_falsenodeids"),
                                                integers("nodes_featureids"),
                                                tensor("nodes_hitrates"),
                                                integers("nodes_missing_value_tracks_true"),
                                                tensor("nodes_modes"),
                                                tensor("nodes_splits"),
                                                integers("nodes_trueleafs"),
                                                integers("nodes_truenodeids"),
                                                integer("post_transform", 0, 0, kLastTransform),
                                                integers("tree_roots")};
constexpr auto kTreeClassifier = joined(kNodes, kClasses);
constexpr auto kTreeRegressor = joined(kNodes, kTargets);
constexpr auto kScores = joined(kNodes, kClasses, kTargets);
constexpr std::string_view kOnSlots = "products of comparisons with a public grid, which the client makes";
constexpr std::string_view kLabelledOnSlots =
    "products of comparisons with a public grid, which the client makes; the client labels";

constexpr Declaration kTreesOperators[] = {
    {kTreeScoresOp, scores_only, 0, "x", Class::trees, kScores},
    {kTreeVotesOp, votes_of_tree_scores, 0, "scores -> labels scores", Class::client, kTreeVotes},
    {"ai.onnx.ml.TreeEnsemble", tree_ensemble_of_either_kind, 5, "x", Class::written_out, kEitherKind, kRowWise,
     kOnSlots, "tables of comparisons"},
    {"ai.onnx.ml.TreeEnsembleClassifier", tree_classifier, 1, "x -> labels scores", Class::written_out, kTreeClassifier,
     kRowWise, kLabelledOnSlots, "tables of comparisons; the client labels"},
    {"ai.onnx.ml.TreeEnsembleRegressor", tree_regressor, 1, "x", Class::written_out, kTreeRegressor, kRowWise, kOnSlots,
     "tables of comparisons"},
};

}  // namespace

std::span<const Declaration> tree_operators() { return kTreesOperators; }

}  // namespace tacit::graph::reference
