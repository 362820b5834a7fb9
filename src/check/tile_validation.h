#pragma once

#include <functional>
#include <string>
#include <vector>

#include "check/result.h"
#include "tensor/tile_tensor.h"

namespace tacit::check {

/// The operands of an operator on tile tensors, in its own order.
struct TileOperands {
  std::vector<tensor::TileTensor> tensors;
  std::vector<tensor::PlainTensor> plains;
};
using TileOperator = std::function<tensor::TileTensor(const TileOperands&)>;

/// Compares the first `length` elements (row-major) of a tile tensor with the result of `made_by` in the clear reading.
/// `made_by` reads the messages of the operands, including unknown values in unused slots. Plaintexts are read as they
/// were given, not as they were encoded. Elements may differ by 10^epsilon. `name` is for people. The reading of the
/// operands must hold the secret key.
///
/// The cause of a failure is *scale* or *bug*, because tile arithmetic has no noise model. All decrypted numbers are
/// wiped. Throws InputError for an invalid length or epsilon, for no operands, and for operands of another reading than
/// the result's.
OperatorResult validate_tiles(const std::string& name, const tensor::TileTensor& result, const TileOperands& operands,
                              const TileOperator& made_by, layout::Index length, double epsilon);

}  // namespace tacit::check
