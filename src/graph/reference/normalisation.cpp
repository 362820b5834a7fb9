#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "graph/reference/broadcast.h"
#include "graph/reference/operator_call.h"

namespace tacit::graph::reference {
namespace {

std::vector<Tensor> batch_normalisation(const Call& call) {
  if (flag_attribute(call.node, "training_mode"))
    call.refuse("training mode is not supported; export the model in evaluation mode");
  Tensor result = call.input(0);
  if (result.shape.size() < 2) call.refuse(fmt::format("an input of shape {} has no channels", to_text(result.shape)));
  const AxisView view = axis_view(result.shape, 1);
  for (std::size_t i = 1; i < 5; ++i) {
    if (call.input(i).size() != view.extent)
      call.refuse(
          fmt::format("input {} of shape {} does not fit {} channels", i, to_text(call.input(i).shape), view.extent));
  }
  const Tensor &scale = call.input(1), &bias = call.input(2), &mean = call.input(3), &variance = call.input(4);
  const double epsilon = real_attribute(call.node, "epsilon");
  double* at = result.data.data();
  for (std::int64_t outer = 0; outer < view.outer; ++outer) {
    for (std::size_t channel = 0; channel < static_cast<std::size_t>(view.extent); ++channel) {
      const double factor = scale.data[channel] / std::sqrt(variance.data[channel] + epsilon);
      const double shift = bias.data[channel] - mean.data[channel] * factor;
      for (std::int64_t i = 0; i < view.inner; ++i, ++at) *at = *at * factor + shift;
    }
  }
  return {std::move(result)};
}

struct Moments {
  double mean, inverse_deviation;
};

Moments moments(const double* first, std::int64_t count, double epsilon) {
  const double mean = std::accumulate(first, first + count, 0.0) / static_cast<double>(count);
  double squares = 0;
  for (std::int64_t i = 0; i < count; ++i) squares += (first[i] - mean) * (first[i] - mean);
  return {mean, 1 / std::sqrt(squares / static_cast<double>(count) + epsilon)};
}

std::vector<Tensor> layer_normalisation(const Call& call) {
  Tensor result = call.input(0);
  const std::size_t axis = normal_axis(call.node, integer_attribute(call.node, "axis"), result.shape.size());
  const double epsilon = real_attribute(call.node, "epsilon");
  const auto split = result.shape.begin() + static_cast<std::ptrdiff_t>(axis);
  const Shape tail(split, result.shape.end());
  Shape kept = result.shape;
  for (std::size_t i = axis; i < kept.size(); ++i) kept[i] = 1;
  const std::int64_t count = element_count(tail);
  if (count == 0) call.refuse("an axis without elements cannot be normalised");
  for (std::size_t i = 1; i < 3; ++i) {
    if (call.has(i)) broadcast_to(call, fmt::format("input {}", i), call.input(i), tail);
  }
  Tensor mean = call.zeros(kept), inverse = call.zeros(kept);
  const Tensor& scale = call.input(1);
  for (std::size_t line = 0; line < mean.data.size(); ++line) {
    double* first = result.data.data() + static_cast<std::int64_t>(line) * count;
    const Moments found = moments(first, count, epsilon);
    mean.data[line] = found.mean;
    inverse.data[line] = found.inverse_deviation;
    BroadcastIndex scale_at(scale.shape, tail), bias_at(call.has(2) ? call.input(2).shape : Shape{}, tail);
    for (std::int64_t i = 0; i < count; ++i) {
      first[i] = (first[i] - found.mean) * found.inverse_deviation * scale.data[scale_at.next()];
      if (call.has(2)) first[i] += call.input(2).data[bias_at.next()];
    }
  }
  return {std::move(result), std::move(mean), std::move(inverse)};
}

/// Mean and variance are those of a group's channels and all their positions.
std::vector<Tensor> by_groups(const Call& call, std::int64_t groups) {
  Tensor result = call.input(0);
  const AxisView view = axis_view(result.shape, 1);
  const Tensor &scale = call.input(1), &bias = call.input(2);
  if (scale.size() != view.extent || bias.size() != view.extent || view.inner == 0)
    call.refuse(fmt::format("scale {} and bias {} do not fit an input of shape {}", to_text(scale.shape),
                            to_text(bias.shape), to_text(result.shape)));
  if (result.data.empty()) return {std::move(result)};
  const double epsilon = real_attribute(call.node, "epsilon");
  const std::int64_t per_group = view.extent / groups;
  double* at = result.data.data();
  for (std::int64_t group = 0; group < view.outer * groups; ++group) {
    const Moments found = moments(at, per_group * view.inner, epsilon);
    for (std::int64_t i = 0; i < per_group; ++i, at += view.inner) {
      const auto channel = static_cast<std::size_t>(group % groups * per_group + i);
      for (std::int64_t k = 0; k < view.inner; ++k)
        at[k] = (at[k] - found.mean) * found.inverse_deviation * scale.data[channel] + bias.data[channel];
    }
  }
  return {std::move(result)};
}

std::vector<Tensor> instance_normalisation(const Call& call) {
  const Shape& shape = call.input(0).shape;
  if (shape.size() < 3) call.refuse(fmt::format("an input of shape {} has no map", to_text(shape)));
  return by_groups(call, shape[1]);
}

std::vector<Tensor> group_normalisation(const Call& call) {
  const Shape& shape = call.input(0).shape;
  const std::int64_t groups = integer_attribute(call.node, "num_groups");
  const std::int64_t channels = shape.size() < 2 ? 0 : shape[1];
  if (groups < 1 || channels < 1 || channels % groups != 0)
    call.refuse(
        fmt::format("the channels of an input of shape {} do not split into {} groups", to_text(shape), groups));
  return by_groups(call, groups);
}

/// Divides by the root of the mean square over the last axes, from `axis` on.
std::vector<Tensor> root_mean_square_normalisation(const Call& call) {
  Tensor result = call.input(0);
  const Tensor& scale = call.input(1);
  const std::size_t axis = normal_axis(call.node, integer_attribute(call.node, "axis"), result.shape.size());
  const double epsilon = real_attribute(call.node, "epsilon");
  const std::int64_t count =
      element_count(Shape(result.shape.begin() + static_cast<std::ptrdiff_t>(axis), result.shape.end()));
  if (count == 0) call.refuse("an axis without elements cannot be normalised");
  BroadcastIndex scale_at = broadcast_to(call, "a scale", scale, result.shape);
  for (double* first = result.data.data(); first != result.data.data() + result.size(); first += count) {
    const double squares = std::inner_product(first, first + count, first, 0.0);
    const double inverse = 1 / std::sqrt(squares / static_cast<double>(count) + epsilon);
    for (std::int64_t i = 0; i < count; ++i) first[i] *= inverse * scale.data[scale_at.next()];
  }
  return {std::move(result)};
}

/// (x - mean) / (deviation + 1e-9), over the stated axes together.
std::vector<Tensor> mean_variance_normalisation(const Call& call) {
  constexpr double kEpsilon = 1e-9;
  Tensor result = call.input(0);
  const std::size_t rank = result.shape.size();
  Shape kept = result.shape;
  std::int64_t count = 1;
  for (const std::int64_t axis : integers_attribute(call.node, "axes", {0, 2, 3})) {
    std::int64_t& extent = kept[normal_axis(call.node, axis, rank)];
    count *= extent;
    extent = 1;  // an axis that is stated twice counts once
  }
  Tensor mean = call.zeros(kept), deviation = call.zeros(kept);
  const auto for_each = [&](auto visit) {
    BroadcastIndex at(kept, result.shape);
    for (double& value : result.data) visit(value, at.next());
  };
  const auto elements = static_cast<double>(count);
  for_each([&](double& value, std::size_t at) { mean.data[at] += value / elements; });
  for_each([&](double& value, std::size_t at) { value -= mean.data[at]; });
  for_each([&](double& value, std::size_t at) { deviation.data[at] += value * value / elements; });
  for_each([&](double& value, std::size_t at) { value /= std::sqrt(deviation.data[at]) + kEpsilon; });
  return {std::move(result)};
}

/// Calls function(first element, stride, count) for every line along the operator's axis.
template <typename Function>
std::vector<Tensor> along_axis(const Call& call, Function function) {
  Tensor result = call.input(0);
  const std::size_t axis = normal_axis(call.node, integer_attribute(call.node, "axis"), result.shape.size());
  const AxisView view = axis_view(result.shape, axis);
  if (view.extent == 0) return {std::move(result)};
  for (std::int64_t outer = 0; outer < view.outer; ++outer) {
    for (std::int64_t inner = 0; inner < view.inner; ++inner)
      function(result.data.data() + outer * view.extent * view.inner + inner, view.inner, view.extent);
  }
  return {std::move(result)};
}

/// A line of zeros stays as it is.
std::vector<Tensor> norm_normalisation(const Call& call) {
  const std::int64_t exponent = integer_attribute(call.node, "p");
  return along_axis(call, [=](double* line, std::int64_t stride, std::int64_t count) {
    double size = 0;
    for (std::int64_t i = 0; i < count; ++i) {
      const double value = line[i * stride];
      size += exponent == 1 ? std::abs(value) : value * value;
    }
    if (exponent == 2) size = std::sqrt(size);
    for (std::int64_t i = 0; i < count && size != 0; ++i) line[i * stride] /= size;
  });
}

double largest(const double* line, std::int64_t stride, std::int64_t count) {
  double most = line[0];
  for (std::int64_t i = 1; i < count; ++i) most = std::max(most, line[i * stride]);
  return most;
}

std::vector<Tensor> softmax(const Call& call) {
  return along_axis(call, [](double* line, std::int64_t stride, std::int64_t count) {
    const double most = largest(line, stride, count);
    double sum = 0;
    for (std::int64_t i = 0; i < count; ++i) sum += line[i * stride] = std::exp(line[i * stride] - most);
    for (std::int64_t i = 0; i < count; ++i) line[i * stride] /= sum;
  });
}

std::vector<Tensor> log_softmax(const Call& call) {
  return along_axis(call, [](double* line, std::int64_t stride, std::int64_t count) {
    const double most = largest(line, stride, count);
    double sum = 0;
    for (std::int64_t i = 0; i < count; ++i) sum += std::exp(line[i * stride] - most);
    const double shift = most + std::log(sum);
    for (std::int64_t i = 0; i < count; ++i) line[i * stride] -= shift;
  });
}

std::vector<Tensor> hardmax(const Call& call) {
  return along_axis(call, [](double* line, std::int64_t stride, std::int64_t count) {
    std::int64_t best = 0;
    for (std::int64_t i = 1; i < count; ++i) {
      if (line[i * stride] > line[best * stride]) best = i;
    }
    for (std::int64_t i = 0; i < count; ++i) line[i * stride] = i == best ? 1 : 0;
  });
}

constexpr AttributeDeclaration kEpsilon[] = {real("epsilon", 1e-5)};
constexpr AttributeDeclaration kBatch[] = {kEpsilon[0], real("momentum", 0.9), flag("training_mode")};
constexpr AttributeDeclaration kLastAxes[] = {integer("axis", -1), kEpsilon[0], integer("stash_type", 1)};
constexpr AttributeDeclaration kGroups[] = {kEpsilon[0], required_integer("num_groups", 1, kLargestExtent)};
constexpr AttributeDeclaration kLastAxis[] = {integer("axis", -1)};
constexpr AttributeDeclaration kNorm[] = {kLastAxis[0], integer("p", 2, 1, 2)};
constexpr std::int64_t kPositions[] = {0, 2, 3};
constexpr AttributeDeclaration kMeanVariance[] = {{"axes", AttributeType::integers, std::span(kPositions)}};
constexpr std::string_view kByRoots = "squares, a root and a product; scale and bias are constants";
constexpr std::string_view kByReciprocal = "magnitudes or squares, a reciprocal or a root, and a product";
constexpr std::string_view kByExponentials = "exponentials and a reciprocal; of at most 16 elements by pairs";
constexpr std::string_view kByPairs = "pair by pair, of at most 16 elements";

constexpr Declaration kNormalisationOperators[] = {
    {"BatchNormalization", batch_normalisation, 1, "x scale bias mean variance -> y mean? variance?", Class::arithmetic,
     kBatch, kByChannel, "inference; joins its neighbours"},
    {"LayerNormalization", layer_normalisation, 17, "x scale bias? -> y mean? deviation?", Class::client, kLastAxes,
     kFromAxis, kByRoots},
    {"InstanceNormalization", instance_normalisation, 1, "x scale bias", Class::client, kEpsilon, kRowWise, kByRoots},
    {"GroupNormalization", group_normalisation, 18, "x scale bias", Class::client, kGroups, kRowWise, kByRoots},
    {"RMSNormalization", root_mean_square_normalisation, 23, "x scale", Class::client, kLastAxes, kFromAxis, kByRoots},
    {"LpNormalization", norm_normalisation, 1, "x", Class::client, kNorm, kAlongAxis, kByReciprocal},
    {"MeanVarianceNormalization", mean_variance_normalisation, 9, "x", Class::client, kMeanVariance, kByRunning,
     kByRoots},
    {"Softmax", softmax, 1, "x", Class::client, kLastAxis, kAlongAxis, kByExponentials},
    {"LogSoftmax", log_softmax, 1, "x", Class::client, kLastAxis, kAlongAxis, kByPairs},
    {"Hardmax", hardmax, 1, "x", Class::client, kLastAxis, kAlongAxis},
};

}  // namespace

std::span<const Declaration> normalisation_operators() { return kNormalisationOperators; }

}  // namespace tacit::graph::reference
