#pragma once

#include <random>
#include <vector>

#include "layout/operators/window.h"

namespace tacit::layout {

/// The shapes of a window over 1 to 3 spatial axes, in 1 or 2 groups and batches.
struct RandomWindow {
  Index groups = 1, taps = 1;
  Shape in, out;
  std::vector<WindowAxis> axes;

  /// Of a convolution.
  Index weights() const { return out[1] * in[1] / groups * taps; }
};

inline RandomWindow random_window(std::mt19937& random) {
  const auto up_to = [&](Index most) { return std::uniform_int_distribution<Index>(1, most)(random); };
  RandomWindow window;
  window.groups = up_to(2);
  const Index batch = up_to(2);
  window.in = {batch, window.groups * up_to(6)};
  window.out = {batch, window.groups * up_to(3)};
  for (Index d = up_to(3); d > 0; --d) {
    window.axes.push_back({up_to(3), up_to(3), up_to(2), up_to(4) - 1, up_to(2) - 1});
    window.in.push_back(up_to(6));
    window.out.push_back(up_to(5));
    window.taps *= window.axes.back().kernel;
  }
  return window;
}

}  // namespace tacit::layout
