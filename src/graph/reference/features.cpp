#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "graph/reference/estimators.h"
#include "graph/reference/operator_call.h"

namespace tacit::graph::reference {
namespace {

/// Operators of ai.onnx.ml that prepare features. The last axis counts the features.

std::int64_t features_of(const Call& call) {
  const Shape& shape = call.input(0).shape;
  return shape.empty() ? 1 : shape.back();
}

/// One value for each feature, from an attribute that holds one for each or one for all.
std::vector<double> for_each_feature(const Call& call, const char* name, std::vector<double> values) {
  const std::int64_t features = features_of(call);
  if (values.size() == 1) values.assign(static_cast<std::size_t>(features), values[0]);
  if (static_cast<std::int64_t>(values.size()) != features)
    call.refuse(fmt::format("attribute '{}' holds {} values for {} features", name, values.size(), features));
  return values;
}

std::vector<Tensor> scaler(const Call& call) {
  Tensor result = call.input(0);
  result.integral = false;
  const std::vector<double> offset = for_each_feature(call, "offset", reals_attribute(call.node, "offset", {0}));
  const std::vector<double> scale = for_each_feature(call, "scale", reals_attribute(call.node, "scale", {1}));
  for (std::size_t i = 0; i < result.data.size(); ++i) {
    const std::size_t feature = i % offset.size();
    result.data[i] = (result.data[i] - offset[feature]) * scale[feature];
  }
  return {std::move(result)};
}

/// MAX divides by the largest element, not by the largest size: that is what the operator says and ONNX Runtime does.
std::vector<Tensor> normalizer(const Call& call) {
  const FeatureRows rows = feature_rows(call);
  Tensor result = call.input(0);
  result.integral = false;
  const std::string norm = text_attribute(call.node, "norm");
  for (std::int64_t row = 0; row < rows.count; ++row) {
    double* first = result.data.data() + row * rows.features;
    double size = norm == "MAX" ? *std::max_element(first, first + rows.features) : 0;
    for (std::int64_t i = 0; i < rows.features && norm != "MAX"; ++i)
      size += norm == "L1" ? std::abs(first[i]) : first[i] * first[i];
    if (norm == "L2") size = std::sqrt(size);
    for (std::int64_t i = 0; i < rows.features && size != 0; ++i) first[i] /= size;
  }
  return {std::move(result)};
}

/// NaN, the usual mark of a missing value, is replaced where it is the value to replace.
std::vector<Tensor> imputer(const Call& call) {
  std::vector<double> imputed = reals_attribute(call.node, "imputed_value_floats");
  const bool real = !imputed.empty();
  double replaced = real_attribute(call.node, "replaced_value_float");
  if (!real) {
    const std::vector<std::int64_t> integers = integers_attribute(call.node, "imputed_value_int64s");
    imputed.assign(integers.begin(), integers.end());
    replaced = static_cast<double>(integer_attribute(call.node, "replaced_value_int64"));
  }
  if (imputed.empty()) call.refuse("it has neither imputed_value_floats nor imputed_value_int64s");
  imputed = for_each_feature(call, real ? "imputed_value_floats" : "imputed_value_int64s", std::move(imputed));
  Tensor result = call.input(0);
  for (std::size_t i = 0; i < result.data.size(); ++i) {
    double& value = result.data[i];
    if (value == replaced || (std::isnan(value) && std::isnan(replaced))) value = imputed[i % imputed.size()];
  }
  return {std::move(result)};
}

std::vector<Tensor> binarizer(const Call& call) {
  const double threshold = real_attribute(call.node, "threshold");
  Tensor result = call.input(0);
  for (double& value : result.data) {
    if (std::isnan(value)) call.refuse("an element is not a number; put an Imputer before it");
    value = value > threshold ? 1 : 0;
  }
  return {std::move(result)};
}

/// Puts the inputs' columns side by side. Each is cut, or filled with zeros, to the stated number of columns.
std::vector<Tensor> feature_vectorizer(const Call& call) {
  constexpr std::int64_t kMostColumns = std::int64_t{1} << 28;
  Shape shape{0, 0};
  std::vector<std::int64_t> given;
  for (std::size_t i = 0; i < call.inputs.size(); ++i) {
    const Shape& part = call.input(i).shape;
    if (part.empty() || part.size() > 2)
      call.refuse(fmt::format("its input {} must be [batch, features], not {}", i, to_text(part)));
    const std::int64_t batch = part.size() == 1 ? 1 : part[0];
    if (i > 0 && batch != shape[0])
      call.refuse(fmt::format("its input {} has {} rows where the first has {}", i, batch, shape[0]));
    shape[0] = batch;
    given.push_back(part.back());
  }
  const std::vector<std::int64_t> wanted = integers_attribute(call.node, "inputdimensions", given);
  if (wanted.size() != given.size())
    call.refuse(fmt::format("inputdimensions holds {} values for {} inputs", wanted.size(), given.size()));
  for (const std::int64_t columns : wanted) {
    if (columns < 0 || columns > kMostColumns - shape[1])
      call.refuse(fmt::format("inputdimensions {} do not add up to [0, 2^28] columns", to_text(wanted)));
    shape[1] += columns;
  }
  Tensor result = call.zeros(shape);
  std::int64_t offset = 0;
  for (std::size_t i = 0; i < given.size(); ++i) {
    for (std::int64_t row = 0; row < shape[0]; ++row)
      std::copy_n(call.input(i).data.data() + row * given[i], std::min(given[i], wanted[i]),
                  result.data.data() + row * shape[1] + offset);
    offset += wanted[i];
  }
  return {std::move(result)};
}

/// Pairs scores with their labels; the scores are the result.
std::vector<Tensor> zip_map(const Call& call) { return {call.input(0)}; }

constexpr AttributeDeclaration kScaler[] = {reals("offset"), reals("scale")};
constexpr AttributeDeclaration kNormalizer[] = {text("norm", "MAX", "MAX, L1, L2")};
constexpr AttributeDeclaration kImputer[] = {reals("imputed_value_floats"), integers("imputed_value_int64s"),
                                             real("replaced_value_float", 0), integer("replaced_value_int64", 0)};
constexpr AttributeDeclaration kBinarizer[] = {real("threshold", 0)};
constexpr AttributeDeclaration kZipMap[] = {integers("classlabels_int64s"), texts("classlabels_strings")};
constexpr AttributeDeclaration kFeatureVectorizer[] = {integers("inputdimensions")};

constexpr Declaration kFeaturesOperators[] = {
    {"ai.onnx.ml.Scaler", scaler, 1, "x", Class::arithmetic, kScaler, kByChannel},
    {"ai.onnx.ml.Normalizer", normalizer, 1, "x", Class::client, kNormalizer, kRowWise},
    {"ai.onnx.ml.Imputer", imputer, 1, "x", Class::client, kImputer, kRowWise},
    {"ai.onnx.ml.Binarizer", binarizer, 1, "x", Class::client, kBinarizer, kRowWise},
    {"ai.onnx.ml.ZipMap", zip_map, 1, "x", Class::client, kZipMap, kRowWise, "names the columns of the results"},
    {"ai.onnx.ml.FeatureVectorizer", feature_vectorizer, 1, "x*", Class::movement, kFeatureVectorizer, kRowWise},
};

}  // namespace

std::span<const Declaration> feature_operators() { return kFeaturesOperators; }

}  // namespace tacit::graph::reference
