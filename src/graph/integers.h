#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "graph/graph.h"

namespace tacit::graph {

/// Integers are held as doubles, exactly up to this size.
inline constexpr double kLargestInteger = 0x1p53;

/// The value, with its sign, of an integer beyond kLargestInteger, whose digits are lost. Exporters write such integers
/// for "to the end", so that constants may hold them. Operators that move elements pass it on, and a Slice ends at it.
/// Every other use is refused.
inline constexpr double kLostInteger = 0x1p62;

/// Returns the double that holds an integer: the integer itself, or kLostInteger.
double held(std::int64_t value);
double held(std::uint64_t value);

/// The integers of a type, from the least to the largest. Both are at most 2^53 in size, the limit of exact doubles.
struct IntegerRange {
  double lowest, highest;
  bool contains(double value) const { return value >= lowest && value <= highest; }
};
IntegerRange range_of(IntegerType type);
/// Returns a name like "uint8".
std::string name_of(IntegerType type);
int bits_of_type(IntegerType type);

/// Return the number of a type in the ONNX format, and the type of a number. None if the number is not an integer type.
std::int64_t number_of(IntegerType type);
std::optional<IntegerType> integer_type(std::int64_t number);

/// Return the 64 bits of an integer that a double holds, and the integer of a type in the lowest bits, as `held`. Sums,
/// differences and products of 64 bits have the right lowest bits for every type.
inline std::uint64_t bits_of(double value) { return static_cast<std::uint64_t>(static_cast<std::int64_t>(value)); }
double wrapped(std::uint64_t bits, IntegerType type);

}  // namespace tacit::graph
