#pragma once

#include <random>

#include "layout/layout.h"

namespace tacit::layout {

/// A random layout of a tensor of this shape in this many slots: every dimension split into random digits, across and
/// within, in random order, with replicas between them and in front.
inline Layout random_layout(const Shape& shape, Index slots, std::mt19937& random) {
  const auto pick = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
  std::vector<Digit> across, within;
  std::vector<Fill> fill;
  Index left = slots;
  const auto put = [&](std::vector<Digit>& list, Digit digit) {
    list.insert(list.begin() + pick(0, static_cast<int>(list.size())), std::move(digit));
  };
  for (int dim = 0; dim < static_cast<int>(shape.size()); ++dim) {
    const Index extent = shape[static_cast<std::size_t>(dim)];
    for (Index covered = 1, rest = extent; rest > 1; rest = (extent + covered - 1) / covered) {
      const Index wanted = Index{1} << pick(1, 3);
      const bool inside = left >= wanted && pick(0, 4) > 0;
      const Index digit = inside ? wanted : std::min<Index>(rest, pick(2, 3));
      put(inside ? within : across, {dim, digit, covered, ""});
      if (inside) left /= wanted;
      covered *= digit;
    }
    fill.push_back(pick(0, 1) == 0 ? Fill::zero : Fill::unknown);
  }
  while (left > 1 && pick(0, 2) > 0) {
    put(within, {kReplica, 2, 1, ""});
    left /= 2;
  }
  if (left > 1 || within.empty()) within.insert(within.begin(), Digit{kReplica, left, 1, ""});
  return Layout(shape, std::move(across), std::move(within), std::move(fill));
}

/// The tensor packed, with large numbers where a slot may hold anything.
inline std::vector<std::vector<double>> packed_with_unknowns(const Layout& layout, const std::vector<double>& tensor) {
  constexpr double kAnything = 12345.678;
  std::vector<std::vector<double>> slots = layout.pack(tensor);
  for (std::size_t c = 0; c < slots.size(); ++c) {
    const std::vector<Layout::Content> contents = layout.contents(static_cast<Index>(c));
    for (std::size_t s = 0; s < slots[c].size(); ++s)
      if (contents[s % contents.size()] == Layout::Content::unknown) slots[c][s] = kAnything;
  }
  return slots;
}

/// By ciphertext and slot: whether the layout says what is there.
inline std::vector<std::vector<bool>> known_slots(const Layout& layout) {
  std::vector<std::vector<bool>> known(static_cast<std::size_t>(layout.ciphertexts()));
  for (std::size_t c = 0; c < known.size(); ++c) {
    const std::vector<Layout::Content> contents = layout.contents(static_cast<Index>(c));
    for (std::size_t s = 0; s < static_cast<std::size_t>(layout.slots()); ++s)
      known[c].push_back(contents[s % contents.size()] != Layout::Content::unknown);
  }
  return known;
}

/// A random shape of rank 1 to 4 with at most 1296 elements.
inline Shape random_shape(std::mt19937& random) {
  const auto pick = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
  Shape shape;
  for (int rank = pick(1, 4); rank > 0; --rank) shape.push_back(pick(1, 6));
  return shape;
}

}  // namespace tacit::layout
