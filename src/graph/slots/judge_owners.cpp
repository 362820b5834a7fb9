#include "graph/slots/judge_owners.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "base/error.h"
#include "graph/client_answers.h"
#include "graph/labels.h"
#include "params/owner_flood.h"

namespace tacit::graph::passes {
namespace {

constexpr double kMostToRange = 1.0 / 16;
/// The samples that are judged, and the floods that each of them meets.
constexpr std::size_t kJudged = 256, kFloods = 4;

double flood_of(const program::ClientOutput& output, const ForOwners& owners) {
  return params::owners_flood(output.noise * std::abs(output.unit), static_cast<int>(owners.parts.parts()),
                              owners.promise);
}

double range_of(const std::vector<Numbers>& exact, std::size_t output) {
  double lowest = std::numeric_limits<double>::infinity(), highest = -lowest;
  for (const Numbers& sample : exact)
    for (const double number : sample[output]) {
      lowest = std::min(lowest, number);
      highest = std::max(highest, number);
    }
  return highest - lowest;
}

[[noreturn]] void refuse(const program::ClientOutput& output, const ForOwners& owners, const std::string& effect) {
  base::refuse(
      "output '{}': {} of {} owners would decrypt it with a flood of deviation {:.3g} ({} parts of the key, {:g} "
      "statistical bits, {:g} decryptions), which {}: use a model with fewer layers or larger margins, or fewer owners",
      output.name, owners.parts.threshold(), owners.parts.owners(), flood_of(output, owners), owners.parts.parts(),
      owners.promise.statistical_bits, owners.promise.decryptions, effect);
}

/// Returns the share of labels of the samples that the floods change.
double changed_labels(const program::ClientInterface& client, const ClientParts& parts,
                      const std::vector<Numbers>& exact, const ForOwners& owners) {
  const ClientRun run(label_parts(parts));
  std::mt19937_64 engine(1);
  std::normal_distribution<double> normal;
  std::size_t labels = 0, changed = 0;
  for (std::size_t s = 0; s < std::min(exact.size(), kJudged); ++s) {
    const std::vector<std::vector<double>> right = numbers_of(answers_of(run, exact[s]));
    for (std::size_t flood = 0; flood < kFloods; ++flood) {
      Numbers numbers = exact[s];
      for (const program::ClientOutput& output : client.outputs)
        for (std::size_t e = 0; e < numbers[output.program_output].size(); ++e)
          numbers[output.program_output][e] +=
              flood_of(output, owners) * (output.shares.empty() ? 1 : output.shares[e]) * normal(engine);
      ++labels;
      if (numbers_of(answers_of(run, numbers)) != right) ++changed;
    }
  }
  return labels == 0 ? 0 : static_cast<double>(changed) / static_cast<double>(labels);
}

}  // namespace

void judge_owners(const program::ClientInterface& client, const ClientParts& parts, const std::vector<Numbers>& exact,
                  const ForOwners& owners) {
  for (const program::ClientOutput& output : client.outputs)
    if (output.layout.has_fill(layout::Fill::unknown))
      base::refuse(
          "output '{}': its ciphertexts hold other values beside the output, which several owners would decrypt with "
          "it: end the model with a layer of weights (Gemm, MatMul or Conv)",
          output.name);
  if (has_labels(parts)) {
    const double changed = changed_labels(client, parts, exact, owners);
    if (changed > kManyChanged)
      refuse(client.outputs.front(), owners,
             fmt::format("changes {:.0f} % of the labels of the samples", 100 * changed));
    return;
  }
  for (const program::ClientOutput& output : client.outputs) {
    const double range = range_of(exact, output.program_output);
    if (flood_of(output, owners) > kMostToRange * range)
      refuse(output, owners, fmt::format("hides numbers that range over {:.3g}", range));
  }
}

}  // namespace tacit::graph::passes
