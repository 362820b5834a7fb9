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

std::string cause_of(const check::IntegerResult& result) {
  if (result.failures == 0) return {};
  std::string cause = fmt::format("{} of element {}", check::name(result.cause), result.first);
  if (result.cause == check::IntegerCause::quantisation) cause += ": not " + one_line(result.operators);
  return cause;
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
  const check::IntegerOperators operators(model.encrypted, model.program, model.meanings);
  check::IntegerValidator validator(model.program, parties.context->parameters(), decryptor, &operators);
  for (const std::vector<graph::Tensor>& sample : samples)
    executor.run(parties.encrypt(model, sample), &validator, progress);
  validation.operators = validator.results();
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
                         {"noise_share", result.noise_share},
                         {"operators", result.operators},
                         {"boxes", result.operators.empty() ? Json(nullptr) : Json(result.boxes)}});
  return {{"scheme", "tfhe"},
          {"inputs", validation.inputs},
          {"failed", validation.failed()},
          {"operators", std::move(operators)},
          {"seconds", validation.seconds}};
}

std::string integer_validation_text(const IntegerValidation& validation) {
  Table table({"operation", "node", "elements", "failures", "next box", "noise", "off by", "likely cause"});
  for (const check::IntegerResult& result : validation.operators) {
    const bool lookup = result.operation == "lookup", bootstraps = lookup || result.operation == "round";
    table.add({result.operation, one_line(result.node), fmt::to_string(result.elements),
               fmt::to_string(result.failures), lookup ? fmt::to_string(result.moved) : std::string(),
               bootstraps ? fmt::format("{:.0f} %", 100 * result.noise_share) : std::string(),
               result.operators.empty() ? std::string() : fmt::format("{:.2f}", result.boxes), cause_of(result)});
  }
  return fmt::format(
      "Sums against their operands, lookups against their tables, roundings against their operands, on {} in {:.1f} s; "
      "noise is the largest, as a share of what a lookup may leave; off by is the largest distance from the operators "
      "of the model on the decrypted operands, in boxes of the interval\n{}{}\n",
      counted(validation.inputs, "input"), validation.seconds, table.text(),
      validation.failed() ? "Something failed." : "Nothing failed.");
}

}  // namespace tacit::session
