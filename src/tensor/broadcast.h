#pragma once

#include "tensor/tile_tensor.h"

namespace tacit::tensor {

enum class Mixing { sum, product };

/// Returns the shape of an element-wise result. Throws InputError naming `operation`, both shapes, the dimension and
/// the way out.
TileShape broadcast_shape(const TileShape& a, const TileShape& b, Mixing mixing, const char* operation);

/// Returns a view of an operand along the grid of the result. The stride is 0 where the operand has one tile and the
/// result more. The dimension `last`, if not negative, comes last, so that it can be summed.
View along(const TileTensor& operand, const TileShape& result, int last = -1);

/// Returns "dimension 1 'rows'".
std::string dim_text(const TileShape& shape, int dim);
/// Throws InputError unless the dimension exists.
void check_dim(const TileShape& shape, int dim, const char* operation);
/// Throws InputError if the readings differ.
void check_same_reading(const SessionPtr& a, const SessionPtr& b, const char* operation);
/// Throws InputError if no level is left to spend.
void check_level(const TileTensor& a, const char* operation);
/// Returns the same tensor at a lower level, or the tensor itself if it is at `level`.
TileTensor lowered(const TileTensor& a, int level);

}  // namespace tacit::tensor
