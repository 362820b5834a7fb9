#include "layout/sharding/sharded_array.h"

#include <algorithm>

#include "base/error.h"

namespace tacit::layout {
namespace {

constexpr Index kMostNumbers = Index{1} << 32;

}  // namespace

ShardedArray::ShardedArray(ArraySharding sharding, Shape shape)
    : sharding_(std::move(sharding)), shape_(std::move(shape)), block_shape_(sharding_.block_shape(shape_)) {
  const Index size = element_count(block_shape_);
  if (size > kMostNumbers / sharding_.blocks())
    base::refuse("sharded array: {} blocks of {} numbers are more than 2^32", blocks(), size);
  block_size_ = static_cast<std::size_t>(size);
  values_.resize(block_size_ * static_cast<std::size_t>(blocks()));
}

template <class Visit>
void ShardedArray::for_each_element(const Visit& visit) const {
  const std::size_t rank = shape_.size();
  std::vector<Index> index(rank), stride(rank);  // of blocks along a dimension
  // Blocks are numbered row-major over the axes of the mesh, whatever order dimensions name them in.
  for (std::size_t dim = 0; dim < rank; ++dim) {
    const int axis = sharding_.spec()[dim];
    if (axis == ArraySharding::kWhole) continue;
    stride[dim] = 1;
    for (std::size_t other = 0; other < rank; ++other)
      if (sharding_.spec()[other] > axis) stride[dim] *= sharding_.parts(other);
  }
  const Index count = element_count(shape_);
  for (Index element = 0; element < count; ++element) {
    Index block = 0, within = 0;
    for (std::size_t dim = 0; dim < rank; ++dim) {
      block += index[dim] / block_shape_[dim] * stride[dim];
      within = within * block_shape_[dim] + index[dim] % block_shape_[dim];
    }
    visit(static_cast<std::size_t>(element), block, static_cast<std::size_t>(within));
    for (std::size_t dim = rank; dim-- > 0 && ++index[dim] == shape_[dim];) index[dim] = 0;
  }
}

ShardedArray ShardedArray::split(std::span<const double> array, const Shape& shape, ArraySharding sharding) {
  ShardedArray result(std::move(sharding), shape);
  if (array.size() != static_cast<std::size_t>(element_count(shape)))
    base::refuse("sharded array: {} numbers for an array of {} elements", array.size(), element_count(shape));
  result.for_each_element([&](std::size_t element, Index block, std::size_t within) {
    result.values_[static_cast<std::size_t>(block) * result.block_size_ + within] = array[element];
  });
  return result;
}

std::vector<double> ShardedArray::joined() const {
  std::vector<double> array(static_cast<std::size_t>(element_count(shape_)));
  for_each_element([&](std::size_t element, Index block, std::size_t within) { array[element] = load(block)[within]; });
  return array;
}

std::size_t ShardedArray::begin_of(Index block) const {
  if (block < 0 || block >= blocks())
    base::refuse("sharded array: it has {} blocks, and none of number {}", blocks(), block);
  return static_cast<std::size_t>(block) * block_size_;
}

std::span<double> ShardedArray::to_write(Index block, std::size_t size) {
  const std::size_t begin = begin_of(block);
  if (size != block_size_) base::refuse("sharded array: {} numbers for a block of {}", size, block_size_);
  return std::span(values_).subspan(begin, block_size_);
}

std::span<const double> ShardedArray::load(Index block) const {
  return std::span(values_).subspan(begin_of(block), block_size_);
}

void ShardedArray::store(Index block, std::span<const double> values) {
  std::ranges::copy(values, to_write(block, values.size()).begin());
}

void ShardedArray::update_store(Index block, std::span<const double> values) {
  const std::span<double> into = to_write(block, values.size());
  for (std::size_t i = 0; i < values.size(); ++i) into[i] += values[i];
}

}  // namespace tacit::layout
