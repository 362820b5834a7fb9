#pragma once

#include "layout/operators/window.h"

namespace tacit::layout {

template <class Visit>
void Window::for_each_tapped_row(const Place& place, const Visit& visit) const {
  // Missing leading axes count as one tap on an input of extent 1.
  const std::size_t leading = axes_.size() - 1, missing = kMaxAxes - 1 - leading;
  const auto axis = [&](std::size_t d) { return d < missing ? WindowAxis{} : axes_[d - missing]; };
  const auto extent = [&](std::size_t d) { return d < missing ? Index{1} : in_[d - missing + 2]; };
  const auto start = [&](std::size_t d) { return d < missing ? Index{0} : place.start[d - missing]; };
  const WindowAxis a = axis(0), b = axis(1);
  for (Index i = 0; i < a.kernel; ++i) {
    const Index z = start(0) + i * a.dilation;
    if (z < 0 || z >= extent(0)) continue;
    for (Index j = 0; j < b.kernel; ++j) {
      const Index y = start(1) + j * b.dilation;
      if (y >= 0 && y < extent(1)) visit(z * extent(1) + y, (i * b.kernel + j) * axes_.back().kernel);
    }
  }
}

template <class Visit>
void Window::for_each_tap(const Place& place, const Visit& visit) const {
  const WindowAxis last = axes_.back();
  const Index extent = in_.back(), start = place.start[axes_.size() - 1];
  for_each_tapped_row(place, [&](Index row, Index tap) {
    for (Index k = 0; k < last.kernel; ++k) {
      const Index x = start + k * last.dilation;
      if (x >= 0 && x < extent) visit(row * extent + x, tap + k);
    }
  });
}

}  // namespace tacit::layout
