#pragma once

#include <functional>

#include "graph/reference/operator_call.h"

namespace tacit::graph::reference {

/// The first input of an operator of ai.onnx.ml as rows of features; a vector is one row.
struct FeatureRows {
  std::int64_t count, features;
  const double* data;
  const double* row(std::int64_t index) const { return data + index * features; }
};

/// Refuses the node where the input has another rank or no feature.
FeatureRows feature_rows(const Call& call);

/// X times the rows of the attribute 'coefficients', each plus its constant: [batch, rows]. constants(rows) gives one
/// for every row. Refuses the node where the coefficients do not fit the features.
Tensor linear_scores(const Call& call, const std::function<std::vector<double>(std::size_t)>& constants);

/// The labels of a classifier of ai.onnx.ml: integers or texts.
struct ClassLabels {
  std::vector<double> integers;
  std::vector<std::string> texts;

  std::size_t size() const { return texts.empty() ? integers.size() : texts.size(); }
  /// A vector with the labels at these positions. Labels that are texts are positions in the list of labels.
  Tensor at(const std::vector<std::size_t>& positions) const;
};

/// The attributes 'classlabels_strings' or 'classlabels_ints'. Refuses the node where neither states two labels or
/// more, or an integer is beyond 2^53.
ClassLabels class_labels(const Call& call);

/// What classifiers and regressors of ai.onnx.ml do to their scores.
enum class PostTransform : std::uint8_t { none, softmax, logistic, softmax_zero, probit };
inline constexpr AttributeDeclaration kPostTransform[] = {
    text("post_transform", "NONE", "NONE, SOFTMAX, LOGISTIC, SOFTMAX_ZERO, PROBIT")};

/// The attribute 'post_transform'.
PostTransform post_transform_of(const Call& call);

/// Transforms scores [batch, columns] row by row.
void transform_scores(PostTransform kind, Tensor& scores);

/// The columns of two classes from the one score s of the second. The first becomes 1 - s or, with `negated`, -s where
/// nothing is transformed; LOGISTIC gives the two probabilities. SOFTMAX does nothing to a single score, as in ONNX
/// Runtime; PROBIT is refused, for ONNX Runtime returns no numbers either.
Tensor two_columns(const Call& call, PostTransform kind, bool negated, const Tensor& scores);

/// What one score for two classes means: the second wins above `threshold`, and the rest is for two_columns.
struct OneScore {
  double threshold;
  PostTransform kind;
  bool negated;
};

/// Labels and transformed scores from scores [batch, columns], a column for every label or one for two. The largest
/// score wins. `columns` says in errors what the columns are.
std::vector<Tensor> labelled(const Call& call, Tensor scores, const char* columns, const OneScore& one);

}  // namespace tacit::graph::reference
