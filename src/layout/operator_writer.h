#pragma once

#include <cstdint>
#include <span>

#include "base/byte_stream.h"
#include "layout/linear_operator.h"

namespace tacit::layout {

/// What kind of operator follows. The numbers are part of the format.
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
};

/// What operators describe themselves to: their kind and shapes, then numbers in the order in which the reader
/// (serialize.cpp) takes them, then the operators that they are made of.
class OperatorWriter {
 public:
  explicit OperatorWriter(base::ByteWriter& out) : out_(out) {}

  void kind(OperatorKind kind) { out_.u8(static_cast<std::uint8_t>(kind)); }
  /// Kind and shapes.
  void head(OperatorKind kind, const LinearOperator& op);
  void index(Index value) { out_.i64(value); }
  void flag(bool value) { out_.u8(value ? 1 : 0); }
  void real(double value) { out_.f64(value); }
  void indices(std::span<const Index> values);
  void reals(std::span<const double> values);
  void repeated(const RepeatedReals& values);
  /// An operator inside this one. Throws InternalError beyond kMaxOperatorDepth.
  void nested(const LinearOperator& op);

 private:
  base::ByteWriter& out_;
  int depth_ = 0;
};

}  // namespace tacit::layout
