#pragma once

#include <functional>

#include "graph/reference/operator_call.h"

namespace tacit::graph::reference {

/// The first input of an operator of ai.onnx.ml as rows of features. A vector is one row.
struct FeatureRows {
  std::int64_t count, features;
  const double* data;
  const double* row(std::int64_t index) const { return data + index * features; }
};

/// Returns the rows of a node's input. Refuses the node if the input has another rank or no feature.
FeatureRows feature_rows(const Call& call);

/// Returns X times the rows of the attribute 'coefficients', each plus its constant: [batch, rows]. constants(rows)
/// returns one constant for every row. Refuses the node if the coefficients do not fit the features.
Tensor linear_scores(const Call& call, const std::function<std::vector<double>(std::size_t)>& constants);

/// The labels of a classifier of ai.onnx.ml: integers or texts.
struct ClassLabels {
  std::vector<double> integers;
  std::vector<std::string> texts;

  std::size_t size() const { return texts.empty() ? integers.size() : texts.size(); }
  /// Returns a vector with the labels at these positions. Labels that are texts are positions in the list of labels.
  Tensor at(const std::vector<std::size_t>& positions) const;
};

/// Returns the attribute 'classlabels_strings' or 'classlabels_ints'. Refuses the node if neither states at least two
/// labels, or if an integer is beyond 2^53.
ClassLabels class_labels(const Call& call);

/// The transforms that classifiers and regressors of ai.onnx.ml apply to their scores.
enum class PostTransform : std::uint8_t { none, softmax, logistic, softmax_zero, probit };
inline constexpr AttributeDeclaration kPostTransform[] = {
    text("post_transform", "NONE", "NONE, SOFTMAX, LOGISTIC, SOFTMAX_ZERO, PROBIT")};

/// Returns the attribute 'post_transform'.
PostTransform post_transform_of(const Call& call);

/// Transforms scores [batch, columns] row by row.
void transform_scores(PostTransform kind, Tensor& scores);

/// Returns the columns of two classes from the score s of the second class. The first column depends on the transform:
/// - LOGISTIC gives the two probabilities.
/// - Without a transform, it is 1 - s or, with `negated`, -s.
/// - SOFTMAX leaves a single score unchanged, as in ONNX Runtime.
/// - PROBIT is refused, because ONNX Runtime returns no numbers either.
Tensor two_columns(const Call& call, PostTransform kind, bool negated, const Tensor& scores);

/// The meaning of one score for two classes: the second class wins above `threshold`. The rest is for two_columns.
struct OneScore {
  double threshold;
  PostTransform kind;
  bool negated;
};

/// Returns labels and transformed scores from scores [batch, columns], with one column per label or one for two. The
/// largest score wins. `columns` names the columns in errors.
std::vector<Tensor> labelled(const Call& call, Tensor scores, const char* columns, const OneScore& one);

}  // namespace tacit::graph::reference
