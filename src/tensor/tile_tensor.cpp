#include "tensor/tile_tensor.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "base/error.h"

namespace tacit::tensor {
namespace {

View whole(const TileShape& shape, ArrayPtr array) {
  View view;
  view.array = std::move(array);
  for (int i = 0; i < shape.rank(); ++i) view.add_dimension(shape.dim(i).outer(), shape.tile_stride(i));
  return view;
}

/// The cost reading looks at no values: a tensor may have none.
void check(const Session& session, const TileShape& shape, const Dense& tensor) {
  if (shape.slots() != session.slots())
    base::refuse(
        "tile shape {} has tiles of {} slots and the ciphertexts have {}: the tile extents must multiply to that",
        shape.to_string(), shape.slots(), session.slots());
  if (!tensor.values.empty() && tensor.values.size() != static_cast<std::size_t>(layout::element_count(tensor.sizes)))
    base::refuse("a tensor [{}] for tile shape {} has {} values", fmt::join(tensor.sizes, ","), shape.to_string(),
                 tensor.values.size());
}

/// Packs when the first tile is asked for: the cost reading asks for none. Both must outlive it.
SlotsOf packed_slots(const TileShape& shape, const Dense& tensor) {
  return [&, packed = std::vector<std::vector<double>>()](Index tile) mutable {
    if (packed.empty()) packed = shape.layout().pack(tensor.values);
    return packed[static_cast<std::size_t>(tile)];
  };
}

}  // namespace

TileTensor::TileTensor(SessionPtr session, TileShape shape, ArrayPtr array)
    : session_(std::move(session)), shape_(std::move(shape)), view_(whole(shape_, std::move(array))) {
  TACIT_ASSERT(view_.count() == view_.array->count());
}

TileTensor::TileTensor(SessionPtr session, TileShape shape, View view)
    : session_(std::move(session)), shape_(std::move(shape)), view_(std::move(view)) {
  TACIT_ASSERT(view_.rank == shape_.rank());
}

double TileTensor::estimated_bytes() const {
  Index distinct = 1;
  for (int i = 0; i < view_.rank; ++i)
    if (view_.strides[static_cast<std::size_t>(i)] != 0) distinct *= view_.extents[static_cast<std::size_t>(i)];
  return static_cast<double>(distinct) * session_->tile_bytes(level());
}

TileTensor TileTensor::with_pending(int dim, Index places) const {
  TileTensor result = *this;
  result.pending_dim_ = dim;
  result.pending_places_ = places;
  return result;
}

struct PlainTensor::Store {
  std::mutex mutex;
  std::map<std::pair<int, bool>, ArrayPtr> arrays;
  std::map<std::string, std::shared_ptr<const PlainTensor>> expansions;
};

PlainTensor::PlainTensor(SessionPtr session, const TileShape& shape, Dense tensor)
    : session_(std::move(session)),
      shape_(shape.of(tensor.sizes).without_unknowns()),
      tensor_(std::make_shared<const Dense>(std::move(tensor))),
      store_(std::make_shared<Store>()) {
  check(*session_, shape_, *tensor_);
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
  known = std::make_shared<const PlainTensor>(session_, shape, std::move(wide));
  return *known;
}

ArrayPtr PlainTensor::encoded(int level, bool factor) const {
  const std::lock_guard lock(store_->mutex);
  auto& known = store_->arrays[{level, factor}];
  if (known) return known;
  const SlotsOf slots = packed_slots(shape_, *tensor_);
  known = factor ? session_->encode_factor(shape_.tiles(), slots, level)
                 : session_->encode_addend(shape_.tiles(), slots, level);
  return known;
}

TileTensor encrypt(const SessionPtr& session, const TileShape& recipe, const Dense& tensor, int level) {
  TileShape shape = recipe.of(tensor.sizes).without_unknowns();
  check(*session, shape, tensor);
  if (level < 0 || level > session->max_level())
    base::refuse("encrypt: level {} is outside 0 to {}", level, session->max_level());
  ArrayPtr array = session->encrypt(shape.layout(), packed_slots(shape, tensor), level);
  return TileTensor(session, std::move(shape), std::move(array));
}

Dense decrypt(const TileTensor& tensor) {
  Dense result{tensor.shape().sizes(), {}};
  result.values = tensor.shape().layout().unpack(tensor.session()->decrypt(tensor.view(), slots::Decoding::with_noise));
  return result;
}

}  // namespace tacit::tensor
