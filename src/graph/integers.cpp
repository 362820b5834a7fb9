#include "graph/integers.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace tacit::graph {
namespace {

struct Format {
  const char* name;
  int number;  ///< in the ONNX format
  int bits;
  bool is_signed;
};

/// In the order of IntegerType.
constexpr Format kFormats[] = {
    {"int64", 7, 64, true},   {"bool", 9, 1, false},     {"int4", 22, 4, true},     {"int8", 3, 8, true},
    {"int16", 5, 16, true},   {"int32", 6, 32, true},    {"uint4", 21, 4, false},   {"uint8", 2, 8, false},
    {"uint16", 4, 16, false}, {"uint32", 12, 32, false}, {"uint64", 13, 64, false},
};

const Format& format_of(IntegerType type) { return kFormats[static_cast<std::size_t>(type)]; }

constexpr std::int64_t kLargest = std::int64_t{1} << 53;

}  // namespace

double held(std::int64_t value) {
  if (value > kLargest) return kLostInteger;
  return value < -kLargest ? -kLostInteger : static_cast<double>(value);
}

double held(std::uint64_t value) {
  return value > static_cast<std::uint64_t>(kLargest) ? kLostInteger : static_cast<double>(value);
}

IntegerRange range_of(IntegerType type) {
  const Format& format = format_of(type);
  const double highest = std::ldexp(1.0, format.bits - (format.is_signed ? 1 : 0)) - 1;
  return {format.is_signed ? std::max(-highest - 1, -kLargestInteger) : 0.0, std::min(highest, kLargestInteger)};
}

std::string name_of(IntegerType type) { return format_of(type).name; }
int bits_of_type(IntegerType type) { return format_of(type).bits; }

std::int64_t number_of(IntegerType type) { return format_of(type).number; }

std::optional<IntegerType> integer_type(std::int64_t number) {
  const auto found = std::ranges::find(kFormats, number, &Format::number);
  if (found == std::end(kFormats)) return std::nullopt;
  return static_cast<IntegerType>(found - std::begin(kFormats));
}

double wrapped(std::uint64_t bits, IntegerType type) {
  const Format& format = format_of(type);
  if (format.bits == 64) return format.is_signed ? held(static_cast<std::int64_t>(bits)) : held(bits);
  const std::uint64_t low = bits & ((std::uint64_t{1} << format.bits) - 1);
  const bool negative = format.is_signed && (low >> (format.bits - 1)) != 0;
  return static_cast<double>(low) - (negative ? std::ldexp(1.0, format.bits) : 0.0);
}

}  // namespace tacit::graph
