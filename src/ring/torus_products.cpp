#include "ring/torus_products.h"

#include <algorithm>

#include "base/error.h"
#include "ring/simd/dispatch.h"

namespace tacit::ring {
namespace {
constexpr std::size_t kRun = 1024;  // rows: of one tile, a quarter MiB
}

void subtract_digit_products(const DigitProducts& products) {
  TACIT_ASSERT(products.columns % kTorusColumns == 0);
  static const simd::FftKernels& kernels = simd::fft_kernels_of(base::active_isa());
  for (std::size_t row = 0; row < products.rows; row += kRun) {
    DigitProducts part = products;
    part.key += row * kTorusColumns;
    part.digits += row;
    part.rows = std::min(kRun, products.rows - row);
    kernels.subtract_digit_products(part);
  }
}

}  // namespace tacit::ring
