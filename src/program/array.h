#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "layout/layout.h"

namespace tacit::program {

/// An array of ciphertexts at one level and scale, or of encoded plaintexts, in the form of one reading. Immutable.
class Array {
 public:
  Array(layout::Index count, int level) : count_(count), level_(level) {}
  virtual ~Array() = default;
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;
  layout::Index count() const { return count_; }
  int level() const { return level_; }

 private:
  layout::Index count_;
  int level_;
};
using ArrayPtr = std::shared_ptr<const Array>;

/// Maps each position of a grid to the member of an array that it reads. Positions are row-major over `extents`, with
/// one stride per dimension. A stride of 0 repeats a member, and an offset skips some: broadcasts and slices cost
/// nothing.
struct View {
  static constexpr int kMaxRank = 12;
  ArrayPtr array;
  int rank = 0;
  std::array<layout::Index, kMaxRank> extents{}, strides{};
  layout::Index offset = 0;

  /// Returns a view of all members in order.
  static View whole(ArrayPtr array) {
    View view;
    view.add_dimension(array->count(), 1);
    view.array = std::move(array);
    return view;
  }
  void add_dimension(layout::Index extent, layout::Index stride) {
    extents[static_cast<std::size_t>(rank)] = extent;
    strides[static_cast<std::size_t>(rank++)] = stride;
  }
  layout::Index count() const {
    layout::Index product = 1;
    for (int i = 0; i < rank; ++i) product *= extents[static_cast<std::size_t>(i)];
    return product;
  }
  layout::Index at(layout::Index position) const {
    layout::Index member = offset;
    for (int i = rank - 1; i >= 0; --i) {
      member += position % extents[static_cast<std::size_t>(i)] * strides[static_cast<std::size_t>(i)];
      position /= extents[static_cast<std::size_t>(i)];
    }
    return member;
  }
  int level() const { return array->level(); }
};

/// Returns the slots of one member of an array. A reading calls it when it needs them.
using SlotsOf = std::function<std::vector<double>(layout::Index member)>;

}  // namespace tacit::program
