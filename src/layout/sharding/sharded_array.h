#pragma once

#include <span>
#include <vector>

#include "layout/sharding/array_sharding.h"

namespace tacit::layout {

/// An array of numbers in the blocks of a sharding, [blocks][block shape]. `split`, `load`, `store` and `update_store`
/// are the only ways in and out. Positions of a block beyond the array hold zeros after `split`, and anything after a
/// store. Not thread safe, but different blocks may be written at the same time.
class ShardedArray {
 public:
  /// Makes zeros. Throws InputError if the sharding does not fit the shape, or there are more than 2^32 numbers.
  ShardedArray(ArraySharding sharding, Shape shape);
  /// Cuts a row-major array of this shape into blocks. Throws InputError if sizes do not fit.
  static ShardedArray split(std::span<const double> array, const Shape& shape, ArraySharding sharding);
  /// Returns the array in one piece, loaded block by block.
  std::vector<double> joined() const;

  const ArraySharding& sharding() const { return sharding_; }
  /// Returns the shape of the array before it was sharded.
  const Shape& shape() const { return shape_; }
  const Shape& block_shape() const { return block_shape_; }
  Index blocks() const { return sharding_.blocks(); }

  /// Returns a block, row-major. Throws InputError if there is no such block. The result is valid as long as this
  /// object.
  std::span<const double> load(Index block) const;
  /// Replaces the numbers of a block, or adds numbers to them. Throws InputError if there is no such block or it has
  /// another size.
  void store(Index block, std::span<const double> values);
  void update_store(Index block, std::span<const double> values);

 private:
  /// Return the beginning of a block, and a block of `size` numbers. Throw InputError as `load` and `store`.
  std::size_t begin_of(Index block) const;
  std::span<double> to_write(Index block, std::size_t size);
  /// Calls visit(element of the array, block, element of the block) for every element.
  template <class Visit>
  void for_each_element(const Visit& visit) const;

  ArraySharding sharding_;
  Shape shape_, block_shape_;
  std::size_t block_size_ = 0;
  std::vector<double> values_;  // [block][block shape]
};

}  // namespace tacit::layout
