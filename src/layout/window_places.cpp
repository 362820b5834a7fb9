#include "layout/window_places.h"

#include <algorithm>
#include <utility>

namespace tacit::layout {
namespace {

/// The positions of a layout's elements, taken apart by the axes of a shape that joins the layout's: by axis and index.
std::vector<std::vector<Position>> position_parts(const Layout& layout, const Shape& shape) {
  std::vector<std::vector<Position>> parts(shape.size());
  Index stride = 1;
  for (std::size_t d = shape.size(); d-- > 0; stride *= shape[d])
    for (Index i = 0; i < shape[d]; ++i) parts[d].push_back(layout.position_of(i * stride));
  return parts;
}

}  // namespace

bool joins_to(const Shape& fine, const Shape& coarse) {
  Index wanted = 1, made = 1;
  std::size_t f = fine.size();
  for (std::size_t c = coarse.size(); c-- > 0;) {
    wanted *= coarse[c];
    while (made < wanted && f > 0) made *= fine[--f];
    if (made != wanted) return false;
  }
  return std::all_of(fine.begin(), fine.begin() + static_cast<std::ptrdiff_t>(f), [](Index n) { return n == 1; });
}

WindowPlaces::WindowPlaces(const LinearMap& map, const DiagonalSet& set, const WindowPattern& pattern)
    : map_(map),
      set_(set),
      pattern_(pattern),
      in_(position_parts(map.in, pattern.window.in())),
      out_(position_parts(map.out, pattern.window.out())) {}

WindowPlaces::Steps WindowPlaces::copies() const {
  Distinct<DiagonalPlace> steps;
  for (const Index copy : map_.out.copies_in_period()) steps.add({0, 0, -copy & (set_.modulus - 1)});
  return steps.sorted();
}

WindowPlaces::Steps WindowPlaces::batches() const {
  Distinct<DiagonalPlace> steps;
  for (Index b = 0; b < pattern_.window.in()[0]; ++b) steps.add(place(0, b, b));
  return steps.sorted();
}

WindowPlaces::Steps WindowPlaces::along(std::size_t axis, Index tap_of_axis) const {
  const Window& window = pattern_.window;
  const WindowAxis& slid = window.axes()[axis];
  Distinct<DiagonalPlace> steps;
  for (Index o = 0; o < window.out()[axis + 2]; ++o) {
    const Index i = o * slid.stride - slid.pad_begin + tap_of_axis * slid.dilation;
    if (i >= 0 && i < window.in()[axis + 2]) steps.add(place(axis + 2, i, o));
  }
  return steps.sorted();
}

SeenDiagonals WindowPlaces::channels(Index tap) const {
  const Window& window = pattern_.window;
  const Index inputs = window.in()[1] / pattern_.groups, outputs = window.out()[1] / pattern_.groups;
  SeenDiagonals places(map_, set_);
  for (Index o = 0; o < window.out()[1]; ++o)
    for (Index c = 0; c < inputs; ++c)
      if (pattern_.has_entry(o, c, tap)) places.mark(place(1, o / outputs * inputs + c, o));
  return places;
}

void WindowPlaces::mark(SeenDiagonals& seen) const {
  const std::vector<WindowAxis>& axes = pattern_.window.axes();
  const Steps of_copies = copies(), of_batches = batches();
  for (Index tap = 0; tap < pattern_.window.taps(); ++tap) {
    SeenDiagonals places = channels(tap);
    const auto move = [&](const Steps& steps) {
      if (steps == Steps{{}}) return;
      SeenDiagonals moved(map_, set_);
      moved.merge_moved(places, steps);
      places = std::move(moved);
    };
    Index left = tap;
    for (std::size_t d = axes.size(); d-- > 0; left /= axes[d].kernel) move(along(d, left % axes[d].kernel));
    move(of_batches);
    seen.merge_moved(places, of_copies);
  }
}

}  // namespace tacit::layout
