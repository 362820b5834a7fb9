#pragma once

#include "tensor/tile_tensor.h"

namespace tacit::tensor {

enum class Mixing { sum, product };

/// The shape of an element-wise result. Throws InputError naming `operation`, both shapes, the dimension and the way
/// out.
TileShape broadcast_shape(const TileShape& a, const TileShape& b, Mixing mixing, const char* operation);

/// Reads an operand along the grid of the result: a stride of 0 where it has one tile and the result more. The
/// dimension `last`, if not negative, comes last, so that it can be summed.
View along(const TileTensor& operand, const TileShape& result, int last = -1);

/// "dimension 1 'rows'".
std::string dim_text(const TileShape& shape, int dim);
/// Throws InputError unless the dimension exists.
void check_dim(const TileShape& shape, int dim, const char* operation);
/// Throws InputError if the readings differ.
void check_same_reading(const SessionPtr& a, const SessionPtr& b, const char* operation);
/// Throws InputError if no level is left to spend.
void check_level(const TileTensor& a, const char* operation);
/// The same at a lower level; itself if it is there.
TileTensor lowered(const TileTensor& a, int level);

}  // namespace tacit::tensor
