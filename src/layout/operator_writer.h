#pragma once

#include <cstdint>

#include "base/byte_stream.h"
#include "layout/linear_operator.h"

namespace tacit::layout {

/// The kinds of operators. The numbers are part of the format.
enum class OperatorKind : std::uint8_t {
  sparse_rows = 1,
  identity = 2,
  gather = 3,
  convolution = 4,
  average_pool = 5,
  contraction = 6,
  reduction = 7,
  composed = 8,
  sum = 9,
  scaled = 10,
  repeated = 11,
  row_band = 12,
  rounded = 13,
  skewed_gather = 14,
};

/// Operators describe themselves to this writer: their kind and shapes, then numbers in the order of the reader
/// (serialize.cpp), then their inner operators.
class OperatorWriter {
 public:
  explicit OperatorWriter(base::ByteWriter& bytes) : to(bytes) {}

  void kind(OperatorKind kind) { to.u8(static_cast<std::uint8_t>(kind)); }
  /// Writes kind and shapes.
  void head(OperatorKind kind, const LinearOperator& op);
  /// Writes an operator inside this one. Throws InternalError beyond kMaxOperatorDepth.
  void nested(const LinearOperator& op);

  base::ByteWriter& to;  ///< takes the numbers

 private:
  int depth_ = 0;
};

}  // namespace tacit::layout
