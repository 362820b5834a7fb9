#pragma once

#include "layout/linear_operator.h"
#include "tensor/tile_tensor.h"

/// Operators on tile tensors, written once over a reading. Every operator states its levels and rotations (key switches
/// of ciphertexts), with e_i tiles of t_i slots along dimension i, E tiles in all and lg the binary logarithm. Operands
/// at different levels are brought to the lower one (one plain product a tile, no level of the result). Errors:
/// InputError that names the shapes and the way out, before any work. Thread safe as far as the reading is.
namespace tacit::tensor {

/// How a sum or a replication within tiles goes.
struct FoldOptions {
  /// Sum over every place of a tile, those that hold nothing too: lg t_i rotations, and a leading dimension ends
  /// replicated. Otherwise only over the places that hold values, rounded up to a power of two, and copies are made
  /// when an operator reads them.
  bool all_places = false;
  /// Places are folded 2^hoist at a time by rotations of one decomposition: 2^hoist - 1 cheap rotations for `hoist`
  /// dear ones, with as many keys. 1 = one rotation a bit.
  int hoist = 1;
};

/// Per dimension: equal tiles and weaving, and equal sizes or one side of size 1 whose one value is in every place
/// ({copy t}, or a tile extent of 1). Unused slots stay zero in a product where one side has zeros, in a sum where both
/// have. No level; none but what completes a pending replication.
TileTensor add(const TileTensor& a, const TileTensor& b);
TileTensor subtract(const TileTensor& a, const TileTensor& b);
/// One level, no rotations.
TileTensor multiply(const TileTensor& a, const TileTensor& b);
TileTensor add(const TileTensor& a, const PlainTensor& b);
/// One level. The plaintext is zero wherever the result is unused, so that unknowns are cleared on the way.
TileTensor multiply(const TileTensor& a, const PlainTensor& b);
/// Adds to the elements only: unused slots keep what they held.
TileTensor add(const TileTensor& a, double addend);
/// One level; clears unknowns.
TileTensor multiply(const TileTensor& a, double factor);

/// Sum over a dimension, which ends with size 1. Its unused slots must be zero. With p places of a tile that hold
/// values rounded up to a power of two (all t_i with `all_places`): E / e_i * lg p rotations at hoist 1. A leading
/// dimension (no tile above 1 before it) ends as {copy t_i} with all_places, else with its replication pending; any
/// other ends as {1|t_i junk}: its place 0 alone is right. Of a dimension of size 1 the sum is the tensor itself. No
/// level.
TileTensor sum(const TileTensor& a, int dim, FoldOptions options = {});
/// sum(multiply(a, b), dim), with one relinearisation for all products that are added up. One level.
TileTensor multiply_sum(const TileTensor& a, const TileTensor& b, int dim, FoldOptions options = {});
TileTensor multiply_sum(const TileTensor& a, const PlainTensor& b, int dim, FoldOptions options = {});

/// Multiplies by 1 where there are elements and 0 elsewhere: E plain products, one level. The tensor itself if there
/// are no unknowns.
TileTensor clear_unknowns(const TileTensor& a);
/// {1|t_i} to {copy t_i}: E * lg t_i rotations to the right at hoist 1, no level; a pending replication takes what its
/// sum left out. Refused where unknowns would spread.
TileTensor replicate(const TileTensor& a, int dim, FoldOptions options = {});
/// Element c + steps (modulo the size) moves to c. Free of levels, with at most e_i rotations of E / e_i tiles each, on
/// a leading dimension without unused slots that is interleaved or has one tile; else one level, by `reshard`'s means.
TileTensor rotate(const TileTensor& a, int dim, Index steps);

/// Positions begin to begin + count - 1 of a dimension. Free where they begin on a tile of a dimension in blocks and
/// (unless unknowns may follow) end on one; else one level. The free form leaves unknowns behind the last position.
TileTensor slice(const TileTensor& a, int dim, Index begin, Index count);
/// b behind a. Free where a's part of the dimension fills its tiles, in blocks, with the same fill elsewhere; else one
/// level.
TileTensor concat(const TileTensor& a, const TileTensor& b, int dim);
/// Any linear operator on the elements (row-major), to any shape of the same slots: the generalised diagonals of every
/// pair of tiles, by baby and giant steps. One level. Unknowns do not matter, and the result has none.
TileTensor linear(const TileTensor& a, const layout::LinearOperatorPtr& op, const TileShape& target);
/// The same elements in another shape (sizes may be regrouped, not their row-major order). The tensor itself if nothing
/// changes; else one level.
TileTensor reshard(const TileTensor& a, const TileShape& target);
/// Sum over a dimension straight into another shape: sums of different outputs share rotations as they shrink. One
/// level.
TileTensor sum_into(const TileTensor& a, int dim, const TileShape& target);

}  // namespace tacit::tensor
