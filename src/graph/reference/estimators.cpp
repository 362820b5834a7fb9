#include "graph/reference/estimators.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace tacit::graph::reference {
namespace {

double logistic(double x) { return x >= 0 ? 1 / (1 + std::exp(-x)) : std::exp(x) / (1 + std::exp(x)); }

/// Winitzki's approximation of the inverse error function with a = 0.147, which is what PROBIT means to ONNX Runtime:
/// it is off by up to 2e-3, and exact values would differ from every other run of the model.
double probit(double probability) {
  constexpr double kA = 0.147, kPi = 3.14159;
  const double x = 2 * probability - 1;
  const double logarithm = std::log((1 - x) * (1 + x));
  const double half = 2 / (kPi * kA) + logarithm / 2;
  const double inverse = std::sqrt(std::sqrt(half * half - logarithm / kA) - half);
  return std::numbers::sqrt2 * std::copysign(inverse, x);
}

void softmax(double* row, std::int64_t count) {
  const double most = *std::max_element(row, row + count);
  double sum = 0;
  for (std::int64_t i = 0; i < count; ++i) sum += row[i] = std::exp(row[i] - most);
  for (std::int64_t i = 0; i < count; ++i) row[i] /= sum;
}

/// Scores of zero stay (next to) zero and get no share. A row of zeros stays as it is.
void softmax_zero(double* row, std::int64_t count) {
  constexpr double kZero = 1e-7;
  const double most = *std::max_element(row, row + count);
  double sum = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    row[i] = std::abs(row[i]) > kZero ? std::exp(row[i] - most) : row[i] * std::exp(-most);
    sum += row[i];
  }
  for (std::int64_t i = 0; i < count && sum != 0; ++i) row[i] /= sum;
}

}  // namespace

FeatureRows feature_rows(const Call& call) {
  const Tensor& input = call.input(0);
  const Shape& shape = input.shape;
  if (shape.empty() || shape.size() > 2 || shape.back() == 0)
    call.refuse(fmt::format("the input must be [batch, features], not {}", to_text(shape)));
  return {shape.size() == 1 ? 1 : shape[0], shape.back(), input.data.data()};
}

Tensor linear_scores(const Call& call, const std::function<std::vector<double>(std::size_t)>& constants) {
  const FeatureRows rows = feature_rows(call);
  const std::vector<double> coefficients = reals_attribute(call.node, "coefficients");
  const auto total = static_cast<std::int64_t>(coefficients.size());
  if (total == 0 || total % rows.features != 0)
    call.refuse(fmt::format("{} coefficients do not fit {} features", total, rows.features));
  const std::vector<double> starts = constants(static_cast<std::size_t>(total / rows.features));
  Tensor scores = call.zeros({rows.count, total / rows.features});
  double* out = scores.data.data();
  for (std::int64_t row = 0; row < rows.count; ++row) {
    const double *in = rows.row(row), *weights = coefficients.data();
    for (const double start : starts) {
      *out++ = std::inner_product(in, in + rows.features, weights, start);
      weights += rows.features;
    }
  }
  return scores;
}

Tensor ClassLabels::at(const std::vector<std::size_t>& positions) const {
  Tensor result{{static_cast<std::int64_t>(positions.size())}, std::vector<double>(positions.size()), true};
  for (std::size_t i = 0; i < positions.size(); ++i)
    result.data[i] = texts.empty() ? integers.at(positions[i]) : static_cast<double>(positions[i]);
  result.texts = texts;
  return result;
}

ClassLabels class_labels(const Call& call) {
  constexpr std::int64_t kLargest = std::int64_t{1} << 53;
  ClassLabels labels;
  labels.texts = texts_attribute(call.node, "classlabels_strings");
  for (const std::int64_t label : integers_attribute(call.node, "classlabels_ints")) {
    if (label < -kLargest || label > kLargest)
      call.refuse(
          fmt::format("the label {} in classlabels_ints is beyond 2^53, up to which integers are exact", label));
    labels.integers.push_back(static_cast<double>(label));
  }
  if (labels.size() < 2)
    call.refuse("a classifier needs two labels or more in its attribute classlabels_ints or classlabels_strings");
  return labels;
}

PostTransform post_transform_of(const Call& call) {
  return choice_attribute<PostTransform>(call.node, "post_transform");
}

void transform_scores(PostTransform kind, Tensor& scores) {
  const std::int64_t columns = scores.shape.at(1);
  if (kind == PostTransform::none || columns == 0) return;
  if (kind == PostTransform::logistic || kind == PostTransform::probit) {
    for (double& score : scores.data) score = kind == PostTransform::probit ? probit(score) : logistic(score);
    return;
  }
  for (std::int64_t row = 0; row < scores.shape[0]; ++row) {
    double* first = scores.data.data() + row * columns;
    (kind == PostTransform::softmax ? softmax : softmax_zero)(first, columns);
  }
}

Tensor two_columns(const Call& call, PostTransform kind, bool negated, const Tensor& scores) {
  if (kind == PostTransform::probit)
    call.refuse(
        "post_transform PROBIT needs a score for each of the two classes, and there is one for both; write scores of "
        "both, or the transform LOGISTIC");
  Tensor result = call.zeros({scores.shape.at(0), 2});
  for (std::size_t row = 0; row < scores.data.size(); ++row) {
    const double score = scores.data[row];
    const bool opposite = negated && kind == PostTransform::none;
    result.data[2 * row] = kind == PostTransform::logistic ? logistic(-score) : opposite ? -score : 1 - score;
    result.data[2 * row + 1] = kind == PostTransform::logistic ? logistic(score) : score;
  }
  return result;
}

std::vector<Tensor> labelled(const Call& call, Tensor scores, const char* columns, const OneScore& one) {
  if (scores.shape.size() != 2) call.refuse(fmt::format("its scores must be [batch, {}]", columns));
  const std::int64_t targets = scores.shape[1];
  const ClassLabels labels = class_labels(call);
  const bool one_score = targets == 1 && labels.size() == 2;
  if (!one_score && static_cast<std::int64_t>(labels.size()) != targets)
    call.refuse(fmt::format("{} labels do not fit {} {}", labels.size(), targets, columns));
  std::vector<std::size_t> best;
  for (std::int64_t row = 0; row < scores.shape[0]; ++row) {
    const double* first = scores.data.data() + row * targets;
    const std::ptrdiff_t winner =
        one_score ? (first[0] > one.threshold ? 1 : 0) : std::max_element(first, first + targets) - first;
    best.push_back(static_cast<std::size_t>(winner));
  }
  if (one_score) {
    scores = two_columns(call, one.kind, one.negated, scores);
  } else {
    transform_scores(post_transform_of(call), scores);
  }
  return {labels.at(best), std::move(scores)};
}

}  // namespace tacit::graph::reference
