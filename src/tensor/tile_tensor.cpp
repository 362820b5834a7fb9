#include "tensor/tile_tensor.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "base/error.h"

namespace tacit::tensor {
namespace {

program::TileView whole(const TileShape& shape, program::TileArrayPtr array) {
  program::TileView view;
  view.array = std::move(array);
  for (int i = 0; i < shape.rank(); ++i) view.add_dimension(shape.dim(i).outer(), shape.tile_stride(i));
  return view;
}

void check_slots(const program::TileEvaluator& evaluator, const TileShape& shape) {
  if (shape.slots() != evaluator.slots())
    throw base::InputError(
        fmt::format("tile shape {} has tiles of {} slots and the ciphertexts have {}: the tile extents "
                    "must multiply to that",
                    shape.to_string(), shape.slots(), evaluator.slots()));
}

void check_values(const TileShape& shape, const Dense& tensor) {
  if (tensor.values.size() != static_cast<std::size_t>(layout::element_count(tensor.sizes)))
    throw base::InputError(fmt::format("a tensor [{}] for tile shape {} has {} values", fmt::join(tensor.sizes, ","),
                                       shape.to_string(), tensor.values.size()));
}

}  // namespace

TileTensor::TileTensor(EvaluatorPtr evaluator, TileShape shape, program::TileArrayPtr array)
    : evaluator_(std::move(evaluator)), shape_(std::move(shape)), view_(whole(shape_, std::move(array))) {
  TACIT_ASSERT(view_.count() == view_.array->count());
}

TileTensor::TileTensor(EvaluatorPtr evaluator, TileShape shape, program::TileView view)
    : evaluator_(std::move(evaluator)), shape_(std::move(shape)), view_(std::move(view)) {
  TACIT_ASSERT(view_.rank == shape_.rank());
}

double TileTensor::estimated_bytes() const {
  Index distinct = 1;
  for (int i = 0; i < view_.rank; ++i)
    if (view_.strides[static_cast<std::size_t>(i)] != 0) distinct *= view_.extents[static_cast<std::size_t>(i)];
  return static_cast<double>(distinct) * evaluator_->tile_bytes(level());
}

TileTensor TileTensor::with_pending(int dim, Index places) const {
  TileTensor result = *this;
  result.pending_dim_ = dim;
  result.pending_places_ = places;
  return result;
}

struct PlainTensor::Store {
  std::mutex mutex;
  std::map<std::pair<int, bool>, program::TileArrayPtr> arrays;
  std::map<std::string, std::shared_ptr<const PlainTensor>> expansions;
};

PlainTensor::PlainTensor(EvaluatorPtr evaluator, const TileShape& shape, Dense tensor)
    : evaluator_(std::move(evaluator)),
      shape_(shape.of(tensor.sizes).without_junk()),
      tensor_(std::make_shared<const Dense>(std::move(tensor))),
      store_(std::make_shared<Store>()) {
  check_slots(*evaluator_, shape_);
  if (!tensor_->values.empty()) check_values(shape_, *tensor_);
}

PlainTensor PlainTensor::expanded(const std::vector<layout::TileDim>& dims) const {
  TileShape shape{dims};
  if (shape == shape_) return *this;
  const std::lock_guard lock(store_->mutex);
  auto& known = store_->expansions[shape.to_string()];
  if (known) return *known;
  const Shape sizes = shape.sizes();
  Dense wide{sizes, {}};
  if (!tensor_->values.empty()) {
    const Index count = layout::element_count(sizes);
    wide.values.resize(static_cast<std::size_t>(count));
    for (Index e = 0; e < count; ++e) {
      Index rest = e, source = 0, weight = 1;
      for (std::size_t i = sizes.size(); i-- > 0;) {
        if (tensor_->sizes[i] > 1) source += rest % sizes[i] * weight;
        rest /= sizes[i];
        weight *= tensor_->sizes[i];
      }
      wide.values[static_cast<std::size_t>(e)] = tensor_->values[static_cast<std::size_t>(source)];
    }
  }
  known = std::make_shared<const PlainTensor>(evaluator_, shape, std::move(wide));
  return *known;
}

program::TileArrayPtr PlainTensor::encoded(int level, bool factor) const {
  const std::lock_guard lock(store_->mutex);
  auto& known = store_->arrays[{level, factor}];
  if (known) return known;
  std::vector<std::vector<double>> packed;
  const program::TileSlots slots = [&](Index tile) {
    if (packed.empty()) packed = shape_.layout().pack(tensor_->values);
    return packed[static_cast<std::size_t>(tile)];
  };
  known = factor ? evaluator_->encode_factor(shape_.tiles(), slots, level)
                 : evaluator_->encode_addend(shape_.tiles(), slots, level);
  return known;
}

TileTensor encrypt(const EvaluatorPtr& evaluator, const TileShape& recipe, const Dense& tensor, int level) {
  TileShape shape = recipe.of(tensor.sizes).without_junk();
  check_slots(*evaluator, shape);
  if (!tensor.values.empty()) check_values(shape, tensor);
  if (level < 0 || level > evaluator->max_level())
    throw base::InputError(fmt::format("encrypt: level {} is outside 0 to {}", level, evaluator->max_level()));
  std::vector<std::vector<double>> packed;
  const program::TileSlots slots = [&](Index tile) {
    if (packed.empty()) packed = shape.layout().pack(tensor.values);
    return packed[static_cast<std::size_t>(tile)];
  };
  program::TileArrayPtr array = evaluator->encrypt(shape.tiles(), slots, level);
  return TileTensor(evaluator, std::move(shape), std::move(array));
}

Dense decrypt(const TileTensor& tensor) {
  Dense result{tensor.shape().sizes(), {}};
  result.values = tensor.shape().layout().unpack(tensor.evaluator()->decrypt(tensor.view()));
  return result;
}

}  // namespace tacit::tensor
