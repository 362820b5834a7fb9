#pragma once

#include "graph/reference/operator_call.h"

namespace tacit::graph::reference {

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

}  // namespace tacit::graph::reference
