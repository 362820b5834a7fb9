#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "graph/graph.h"

namespace tacit::graph {

/// Integers are held as doubles, exactly up to this size.
inline constexpr double kLargestInteger = 0x1p53;

/// Stands, with its sign, for an integer beyond that, whose digits are lost. Exporters write such integers for "to the
/// end", so that constants may hold it; operators that move elements pass it on, and a Slice ends at it. Every other
/// use is refused.
inline constexpr double kLostInteger = 0x1p62;

/// The double that holds an integer: itself, or kLostInteger.
double held(std::int64_t value);
double held(std::uint64_t value);

/// What a type holds, as far as doubles tell: from the least integer to the largest, both at most 2^53 in size.
struct IntegerRange {
  double lowest, highest;
  bool contains(double value) const { return value >= lowest && value <= highest; }
};
IntegerRange range_of(IntegerType type);
/// "uint8".
std::string name_of(IntegerType type);
int bits_of_type(IntegerType type);

/// The number of a type in the ONNX format, and back: nothing where the number stands for another kind of elements.
std::int64_t number_of(IntegerType type);
std::optional<IntegerType> integer_type(std::int64_t number);

/// The 64 bits of an integer that a double holds, and back: the integer that the lowest bits are in a type, as `held`.
/// Sums, differences and products of 64 bits are those of the type in its lowest bits.
inline std::uint64_t bits_of(double value) { return static_cast<std::uint64_t>(static_cast<std::int64_t>(value)); }
double wrapped(std::uint64_t bits, IntegerType type);

}  // namespace tacit::graph
