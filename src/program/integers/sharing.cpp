#include "program/integers/sharing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "program/integers/noise.h"

namespace tacit::integers {

std::optional<base::Infeasible> why_not_shared(const Program& program) {
  for (const Instruction& made : program.instructions) {
    if (const auto* lookup = std::get_if<Lookup>(&made.operation); lookup != nullptr && rounds(program, *lookup))
      return base::Infeasible{
          .what = fmt::format("node '{}': noise decides which of two neighbouring boxes a lookup reads", made.node),
          .bound = "the numbers of results show it",
          .way_out = "compile with --rounding exact",
          .lack = base::Infeasible::Lack::noise};
    const auto* output = std::get_if<Output>(&made.operation);
    if (output == nullptr || program.value(output->input).step == made.step) continue;
    return base::Infeasible{.what = fmt::format("output '{}': the {} lowest bits of its sums hold noise", output->name,
                                                made.step - program.value(output->input).step),
                            .bound = "numbers near the middle of two results show it",
                            .way_out = "compile with --rounding exact, or with fewer bits (--bits)",
                            .lack = base::Infeasible::Lack::noise};
  }
  return std::nullopt;
}

double log2_changed_result(const Program& program, const params::TfheParameters& parameters) {
  const double secret = log2_failure_of_run(program, parameters);
  return why_no_public_key(program, parameters) ? secret
                                                : std::max(secret, log2_failure_of_public_run(program, parameters));
}

double most_log2_changed(const params::Sharing& sharing) {
  return -(sharing.statistical_bits + std::log2(sharing.decryptions));
}

}  // namespace tacit::integers
