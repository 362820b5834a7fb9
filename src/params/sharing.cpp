#include "params/sharing.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"

namespace tacit::params {

void check(const Sharing& sharing) {
  const auto require = [](const char* name, double value, double lowest, double highest) {
    if (!(value >= lowest && value <= highest))
      base::refuse("sharing: {} is {:.6g}, and {:.6g} to {:.6g} are accepted", name, value, lowest, highest);
  };
  require("the number of bits", sharing.bits, -1000, 1000);
  require("the number of statistical bits", sharing.statistical_bits, 20, 80);
  require("the number of decryptions", sharing.decryptions, 1, 0x1p40);
}

double flooding_deviation(double noise, const Sharing& sharing) {
  return std::exp2(sharing.statistical_bits / 2) * std::sqrt(12 * sharing.decryptions) * noise;
}

int most_shared_bits(double flooded) {
  constexpr double kMost = 1 << 16;
  return static_cast<int>(std::clamp(std::floor(-std::log2(kDeviationsAStep * flooded)), -kMost, kMost));
}

double rounded_to(double value, int bits) { return std::ldexp(std::nearbyint(std::ldexp(value, bits)), -bits); }

double most_noise(const Sharing& sharing) {
  return std::exp2(-sharing.bits) / kDeviationsAStep / flooding_deviation(1, sharing);
}

}  // namespace tacit::params
