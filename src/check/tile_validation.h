#pragma once

#include <functional>
#include <string>
#include <vector>

#include "check/result.h"
#include "tensor/tile_tensor.h"

namespace tacit::check {

/// What an operator on tile tensors reads, in its own order.
struct TileOperands {
  std::vector<tensor::TileTensor> tensors;
  std::vector<tensor::PlainTensor> plains;
};
using TileOperator = std::function<tensor::TileTensor(const TileOperands&)>;

/// Compares the first `length` elements (row-major) of a tile tensor with what `made_by` makes of the messages of its
/// operands in the clear reading, unknowns in unused slots included; a plaintext is read as it was given, not as it was
/// encoded. They may differ by 10^epsilon. `name` is for people. The reading of the operands must hold the secret key.
/// The cause of a failure is *scale* or *bug*: tile arithmetic has no noise model. All decrypted numbers are wiped.
/// Throws InputError for a length or an epsilon that does not fit, no operands, and operands of another reading than
/// the result's.
OperatorResult validate_tiles(const std::string& name, const tensor::TileTensor& result, const TileOperands& operands,
                              const TileOperator& made_by, layout::Index length, double epsilon);

}  // namespace tacit::check
