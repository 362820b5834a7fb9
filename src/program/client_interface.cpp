#include "program/client_interface.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/error.h"

namespace tacit::program {
namespace {

/// The slices of a row-major tensor along one axis: element k of slice (o, i) sits at (o * extent + k) * inner + i.
struct Axis {
  std::size_t outer = 1, extent = 1, inner = 1;
};

Axis axis_of(const layout::Shape& shape, int axis) {
  const int rank = static_cast<int>(shape.size());
  const int at = axis < 0 ? axis + rank : axis;
  if (at < 0 || at >= rank) throw base::InputError("a client step names an axis that its tensor does not have");
  Axis result;
  for (int d = 0; d < rank; ++d) {
    const auto extent = static_cast<std::size_t>(shape[static_cast<std::size_t>(d)]);
    (d < at ? result.outer : d == at ? result.extent : result.inner) *= extent;
  }
  return result;
}

template <class F>
void for_each_slice(const Axis& axis, std::vector<double>& values, const F& body) {
  if (axis.outer * axis.extent * axis.inner != values.size())
    throw base::InputError("a client step does not fit the size of its tensor");
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

std::vector<double> post_process(const ClientOutput& output, std::vector<double> values) {
  layout::Shape shape = output.layout.shape();
  for (const PostStep& step : output.steps) {
    if (step.op == "scale") {
      if (step.values.size() != 1) throw base::InputError("a 'scale' step needs one factor");
      for (double& x : values) x *= step.values[0];
    } else if (step.op == "sigmoid") {
      for (double& x : values) x = 1 / (1 + std::exp(-x));
    } else if (step.op == "softmax" || step.op == "log_softmax") {
      for_each_slice(axis_of(shape, step.axis), values, [](std::size_t, std::vector<double>& slice) { log_softmax(slice); });
      if (step.op == "softmax")
        for (double& x : values) x = std::exp(x);
    } else if (step.op == "argmax") {
      const Axis axis = axis_of(shape, step.axis);
      std::vector<double> best(axis.outer * axis.inner);
      for_each_slice(axis, values, [&](std::size_t at, std::vector<double>& slice) {
        best[at] = static_cast<double>(std::max_element(slice.begin(), slice.end()) - slice.begin());
      });
      values = std::move(best);
      shape[static_cast<std::size_t>(step.axis < 0 ? step.axis + static_cast<int>(shape.size()) : step.axis)] = 1;
    } else if (step.op == "labels") {
      for (double& x : values) {
        if (!(x >= 0) || x >= static_cast<double>(step.values.size()))
          throw base::InputError("a 'labels' step has fewer labels than classes");
        x = step.values[static_cast<std::size_t>(x)];
      }
    } else {
      throw base::InputError("unknown client step '" + step.op + "'");
    }
  }
  return values;
}

}  // namespace tacit::program
