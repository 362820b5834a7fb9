#pragma once

#include "layout/linear_operator.h"
#include "tensor/tile_tensor.h"

/// Operators on tile tensors, written once over a reading. Every operator states its levels and rotations (key switches
/// of ciphertexts). Dimension i has e_i tiles of t_i slots; E is the number of all tiles, and lg the binary logarithm.
/// Operands at different levels are brought to the lower one (one plain product per tile, no level of the result).
/// Errors are InputError that names the shapes and the way out, before any work. Thread safe as far as the reading is.
namespace tacit::tensor {

/// The method of a sum or a replication within tiles.
struct FoldOptions {
  /// Sums over every place of a tile, also places that hold nothing: lg t_i rotations, and a leading dimension ends
  /// replicated. Otherwise the sum covers the places that hold values, rounded up to a power of two. Copies are then
  /// made when an operator reads them.
  bool all_places = false;
  /// Folds 2^hoist places at a time by rotations of one decomposition. 2^hoist - 1 cheap rotations replace `hoist`
  /// expensive ones, with as many keys. 1 = one rotation per bit.
  int hoist = 1;
};

/// Add and subtract elements. Each dimension must have equal tiles and interleaving, and equal sizes. One side may
/// instead have size 1 with its value in every place ({copy t}, or a tile extent of 1). Unused slots stay zero in a
/// product if one side has zeros, and in a sum if both have. No level; no rotations except for a pending replication.
TileTensor add(const TileTensor& a, const TileTensor& b);
TileTensor subtract(const TileTensor& a, const TileTensor& b);
/// Multiplies elements. One level, no rotations.
TileTensor multiply(const TileTensor& a, const TileTensor& b);
TileTensor add(const TileTensor& a, const PlainTensor& b);
/// Multiplies by a plaintext; one level. The plaintext is zero wherever the result is unused, so that unknowns are
/// cleared.
TileTensor multiply(const TileTensor& a, const PlainTensor& b);
/// Adds to the elements only: unused slots keep their content.
TileTensor add(const TileTensor& a, double addend);
/// Multiplies by a number and clears unknowns; one level.
TileTensor multiply(const TileTensor& a, double factor);

/// Sums over a dimension, which ends with size 1. Its unused slots must be zero. No level. Let p be the number of
/// places of a tile that hold values, rounded up to a power of two (all t_i with `all_places`). The sum takes E / e_i *
/// lg p rotations at hoist 1. The dimension ends in one of these forms:
/// - leading (no tile above 1 before it), with `all_places`: {copy t_i}
/// - leading, otherwise: its replication is pending
/// - any other: {1|t_i junk}, of which place 0 alone is right
/// - size 1 before the sum: the tensor itself
TileTensor sum(const TileTensor& a, int dim, FoldOptions options = {});
/// Does sum(multiply(a, b), dim) with one relinearisation for all products that are added. One level.
TileTensor multiply_sum(const TileTensor& a, const TileTensor& b, int dim, FoldOptions options = {});
TileTensor multiply_sum(const TileTensor& a, const PlainTensor& b, int dim, FoldOptions options = {});

/// Multiplies by 1 at elements and by 0 elsewhere: E plain products, one level. Without unknowns it returns the tensor
/// itself.
TileTensor clear_unknowns(const TileTensor& a);
/// Replicates {1|t_i} to {copy t_i}: E * lg t_i rotations to the right at hoist 1, no level. A pending replication
/// takes the rotations that its sum left out. Refused if unknowns would spread.
TileTensor replicate(const TileTensor& a, int dim, FoldOptions options = {});
/// Moves element c + steps (modulo the size) to c. It is free of levels on a leading dimension without unused slots
/// that is interleaved or has one tile. It then takes at most e_i rotations of E / e_i tiles each. Otherwise it takes
/// one level, as `reshard` does.
TileTensor rotate(const TileTensor& a, int dim, Index steps);

/// Returns positions begin to begin + count - 1 of a dimension. It is free for a dimension in blocks if the positions
/// begin on a tile and (unless unknowns may follow) end on one. Otherwise it takes one level. The free form leaves
/// unknowns after the last position.
TileTensor slice(const TileTensor& a, int dim, Index begin, Index count);
/// Appends `b` to `a`. It is free if a's part of the dimension fills its tiles, in blocks, with the same fill
/// elsewhere; else it takes one level.
TileTensor concat(const TileTensor& a, const TileTensor& b, int dim);
/// Applies any linear operator to the elements (row-major), to any shape of the same slots. It uses the generalised
/// diagonals of every pair of tiles, by baby and giant steps. One level. Unknowns do not matter, and the result has
/// none.
TileTensor linear(const TileTensor& a, const layout::LinearOperatorPtr& op, const TileShape& target);
/// Returns the same elements in another shape (sizes may be regrouped, not their row-major order). It returns the
/// tensor itself if nothing changes; else it takes one level.
TileTensor reshard(const TileTensor& a, const TileShape& target);
/// Sums over a dimension straight into another shape: sums of different outputs share rotations as they shrink. One
/// level.
TileTensor sum_into(const TileTensor& a, int dim, const TileShape& target);

}  // namespace tacit::tensor
