#include "program/client_interface.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"

namespace tacit::program {
namespace {

/// The slices of a row-major tensor along one axis: element k of slice (o, i) sits at (o * extent + k) * inner + i.
struct Axis {
  std::size_t outer = 1, extent = 1, inner = 1;
};

Axis axis_of(const layout::Shape& shape, std::size_t at) {
  Axis result;
  for (std::size_t d = 0; d < shape.size(); ++d)
    (d < at ? result.outer : d == at ? result.extent : result.inner) *= static_cast<std::size_t>(shape[d]);
  return result;
}

[[noreturn]] void refuse(const ClientOutput& output, const std::string& why) {
  throw base::InputError(fmt::format("output '{}': {}", output.name, why));
}

std::size_t normal_axis(const ClientOutput& output, const PostStep& step, const layout::Shape& shape) {
  const int rank = static_cast<int>(shape.size());
  const int at = step.axis < 0 ? step.axis + rank : step.axis;
  if (at < 0 || at >= rank)
    refuse(output, fmt::format("the step '{}' names axis {} of a tensor with {} dimensions", step.op, step.axis, rank));
  return static_cast<std::size_t>(at);
}

/// Checks one step and applies it to the shape.
void advance(const ClientOutput& output, const PostStep& step, layout::Shape& shape) {
  if (step.op == "scale") {
    if (step.values.size() != 1) refuse(output, fmt::format("a 'scale' step has {} factors", step.values.size()));
  } else if (step.op == "softmax" || step.op == "log_softmax") {
    normal_axis(output, step, shape);
  } else if (step.op == "argmax") {
    shape[normal_axis(output, step, shape)] = 1;
  } else if (step.op == "labels") {
    if (step.values.empty()) refuse(output, "a 'labels' step has no labels");
  } else if (step.op != "sigmoid") {
    refuse(output, fmt::format("the step '{}' is unknown", step.op));
  }
}

template <class F>
void for_each_slice(const Axis& axis, std::vector<double>& values, const F& body) {
  std::vector<double> slice(axis.extent);
  for (std::size_t o = 0; o < axis.outer; ++o)
    for (std::size_t i = 0; i < axis.inner; ++i) {
      for (std::size_t k = 0; k < axis.extent; ++k) slice[k] = values[(o * axis.extent + k) * axis.inner + i];
      body(o * axis.inner + i, slice);
      for (std::size_t k = 0; k < axis.extent; ++k) values[(o * axis.extent + k) * axis.inner + i] = slice[k];
    }
}

void log_softmax(std::vector<double>& slice) {
  const double top = *std::max_element(slice.begin(), slice.end());
  double sum = 0;
  for (const double x : slice) sum += std::exp(x - top);
  for (double& x : slice) x -= top + std::log(sum);
}

}  // namespace

std::vector<double> in_units(std::span<const double> units, std::vector<double> tensor) {
  if (!units.empty() && units.size() != tensor.size())
    throw base::InternalError("an input has another number of units than elements");
  for (std::size_t i = 0; i < units.size(); ++i) tensor[i] *= units[i];
  return tensor;
}

layout::Shape shape_after_steps(const ClientOutput& output) {
  layout::Shape shape = output.layout.shape();
  for (const PostStep& step : output.steps) advance(output, step, shape);
  return shape;
}

std::vector<double> post_process(const ClientOutput& output, std::vector<double> values) {
  layout::Shape shape = output.layout.shape();
  if (values.size() != static_cast<std::size_t>(layout::element_count(shape)))
    refuse(output,
           fmt::format("{} numbers were given for a tensor of {}", values.size(), layout::element_count(shape)));
  for (const PostStep& step : output.steps) {
    const layout::Shape before = shape;
    advance(output, step, shape);
    if (step.op == "scale") {
      for (double& x : values) x *= step.values[0];
    } else if (step.op == "sigmoid") {
      for (double& x : values) x = 1 / (1 + std::exp(-x));
    } else if (step.op == "softmax" || step.op == "log_softmax") {
      for_each_slice(axis_of(before, normal_axis(output, step, before)), values,
                     [](std::size_t, std::vector<double>& slice) { log_softmax(slice); });
      if (step.op == "softmax")
        for (double& x : values) x = std::exp(x);
    } else if (step.op == "argmax") {
      const Axis axis = axis_of(before, normal_axis(output, step, before));
      std::vector<double> best(axis.outer * axis.inner);
      for_each_slice(axis, values, [&](std::size_t at, std::vector<double>& slice) {
        best[at] = static_cast<double>(std::max_element(slice.begin(), slice.end()) - slice.begin());
      });
      values = std::move(best);
    } else {
      for (double& x : values) {
        if (!(x >= 0) || x >= static_cast<double>(step.values.size()))
          refuse(output, fmt::format("class {} has no label; there are {}", x, step.values.size()));
        x = step.values[static_cast<std::size_t>(x)];
      }
    }
  }
  return values;
}

}  // namespace tacit::program
