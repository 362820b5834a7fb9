#include "graph/slots/check_sharing.h"

#include <fmt/format.h>

#include <cmath>
#include <string>

#include "base/error.h"

namespace tacit::graph::passes {
namespace {

constexpr double kMeasuredToModelled = 1.25;

}  // namespace

double most_noise_to_share(const params::Sharing& sharing) { return params::most_noise(sharing) / kMeasuredToModelled; }

int most_bits_to_share(double noise, const params::Sharing& sharing) {
  return params::most_shared_bits(params::flooding_deviation(kMeasuredToModelled * noise, sharing));
}

namespace {

/// Returns what to do about too much noise, as the end of a sentence.
std::string remedy(double noise, const params::Sharing& sharing, bool has_labels) {
  constexpr double kFewResults = 16;
  std::string text = "share fewer bits";
  if (sharing.decryptions > kFewResults) {
    params::Sharing few = sharing;
    few.decryptions = kFewResults;
    text += fmt::format(", or promise fewer results of a key (--share-decryptions {:g} leaves {} bits)", kFewResults,
                        most_bits_to_share(noise, few));
  }
  return text + (has_labels ? ", or labels alone (decrypt --labels)" : "");
}

}  // namespace

void check_sharing(const program::ClientInterface& client, const params::Sharing& sharing, bool has_labels) {
  for (const program::ClientOutput& output : client.outputs) {
    const double noise = output.noise * std::abs(output.unit);
    if (noise <= most_noise_to_share(sharing)) continue;
    base::refuse(
        "output '{}' cannot be shared with {} bits behind the binary point: its noise is 2^{:.1f}, what hides it (for "
        "{:g} statistical bits and {:g} decryptions) is 2^{:.1f}, which leaves {} bits; no parameters for a network of "
        "this depth have less noise: {}",
        output.name, sharing.bits, std::log2(noise), sharing.statistical_bits, sharing.decryptions,
        std::log2(params::flooding_deviation(noise, sharing)), most_bits_to_share(noise, sharing),
        remedy(noise, sharing, has_labels));
  }
}

}  // namespace tacit::graph::passes
