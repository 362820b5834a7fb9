#include "graph/slots/check_precision.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "base/error.h"
#include "graph/calibration.h"

namespace tacit::graph::passes {
namespace {

constexpr double kDeviationsOfPrecision = 12;

/// Returns the number that the errors of an output are compared with. 0 if there is none.
double extent_of(const Range& range) { return range.width() > 0 ? range.width() : range.bound(); }

}  // namespace

double most_noise_for(int bits, const Range& range) {
  const double extent = extent_of(range);
  return extent > 0 ? std::ldexp(extent / kDeviationsOfPrecision, -bits) : std::numeric_limits<double>::infinity();
}

int bits_left_by(double noise, const Range& range) {
  constexpr double kMost = 1000;
  const double extent = extent_of(range);
  if (!(noise > 0) || !(extent > 0)) return static_cast<int>(kMost);
  return static_cast<int>(std::clamp(std::floor(std::log2(extent / (kDeviationsOfPrecision * noise))), -kMost, kMost));
}

void check_precision(const program::ClientInterface& client, std::span<const Range> ranges, int bits,
                     const std::string& parameters) {
  const program::ClientOutput* worst = nullptr;
  double noise = 0;
  int fewest = bits;
  for (const program::ClientOutput& output : client.outputs) {
    const double deviation = output.noise * std::abs(output.unit);
    const int left = bits_left_by(deviation, ranges[output.program_output]);
    if (left >= fewest) continue;
    worst = &output;
    noise = deviation;
    fewest = left;
  }
  if (worst == nullptr) return;
  const std::string way_out =
      fewest < kFewestPrecisionBits
          ? std::string("a shallower network has less noise")
          : fmt::format("ask for {}{}", fewest, parameters.empty() ? "" : ", or leave --parameters out");
  base::refuse(
      "output '{}' cannot have {} bits of precision (--precision): {:g} deviations of its noise are 2^{:.1f}, and its "
      "values have a range of {:.3g}; {}: {}",
      worst->name, bits, kDeviationsOfPrecision, std::log2(kDeviationsOfPrecision * noise),
      extent_of(ranges[worst->program_output]),
      parameters.empty() ? "no parameters for a network of this depth have less noise"
                         : fmt::format("parameter set {} has no less noise", parameters),
      way_out);
}

}  // namespace tacit::graph::passes
