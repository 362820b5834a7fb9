#pragma once

#include "base/byte_stream.h"
#include "layout/linear_operator.h"

/// Converts layouts and linear operators to bytes and back. The readers take untrusted bytes: they throw InputError and
/// allocate no more than the bytes at hand justify.
namespace tacit::layout {

using base::ByteReader;
using base::ByteWriter;

/// Bounds for the readers: elements of a tensor and slots of an array of ciphertexts; operators inside an operator.
inline constexpr Index kMaxReadElements = Index{1} << 28;
inline constexpr int kMaxOperatorDepth = 16;

void write_shape(ByteWriter& writer, const Shape& shape);
Shape read_shape(ByteReader& reader);

void write_layout(ByteWriter& writer, const Layout& layout);
Layout read_layout(ByteReader& reader);

/// The reader throws InputError unless there is a number and all numbers are finite.
void write_repeated(ByteWriter& writer, const RepeatedReals& values);
RepeatedReals read_repeated(ByteReader& reader);

/// The operators of layout/operators/ are written as their descriptions, any other as sparse rows. Throws InternalError
/// beyond kMaxOperatorDepth.
void write_operator(ByteWriter& writer, const LinearOperator& op);
LinearOperatorPtr read_operator(ByteReader& reader);

}  // namespace tacit::layout
