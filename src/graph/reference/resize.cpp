#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "graph/reference/operator_call.h"

namespace tacit::graph::reference {
namespace {

/// In the order of the texts that their declarations list, as all below.
enum class Mode : std::uint8_t { nearest, linear, cubic };
enum class Coordinates : std::uint8_t {
  half_pixel,
  half_pixel_symmetric,
  pytorch_half_pixel,
  align_corners,
  asymmetric,
  crop_and_resize
};
enum class Rounded : std::uint8_t { prefer_floor, prefer_ceil, floor, ceil };

/// The attributes of a node.
struct Settings {
  const Node& node;
  Mode mode = choice_attribute<Mode>(node, "mode");
  Coordinates coordinates = choice_attribute<Coordinates>(node, "coordinate_transformation_mode");
  Rounded rounded = choice_attribute<Rounded>(node, "nearest_mode");
  double cubic_coefficient = real_attribute(node, "cubic_coeff_a");
  double extrapolation = real_attribute(node, "extrapolation_value");
  bool exclude_outside = flag_attribute(node, "exclude_outside");
  bool antialias = flag_attribute(node, "antialias");
};

/// One axis: extents, output over input, and the part of the input that crop_and_resize takes. The length of the output
/// before it is cut to an extent is what the corners are aligned by.
struct ResizedAxis {
  std::int64_t input = 1, output = 1;
  double scale = 1, length = 1, roi_start = 0, roi_end = 1;
  bool stated = false;
};

bool filled(const Call& call, std::size_t index) { return call.has(index) && !call.input(index).data.empty(); }

void read_scales(const Call& call, const std::vector<std::size_t>& axes, std::vector<ResizedAxis>& resized) {
  constexpr double kMostExtent = 0x1p31;
  const std::vector<double>& scales = call.input(2).data;
  if (scales.size() != axes.size())
    call.refuse(fmt::format("scales holds {} values for {} axes", scales.size(), axes.size()));
  for (std::size_t i = 0; i < axes.size(); ++i) {
    ResizedAxis& axis = resized[axes[i]];
    axis.scale = scales[i];
    if (!(axis.scale > 0 && axis.scale <= kMostExtent))
      call.refuse(fmt::format("a scale of {} is outside (0, 2^31]", axis.scale));
    // In float32, for that is what the shape is worked out in everywhere: 10 * 0.7 is 7 there, and below 7 in double.
    const double extent = std::floor(static_cast<float>(axis.input) * static_cast<float>(axis.scale));
    if (extent > kMostExtent)
      call.refuse(fmt::format("a scale of {} makes an extent of {} larger than 2^31", axis.scale, axis.input));
    axis.output = static_cast<std::int64_t>(extent);
    axis.length = axis.scale * static_cast<double>(axis.input);
  }
}

void read_sizes(const Call& call, const std::vector<std::size_t>& axes, std::vector<ResizedAxis>& resized) {
  constexpr std::int64_t kMostExtent = std::int64_t{1} << 31;
  const std::vector<std::int64_t> sizes = call.integers(3);
  if (sizes.size() != axes.size())
    call.refuse(fmt::format("sizes holds {} values for {} axes", sizes.size(), axes.size()));
  enum class Policy : std::uint8_t { stretch, not_larger, not_smaller };
  const auto policy = choice_attribute<Policy>(call.node, "keep_aspect_ratio_policy");
  std::vector<double> scales;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    ResizedAxis& axis = resized[axes[i]];
    if (sizes[i] < 0 || sizes[i] > kMostExtent || axis.input == 0)
      call.refuse(fmt::format("a size of {} for an axis of extent {} is outside [0, 2^31]", sizes[i], axis.input));
    scales.push_back(static_cast<double>(sizes[i]) / static_cast<double>(axis.input));
  }
  if (scales.empty()) return;
  const double common = policy == Policy::not_larger ? *std::min_element(scales.begin(), scales.end())
                                                     : *std::max_element(scales.begin(), scales.end());
  for (std::size_t i = 0; i < axes.size(); ++i) {
    ResizedAxis& axis = resized[axes[i]];
    axis.scale = policy == Policy::stretch ? scales[i] : common;
    const double extent = std::floor(common * static_cast<double>(axis.input) + 0.5);
    if (policy != Policy::stretch && !(extent <= static_cast<double>(kMostExtent)))
      call.refuse(fmt::format("keeping the aspect ratio gives an axis an extent of {}, above 2^31", extent));
    axis.output = policy == Policy::stretch ? sizes[i] : static_cast<std::int64_t>(extent);
    axis.length = policy == Policy::stretch ? static_cast<double>(sizes[i]) : common * static_cast<double>(axis.input);
  }
}

std::vector<ResizedAxis> axes_of(const Call& call, const Settings& settings) {
  const Shape& shape = call.input(0).shape;
  std::vector<ResizedAxis> resized(shape.size());
  for (std::size_t i = 0; i < shape.size(); ++i) resized[i].input = resized[i].output = shape[i];
  std::vector<std::int64_t> stated(shape.size());
  std::iota(stated.begin(), stated.end(), 0);
  stated = integers_attribute(call.node, "axes", stated);
  std::vector<std::size_t> axes;
  for (const std::int64_t axis : stated) {
    axes.push_back(normal_axis(call.node, axis, shape.size()));
    if (resized[axes.back()].stated) call.refuse(fmt::format("axis {} is resized twice", axis));
    resized[axes.back()].stated = true;
  }
  if (filled(call, 2) == filled(call, 3)) call.refuse("it needs either scales or sizes");
  (filled(call, 2) ? read_scales : read_sizes)(call, axes, resized);
  if (settings.coordinates == Coordinates::crop_and_resize) {
    const std::vector<double>& roi = call.input(1).data;
    if (roi.size() != 2 * axes.size())
      call.refuse(fmt::format("roi holds {} values; {} are needed, starts and then ends", roi.size(), 2 * axes.size()));
    for (std::size_t i = 0; i < axes.size(); ++i) {
      resized[axes[i]].roi_start = roi[i];
      resized[axes[i]].roi_end = roi[i + axes.size()];
    }
  }
  return resized;
}

/// Where an output position lies on the input axis.
template <typename Real>
Real coordinate(Coordinates kind, const ResizedAxis& axis, std::int64_t position) {
  const Real x = static_cast<Real>(position), scale = static_cast<Real>(axis.scale);
  const Real last = static_cast<Real>(axis.input - 1), half = Real{0.5};
  const Real end = static_cast<Real>(axis.length - 1);
  switch (kind) {
    case Coordinates::half_pixel: return (x + half) / scale - half;
    case Coordinates::half_pixel_symmetric: {
      const Real input = static_cast<Real>(axis.input);
      const Real adjusted = static_cast<Real>(axis.output) / static_cast<Real>(axis.length);
      return input / 2 * (1 - adjusted) + (x + half) / scale - half;
    }
    case Coordinates::pytorch_half_pixel: return axis.output > 1 ? (x + half) / scale - half : 0;
    case Coordinates::align_corners: return axis.length > 1 ? x * last / end : 0;
    case Coordinates::asymmetric: return x / scale;
    case Coordinates::crop_and_resize: {
      const Real start = static_cast<Real>(axis.roi_start), stop = static_cast<Real>(axis.roi_end);
      return axis.length > 1 ? start * last + x * (stop - start) * last / end : half * (start + stop) * last;
    }
  }
  return 0;
}

/// The input positions that an output position is made of: weights[i] belongs to position first + i.
struct Footprint {
  std::int64_t first = 0;
  std::vector<double> weights;
};

/// In float32, as in other runs of the model: a coordinate that falls between two positions must fall the same way.
Footprint nearest_footprint(const Settings& settings, const ResizedAxis& axis, std::int64_t position) {
  const float x = coordinate<float>(settings.coordinates, axis, position);
  const float nearest = settings.rounded == Rounded::floor          ? std::floor(x)
                        : settings.rounded == Rounded::ceil         ? std::ceil(x)
                        : settings.rounded == Rounded::prefer_floor ? std::ceil(x - 0.5F)
                                                                    : std::floor(x + 0.5F);
  const double last = static_cast<double>(axis.input - 1);
  const double inside = std::isnan(nearest) ? 0 : std::clamp(static_cast<double>(nearest), 0.0, last);
  return {static_cast<std::int64_t>(inside), {1.0}};
}

double kernel(const Settings& settings, double distance) {
  const double d = std::abs(distance), a = settings.cubic_coefficient;
  if (settings.mode == Mode::linear) return std::max(1 - d, 0.0);
  if (d <= 1) return ((a + 2) * d - (a + 3)) * d * d + 1;
  return d < 2 ? ((a * d - 5 * a) * d + 8 * a) * d - 4 * a : 0;
}

/// With antialiasing the kernel is as many times wider as the axis shrinks. What lies outside counts for the element at
/// the border, or not at all.
Footprint smooth_footprint(const Settings& settings, const ResizedAxis& axis, std::int64_t position) {
  const double last = static_cast<double>(axis.input - 1);
  const double reach = settings.mode == Mode::linear ? 1 : 2;
  const double narrow = settings.antialias ? std::min(axis.scale, 1.0) : 1.0;
  double x = coordinate<double>(settings.coordinates, axis, position);
  x = std::clamp(std::isnan(x) ? 0.0 : x, -reach / narrow - 1, last + reach / narrow + 1);  // all border beyond
  const double base = std::ceil(x) - 1, ratio = x - base;
  const auto low = static_cast<std::int64_t>(std::floor(-reach / narrow)) + 1, high = 1 - low;
  const auto start = static_cast<std::int64_t>(base);
  const auto border = [&](std::int64_t at) { return std::clamp<std::int64_t>(at, 0, axis.input - 1); };
  Footprint footprint;
  footprint.first = border(start + low);
  footprint.weights.assign(static_cast<std::size_t>(border(start + high) - footprint.first + 1), 0.0);
  double sum = 0;
  for (std::int64_t i = low; i <= high; ++i) {
    const bool outside = border(start + i) != start + i;
    if (outside && settings.exclude_outside) continue;
    const double weight = kernel(settings, (static_cast<double>(i) - ratio) * narrow);
    footprint.weights[static_cast<std::size_t>(border(start + i) - footprint.first)] += weight;
    sum += weight;
  }
  for (double& weight : footprint.weights) weight /= sum == 0 ? 1 : sum;
  return footprint;
}

/// Resizes one axis; the others stay as they are.
Tensor along_axis(const Call& call, const Tensor& input, std::size_t at, const Settings& settings,
                  const ResizedAxis& axis) {
  Shape shape = input.shape;
  shape[at] = axis.output;
  Tensor result = call.zeros(std::move(shape), input.integral);
  if (result.data.empty()) return result;
  const AxisView view = axis_view(input.shape, at);
  for (std::int64_t position = 0; position < axis.output; ++position) {
    const Footprint footprint = settings.mode == Mode::nearest ? nearest_footprint(settings, axis, position)
                                                               : smooth_footprint(settings, axis, position);
    for (std::int64_t outer = 0; outer < view.outer; ++outer) {
      const double* in = input.data.data() + (outer * view.extent + footprint.first) * view.inner;
      double* out = result.data.data() + (outer * axis.output + position) * view.inner;
      for (const double weight : footprint.weights) {
        if (weight != 0) {
          for (std::int64_t i = 0; i < view.inner; ++i) out[i] += weight * in[i];
        }
        in += view.inner;
      }
    }
  }
  return result;
}

/// Elements whose place on this axis lies outside the input get the extrapolation value.
void extrapolate(Tensor& result, std::size_t at, const Settings& settings, const ResizedAxis& axis) {
  const AxisView view = axis_view(result.shape, at);
  for (std::int64_t position = 0; position < axis.output; ++position) {
    const double x = coordinate<double>(settings.coordinates, axis, position);
    if (x >= 0 && x <= static_cast<double>(axis.input - 1)) continue;
    for (std::int64_t outer = 0; outer < view.outer; ++outer)
      std::fill_n(result.data.data() + (outer * view.extent + position) * view.inner, view.inner,
                  settings.extrapolation);
  }
}

/// Interpolation in several axes is one axis after the other. Integers are cut after the last one.
std::vector<Tensor> resize(const Call& call) {
  const Settings settings{call.node};
  const std::vector<ResizedAxis> axes = axes_of(call, settings);
  Tensor result = call.input(0);
  Shape shape;
  for (const ResizedAxis& axis : axes) shape.push_back(axis.output);
  element_count(shape);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const bool cropped = settings.coordinates == Coordinates::crop_and_resize && axes[i].stated;
    if (axes[i].input == 0 && axes[i].output > 0) call.refuse(fmt::format("axis {} has no element to resize", i));
    if (cropped || axes[i].scale != 1 || axes[i].output != axes[i].input)
      result = along_axis(call, result, i, settings, axes[i]);
  }
  for (std::size_t i = 0; i < axes.size() && settings.coordinates == Coordinates::crop_and_resize; ++i) {
    if (axes[i].stated) extrapolate(result, i, settings, axes[i]);
  }
  if (result.integral) {
    for (double& value : result.data) value = std::trunc(value);
  }
  return {std::move(result)};
}

constexpr AttributeDeclaration kResize[] = {
    flag("antialias"),
    integers("axes"),
    text("coordinate_transformation_mode", "half_pixel",
         "half_pixel, half_pixel_symmetric, pytorch_half_pixel, align_corners, asymmetric, tf_crop_and_resize"),
    real("cubic_coeff_a", -0.75),
    flag("exclude_outside"),
    real("extrapolation_value", 0),
    text("keep_aspect_ratio_policy", "stretch", "stretch, not_larger, not_smaller"),
    text("mode", "nearest", "nearest, linear, cubic"),
    text("nearest_mode", "round_prefer_floor", "round_prefer_floor, round_prefer_ceil, floor, ceil"),
};

constexpr Declaration kResizeOperators[] = {
    {"Resize", resize, 10, "x roi? scales? sizes?", Class::linear, kResize, 0,
     "constant scales or sizes; a matrix an axis"},
};

}  // namespace

std::span<const Declaration> resize_operators() { return kResizeOperators; }

}  // namespace tacit::graph::reference
