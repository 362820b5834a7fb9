#include "graph/integers.h"

#include <algorithm>
#include <cmath>

namespace tacit::graph {
namespace {

struct Format {
  const char* name;
  int bits;
  bool is_signed;
};

Format format_of(IntegerType type) {
  switch (type) {
    case IntegerType::int64: return {"int64", 64, true};
    case IntegerType::boolean: return {"bool", 1, false};
    case IntegerType::int4: return {"int4", 4, true};
    case IntegerType::int8: return {"int8", 8, true};
    case IntegerType::int16: return {"int16", 16, true};
    case IntegerType::int32: return {"int32", 32, true};
    case IntegerType::uint4: return {"uint4", 4, false};
    case IntegerType::uint8: return {"uint8", 8, false};
    case IntegerType::uint16: return {"uint16", 16, false};
    case IntegerType::uint32: return {"uint32", 32, false};
    case IntegerType::uint64: return {"uint64", 64, false};
  }
  return {"int64", 64, true};
}

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
  const Format format = format_of(type);
  const double highest = std::ldexp(1.0, format.bits - (format.is_signed ? 1 : 0)) - 1;
  return {format.is_signed ? std::max(-highest - 1, -kLargestInteger) : 0.0, std::min(highest, kLargestInteger)};
}

std::string name_of(IntegerType type) { return format_of(type).name; }

double wrapped(std::uint64_t bits, IntegerType type) {
  const Format format = format_of(type);
  if (format.bits == 64) return format.is_signed ? held(static_cast<std::int64_t>(bits)) : held(bits);
  const std::uint64_t low = bits & ((std::uint64_t{1} << format.bits) - 1);
  const bool negative = format.is_signed && (low >> (format.bits - 1)) != 0;
  return static_cast<double>(low) - (negative ? std::ldexp(1.0, format.bits) : 0.0);
}

}  // namespace tacit::graph
