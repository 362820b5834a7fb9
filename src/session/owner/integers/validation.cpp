#include "session/owner/integers/validation.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "session/owner/integers/parties.h"
#include "session/sentence.h"
#include "session/stopwatch.h"
#include "session/table.h"

namespace tacit::session {
namespace {

using Json = nlohmann::ordered_json;

/// The worse of both, by instruction.
void include(std::vector<check::IntegerResult>& all, const std::vector<check::IntegerResult>& more) {
  if (all.empty()) {
    all = more;
    return;
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    check::IntegerResult& result = all[i];
    if (result.failures == 0) {
      result.first = more[i].first;
      result.cause = more[i].cause;
    }
    result.failures += more[i].failures;
    result.moved += more[i].moved;
    result.elements += more[i].elements;
    result.noise_share = std::max(result.noise_share, more[i].noise_share);
  }
}

}  // namespace

bool IntegerValidation::failed() const {
  return std::ranges::any_of(operators, [](const check::IntegerResult& result) { return result.failures > 0; });
}

IntegerValidation validate_integers(const graph::quant::CompiledIntegers& model,
                                    std::span<const std::vector<graph::Tensor>> samples,
                                    const base::MemoryBudget& memory, base::Progress& progress) {
  const Stopwatch watch;
  const IntegerParties parties(model, memory, progress);
  const runtime::IntegerExecutor executor(
      std::make_shared<const runtime::PreparedIntegers>(parties.context, model.program), parties.evaluator);
  const scheme::tfhe::Decryptor decryptor(parties.context, parties.secret);
  IntegerValidation validation{{}, samples.size()};
  for (const std::vector<graph::Tensor>& sample : samples) {
    check::IntegerValidator validator(model.program, parties.context->parameters(), decryptor);
    executor.run(parties.encrypt(model, sample), &validator, progress);
    include(validation.operators, validator.results());
  }
  validation.seconds = watch.seconds();
  return validation;
}

Json integer_validation_json(const IntegerValidation& validation) {
  Json operators = Json::array();
  for (const check::IntegerResult& result : validation.operators)
    operators.push_back({{"value", result.value},
                         {"node", result.node},
                         {"operation", result.operation},
                         {"elements", result.elements},
                         {"failures", result.failures},
                         {"cause", check::name(result.cause)},
                         {"first", result.failures > 0 ? Json(result.first) : Json(nullptr)},
                         {"moved", result.moved},
                         {"noise_share", result.noise_share}});
  return {{"scheme", "tfhe"},
          {"inputs", validation.inputs},
          {"failed", validation.failed()},
          {"operators", std::move(operators)},
          {"seconds", validation.seconds}};
}

std::string integer_validation_text(const IntegerValidation& validation) {
  Table table({"operation", "node", "elements", "failures", "next box", "noise", "likely cause"});
  for (const check::IntegerResult& result : validation.operators) {
    const bool lookup = result.operation == "lookup", bootstraps = lookup || result.operation == "round";
    table.add({result.operation, one_line(result.node), fmt::to_string(result.elements),
               fmt::to_string(result.failures), lookup ? fmt::to_string(result.moved) : std::string(),
               bootstraps ? fmt::format("{:.0f} %", 100 * result.noise_share) : std::string(),
               result.failures > 0 ? fmt::format("{} of element {}", check::name(result.cause), result.first)
                                   : std::string()});
  }
  return fmt::format(
      "Sums against their operands, lookups against their tables, roundings against their operands, on {} in {:.1f} s; "
      "noise is the largest, as a share "
      "of what a lookup may leave\n{}{}\n",
      counted(validation.inputs, "input"), validation.seconds, table.text(),
      validation.failed() ? "Something failed." : "Nothing failed.");
}

}  // namespace tacit::session
