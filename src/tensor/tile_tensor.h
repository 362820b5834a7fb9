#pragma once

#include <memory>
#include <vector>

#include "layout/tile_shape.h"
#include "tensor/session.h"

namespace tacit::tensor {

using layout::Shape;
using layout::TileShape;

/// A dense tensor in the clear, row-major.
struct Dense {
  Shape sizes;
  std::vector<double> values;
  bool operator==(const Dense&) const = default;
};

/// A tensor cut into tiles of one reading. Immutable; copies share the tiles.
class TileTensor {
 public:
  TileTensor() = default;
  /// `array` has shape.tiles() tiles, numbered as in the shape.
  TileTensor(SessionPtr session, TileShape shape, ArrayPtr array);
  /// `view` has one dimension for each of the shape's, with its outer extents.
  TileTensor(SessionPtr session, TileShape shape, View view);

  const TileShape& shape() const { return shape_; }
  const SessionPtr& session() const { return session_; }
  const View& view() const { return view_; }
  /// Returns the number of products that the tensor can still take.
  int level() const { return session_->level_of(view_); }
  /// Returns the memory of its distinct tiles.
  double estimated_bytes() const;

  /// The state of a sum over a leading dimension that covered only the places with values: its dimension and the places
  /// summed so far. `replicate` continues from there without a mask. The dimension is -1 if there is no such sum.
  int pending_dim() const { return pending_dim_; }
  Index pending_places() const { return pending_places_; }
  TileTensor with_pending(int dim, Index places) const;

 private:
  SessionPtr session_;
  TileShape shape_;
  View view_;
  int pending_dim_ = -1;
  Index pending_places_ = 0;
};

/// A tensor in the clear with the shape in which it meets tile tensors. It is encoded when an operator needs it, for
/// the level that it needs, and kept. Copies share the encoded tensors. Thread safe.
class PlainTensor {
 public:
  /// A recipe takes its sizes from the tensor. Throws InputError if shape and tensor do not fit.
  PlainTensor(SessionPtr session, const TileShape& shape, Dense tensor);
  const TileShape& shape() const { return shape_; }
  const SessionPtr& session() const { return session_; }
  const Dense& tensor() const { return *tensor_; }
  /// Returns the tensor with its one value along some dimensions repeated `dims[i].size` times, in dims[i].copies
  /// places, and with nothing beyond.
  PlainTensor expanded(const std::vector<layout::TileDim>& dims) const;
  ArrayPtr factor(int level) const { return encoded(level, true); }
  ArrayPtr addend(int level) const { return encoded(level, false); }

 private:
  struct Store;
  ArrayPtr encoded(int level, bool factor) const;
  SessionPtr session_;
  TileShape shape_;
  std::shared_ptr<const Dense> tensor_;
  std::shared_ptr<Store> store_;
};

/// Encodes and encrypts: zeros in unused slots, copies where the shape has them. Throws InputError if tensor, shape,
/// slots or level do not fit. The cost reading ignores values: `values` may then be empty.
TileTensor encrypt(const SessionPtr& session, const TileShape& shape, const Dense& tensor, int level);
/// Decrypts, and drops unused slots and copies.
Dense decrypt(const TileTensor& tensor);

}  // namespace tacit::tensor
