#include "runtime/slots/decryption_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/private_value.h"
#include "params/noise.h"

namespace tacit::runtime {
namespace {

[[noreturn]] void refuse(const program::ClientOutput& output, const std::string& what) {
  base::refuse("output '{}': {}", output.name, what);
}

bool bounded(const program::ClientOutput& output) { return output.lowest < output.highest; }
double bound_of(const program::ClientOutput& output) {
  return std::max(std::abs(output.lowest), std::abs(output.highest));
}

}  // namespace

double largest_value(const params::CkksParameters& parameters, int level, double scale) {
  return std::exp2(parameters.log2_q(level) - 2) / scale;
}

double check_decryption(const program::ClientOutput& output, const params::CkksParameters& parameters,
                        std::span<const std::vector<std::complex<double>>> slots) {
  constexpr double kRelative = 1.0 / 64, kFreshNoises = 1024, kModelledNoises = 16;
  constexpr const char* kGarbage =
      "the decrypted slots are not a result ({} is more than noise{}), so nothing is shown: either the key is not the "
      "one that the inputs were encrypted under or the ciphertexts were damaged, or this input drove values beyond "
      "what the model was compiled for, which --calibrate (or --input-range) with data that covers such inputs "
      "prevents";

  const auto refuse_garbage = [&](const char* what, double found, double most) {
    refuse(output, fmt::format(fmt::runtime(kGarbage), what,
                               base::private_part(fmt::format(": {:.3g}, above {:.3g}", found, most))));
  };
  double imaginary = 0, sum_imaginary = 0, sum_square = 0, largest = 0;
  std::size_t count = 0;
  for (const auto& ciphertext : slots)
    for (const std::complex<double>& z : ciphertext) {
      if (!std::isfinite(z.real()) || !std::isfinite(z.imag()))
        refuse(output, "a decrypted slot is not a finite number; the ciphertexts were damaged");
      imaginary = std::max(imaginary, std::abs(z.imag()));
      largest = std::max(largest, std::abs(z.real()));
      sum_imaginary += z.imag() * z.imag();
      sum_square += std::norm(z);
      ++count;
    }
  if (count == 0) refuse(output, "no ciphertext came back");
  const double magnitude = std::min(std::max(largest, 1.0), bounded(output) ? bound_of(output) : largest);
  const double tolerance =
      std::max({kRelative * magnitude, kFreshNoises * params::symmetric_encryption_noise(parameters, output.scale),
                kModelledNoises * output.noise});
  if (imaginary > tolerance) refuse_garbage("an imaginary part", imaginary, tolerance);

  // A message that wrapped has coefficients all over the modulus, so slots near modulus / scale.
  const double headroom = largest_value(parameters, output.level, output.scale);
  if (!bounded(output) && std::sqrt(sum_square / static_cast<double>(count)) > headroom)
    refuse(output, fmt::format("its values are so large{} that they may have overflowed the ciphertext modulus (safe "
                               "up to {:.3g}); compile with --calibrate data that covers this input",
                               base::private_part(fmt::format(" (about {:.3g})", largest)), headroom));

  const layout::Layout& layout = output.layout;
  double spread = 0;
  for (layout::Index element = 0; element < layout::element_count(layout.shape()); ++element) {
    const layout::Position first = layout.position_of(element);
    const double value = slots[first.ciphertext][first.slot].real();
    layout.for_each_position(element, [&](layout::Position copy) {
      spread = std::max(spread, std::abs(slots[copy.ciphertext][copy.slot].real() - value));
    });
  }
  if (spread > 2 * tolerance) refuse_garbage("the difference of two copies of an element", spread, 2 * tolerance);

  if (!layout.has_fill(layout::Fill::unknown)) {
    double padding = 0;
    for (std::size_t c = 0; c < slots.size(); ++c)
      for (std::size_t s = 0; s < slots[c].size(); ++s)
        if (!layout.element_at(static_cast<layout::Index>(c), static_cast<layout::Index>(s)).has_value())
          padding = std::max(padding, std::abs(slots[c][s].real()));
    if (padding > tolerance) refuse_garbage("a slot that holds no element", padding, tolerance);
  }
  return std::sqrt(sum_imaginary / static_cast<double>(count));
}

void check_bounds(const program::ClientOutput& output, std::span<const double> values, double noise) {
  if (!bounded(output)) return;
  const double slack = 8 * noise;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!(values[i] >= output.lowest - slack && values[i] <= output.highest + slack))
      refuse(output,
             fmt::format("element {} decrypts to {}, outside [{:.6g}, {:.6g}], all that calibration justifies: the "
                         "input lies outside what the model was calibrated for and the result would be wrong; check "
                         "the preprocessing, or compile with calibration data that covers such inputs",
                         i, base::private_value(values[i]), output.lowest, output.highest));
}

}  // namespace tacit::runtime
