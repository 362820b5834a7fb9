#include "graph/reference/rounding.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tacit::graph::reference {
namespace {

/// A binary format: digits of its significand, the exponent of its smallest normal number and of its largest.
struct Format {
  int digits, least, most;
};
constexpr Format kFloat32{24, -126, 127}, kFloat16{11, -14, 15}, kBfloat16{8, -126, 127};

/// Scaling by powers of two is exact, so that one rounding happens: nearbyint's, to the format's last place.
double rounded(double value, const Format& format) {
  if (value == 0 || !std::isfinite(value)) return value;
  const int last_place = std::max(std::ilogb(value), format.least) - (format.digits - 1);
  const double nearest = std::ldexp(std::nearbyint(std::ldexp(value, -last_place)), last_place);
  const bool fits = std::abs(nearest) < std::ldexp(1.0, format.most + 1);
  return fits ? nearest : std::copysign(std::numeric_limits<double>::infinity(), nearest);
}

/// The processor's own conversion, for it is the format of most models. It is defined up to the largest number only.
double to_float32(double value) {
  return std::abs(value) <= std::numeric_limits<float>::max() ? static_cast<double>(static_cast<float>(value))
                                                              : rounded(value, kFloat32);
}

}  // namespace

double round_to(FloatFormat format, double value) {
  switch (format) {
    case FloatFormat::float64: return value;
    case FloatFormat::float32: return to_float32(value);
    case FloatFormat::float16: return rounded(value, kFloat16);
    case FloatFormat::bfloat16: return rounded(value, kBfloat16);
  }
  return value;
}

void round_to(FloatFormat format, Tensor& tensor) {
  if (format == FloatFormat::float64 || tensor.integral || !tensor.texts.empty()) return;
  for (double& value : tensor.data) value = round_to(format, value);
}

std::optional<FloatFormat> real_type(std::int64_t number) {
  switch (number) {
    case 1: return FloatFormat::float32;
    case 10: return FloatFormat::float16;
    case 11: return FloatFormat::float64;
    case 16: return FloatFormat::bfloat16;
    default: return std::nullopt;
  }
}

}  // namespace tacit::graph::reference
