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

void round_all(const Format& format, Tensor& tensor) {
  for (double& value : tensor.data) value = rounded(value, format);
}

/// The processor's own conversion, for it is the format of most models. It is defined up to the largest number only.
void round_to_float32(Tensor& tensor) {
  for (double& value : tensor.data)
    value = std::abs(value) <= std::numeric_limits<float>::max() ? static_cast<double>(static_cast<float>(value))
                                                                 : rounded(value, kFloat32);
}

}  // namespace

void round_to(Rounding format, Tensor& tensor) {
  if (tensor.integral || !tensor.texts.empty()) return;
  switch (format) {
    case Rounding::float64: return;
    case Rounding::float32: return round_to_float32(tensor);
    case Rounding::float16: return round_all(kFloat16, tensor);
    case Rounding::bfloat16: return round_all(kBfloat16, tensor);
  }
}

}  // namespace tacit::graph::reference
