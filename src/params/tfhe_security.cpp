#include "params/tfhe_security.h"

#include <algorithm>
#include <cmath>

namespace tacit::params {
namespace {

// Of 64-bit words; the noise's ratio to the modulus is what counts, so that shorter words shift it.
constexpr double kSlope = -0.025167785, kOffset = 68.100671;
// Below this, attacks other than on the lattice would have to be considered.
constexpr int kLeastBits = 3;

}  // namespace

int least_noise_bits(std::size_t dimension, int word_bits) {
  const double bits = kSlope * static_cast<double>(dimension) + kOffset + (word_bits - 64);
  return std::max(kLeastBits, static_cast<int>(std::ceil(bits)));
}

std::size_t least_dimension(int noise_bits, int word_bits) {
  return static_cast<std::size_t>(std::ceil((kOffset + (word_bits - 64) - noise_bits) / -kSlope));
}

std::string_view tfhe_security_source() {
  return "128 bits by tfhe-rs's line for bounded uniform noise (minimal_variance_for_132_bits_security_tuniform, "
         "release 1.4): lattice estimator, MATZOV cost model, classical, binary secret";
}

}  // namespace tacit::params
