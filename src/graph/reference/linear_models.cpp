#include <fmt/format.h>

#include <utility>

#include "graph/reference/estimators.h"
#include "graph/reference/operator_call.h"

namespace tacit::graph::reference {
namespace {

Tensor scores_with_intercepts(const Call& call) {
  return linear_scores(call, [&](std::size_t rows) {
    const std::vector<double> intercepts = reals_attribute(call.node, "intercepts", std::vector<double>(rows, 0.0));
    if (intercepts.size() != rows)
      call.refuse(
          fmt::format("{} intercepts do not fit {} rows of coefficients: it reads other features than it was "
                      "trained on; export all steps that make features (skl2onnx leaves out the indicators of "
                      "an imputer)",
                      intercepts.size(), rows));
    return intercepts;
  });
}

/// Two labels with one row of coefficients: the row scores the second label.
std::vector<Tensor> linear_votes(const Call& call, Tensor scores) {
  return labelled(call, std::move(scores), "rows of coefficients", {0, post_transform_of(call), false});
}

std::vector<Tensor> linear_classifier(const Call& call) { return linear_votes(call, scores_with_intercepts(call)); }
std::vector<Tensor> votes_of_linear_scores(const Call& call) { return linear_votes(call, call.input(0)); }

std::vector<Tensor> transformed_scores(const Call& call) {
  Tensor scores = call.input(0);
  if (scores.shape.size() != 2) call.refuse("its scores must be [batch, targets]");
  transform_scores(post_transform_of(call), scores);
  return {std::move(scores)};
}

std::vector<Tensor> linear_regressor(const Call& call) {
  Tensor scores = scores_with_intercepts(call);
  const std::int64_t targets = integer_attribute(call.node, "targets");
  if (targets != scores.shape[1])
    call.refuse(fmt::format("{} rows of coefficients do not fit {} targets", scores.shape[1], targets));
  const PostTransform kind = post_transform_of(call);
  // ONNX Runtime leaves a single score as it is, whatever the transform, but for PROBIT.
  if (targets > 1 || kind == PostTransform::probit) transform_scores(kind, scores);
  return {std::move(scores)};
}

constexpr AttributeDeclaration kLinearRegressor[] = {reals("coefficients"), reals("intercepts"), kPostTransform[0],
                                                     integer("targets", 1)};
constexpr AttributeDeclaration kLinearVotes[] = {integers("classlabels_ints"), texts("classlabels_strings"),
                                                 flag("multi_class"), kPostTransform[0]};
constexpr auto kLinearClassifier = joined(
    kLinearVotes, {{.name = "coefficients", .type = AttributeType::reals, .required = true}, reals("intercepts")});

/// The ends of the two, as operators of their own: a compiler computes the scores elsewhere and finishes with these.
constexpr Declaration kLinearModelsOperators[] = {
    {"tacit.LinearVotes", votes_of_linear_scores, 0, "scores -> labels scores", Class::client, kLinearVotes},
    {"tacit.PostTransform", transformed_scores, 0, "scores", Class::client, kPostTransform},
    {"ai.onnx.ml.LinearClassifier", linear_classifier, 1, "x -> labels scores", Class::written_out, kLinearClassifier,
     kRowWise, "the server computes the scores; the client labels and probabilities"},
    {"ai.onnx.ml.LinearRegressor", linear_regressor, 1, "x", Class::written_out, kLinearRegressor, kRowWise,
     "a matrix; the client runs post_transform"},
};

}  // namespace

std::span<const Declaration> linear_model_operators() { return kLinearModelsOperators; }

}  // namespace tacit::graph::reference
