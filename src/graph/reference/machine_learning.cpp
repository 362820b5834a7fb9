#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "graph/reference/operator_call.h"

namespace tacit::graph::reference {
namespace {

/// The input as rows of features; a vector is one row.
struct Rows {
  std::int64_t count, features;
};

Rows rows_of(const Call& call) {
  const Shape& shape = call.input(0).shape;
  if (shape.size() == 1) return {1, shape[0]};
  if (shape.size() == 2) return {shape[0], shape[1]};
  call.refuse(fmt::format("the input must be [batch, features], not {}", to_text(shape)));
}

std::vector<Tensor> scaler(const Call& call) {
  Tensor result = call.input(0);
  result.integral = false;
  const std::int64_t features = result.shape.empty() ? 1 : result.shape.back();
  const auto fitted = [&](const char* name, double fallback) {
    std::vector<double> values = reals_attribute(call.node, name, {fallback});
    if (values.size() == 1) values.assign(static_cast<std::size_t>(features), values[0]);
    if (static_cast<std::int64_t>(values.size()) != features)
      call.refuse(fmt::format("attribute '{}' holds {} values for {} features", name, values.size(), features));
    return values;
  };
  const std::vector<double> offset = fitted("offset", 0), scale = fitted("scale", 1);
  for (std::size_t i = 0; i < result.data.size(); ++i) {
    const std::size_t feature = i % offset.size();
    result.data[i] = (result.data[i] - offset[feature]) * scale[feature];
  }
  return {std::move(result)};
}

/// X times the coefficients' rows plus the intercepts: [batch, rows].
Tensor linear_scores(const Call& call) {
  const Rows rows = rows_of(call);
  const std::vector<double> coefficients = reals_attribute(call.node, "coefficients");
  const auto total = static_cast<std::int64_t>(coefficients.size());
  if (rows.features < 1 || total == 0 || total % rows.features != 0)
    call.refuse(fmt::format("{} coefficients do not fit {} features", total, rows.features));
  const std::int64_t targets = total / rows.features;
  const std::vector<double> intercepts =
      reals_attribute(call.node, "intercepts", std::vector<double>(static_cast<std::size_t>(targets), 0.0));
  if (static_cast<std::int64_t>(intercepts.size()) != targets)
    call.refuse(fmt::format("{} intercepts do not fit {} rows of coefficients", intercepts.size(), targets));
  Tensor scores = zeros({rows.count, targets});
  double* out = scores.data.data();
  for (std::int64_t row = 0; row < rows.count; ++row) {
    const double* in = call.input(0).data.data() + row * rows.features;
    for (std::int64_t target = 0; target < targets; ++target) {
      const double* weights = coefficients.data() + target * rows.features;
      *out++ = std::inner_product(in, in + rows.features, weights, intercepts[static_cast<std::size_t>(target)]);
    }
  }
  return scores;
}

double logistic(double x) { return 1 / (1 + std::exp(-x)); }

void softmax_row(double* row, std::int64_t count) {
  const double most = *std::max_element(row, row + count);
  double sum = 0;
  for (std::int64_t i = 0; i < count; ++i) sum += row[i] = std::exp(row[i] - most);
  for (std::int64_t i = 0; i < count; ++i) row[i] /= sum;
}

void post_transform(const Call& call, Tensor& scores) {
  const std::string kind = text_attribute(call.node, "post_transform", "NONE");
  if (kind == "LOGISTIC") {
    std::transform(scores.data.begin(), scores.data.end(), scores.data.begin(), logistic);
  } else if (kind == "SOFTMAX") {
    const std::int64_t count = scores.shape[1];
    for (std::int64_t row = 0; row < scores.shape[0]; ++row) softmax_row(scores.data.data() + row * count, count);
  } else if (kind != "NONE") {
    call.refuse(fmt::format("post_transform '{}' is none of NONE, SOFTMAX, LOGISTIC", kind));
  }
}

/// Two labels with one row of coefficients: the row scores the second label, and the first gets 1 - score (after
/// LOGISTIC, which makes it the other probability).
Tensor both_classes(const Call& call, Tensor scores) {
  if (text_attribute(call.node, "post_transform", "NONE") == "SOFTMAX")
    call.refuse("post_transform SOFTMAX needs a row of coefficients for each of the two classes");
  post_transform(call, scores);
  Tensor result = zeros({scores.shape[0], 2});
  for (std::size_t row = 0; row < scores.data.size(); ++row) {
    result.data[2 * row] = 1 - scores.data[row];
    result.data[2 * row + 1] = scores.data[row];
  }
  return result;
}

/// Labels that are strings come out as their positions in the list of labels.
std::vector<Tensor> linear_classifier(const Call& call) {
  Tensor scores = linear_scores(call);
  const std::int64_t targets = scores.shape[1];
  std::vector<std::int64_t> labels = integers_attribute(call.node, "classlabels_ints");
  if (labels.empty()) {
    for (std::size_t i = 0; i < texts_attribute(call.node, "classlabels_strings").size(); ++i)
      labels.push_back(static_cast<std::int64_t>(i));
  }
  const bool one_row = targets == 1 && labels.size() == 2;
  if (!one_row && static_cast<std::int64_t>(labels.size()) != targets)
    call.refuse(fmt::format("{} labels do not fit {} rows of coefficients", labels.size(), targets));
  Tensor label = zeros({scores.shape[0]}, true);
  for (std::int64_t row = 0; row < scores.shape[0]; ++row) {
    const double* first = scores.data.data() + row * targets;
    const std::ptrdiff_t best = one_row ? (first[0] > 0 ? 1 : 0) : std::max_element(first, first + targets) - first;
    label.data[static_cast<std::size_t>(row)] = static_cast<double>(labels[static_cast<std::size_t>(best)]);
  }
  if (one_row) {
    scores = both_classes(call, std::move(scores));
  } else {
    post_transform(call, scores);
  }
  return {std::move(label), std::move(scores)};
}

std::vector<Tensor> linear_regressor(const Call& call) {
  Tensor scores = linear_scores(call);
  post_transform(call, scores);
  return {std::move(scores)};
}

std::vector<Tensor> normalizer(const Call& call) {
  const Rows rows = rows_of(call);
  Tensor result = call.input(0);
  result.integral = false;
  const std::string norm = text_attribute(call.node, "norm", "MAX");
  if (norm != "MAX" && norm != "L1" && norm != "L2") call.refuse(fmt::format("norm '{}' is none of MAX, L1, L2", norm));
  for (std::int64_t row = 0; row < rows.count; ++row) {
    double* first = result.data.data() + row * rows.features;
    double size = 0;
    for (std::int64_t i = 0; i < rows.features; ++i) {
      const double value = std::abs(first[i]);
      size = norm == "MAX" ? std::max(size, value) : size + (norm == "L1" ? value : value * value);
    }
    if (norm == "L2") size = std::sqrt(size);
    for (std::int64_t i = 0; i < rows.features && size != 0; ++i) first[i] /= size;
  }
  return {std::move(result)};
}

constexpr NamedOperator kOperators[] = {
    {"ai.onnx.ml.Scaler", scaler},
    {"ai.onnx.ml.LinearClassifier", linear_classifier},
    {"ai.onnx.ml.LinearRegressor", linear_regressor},
    {"ai.onnx.ml.Normalizer", normalizer},
};

}  // namespace

std::span<const NamedOperator> machine_learning_operators() { return kOperators; }

}  // namespace tacit::graph::reference
