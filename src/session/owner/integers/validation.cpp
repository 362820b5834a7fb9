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

/// The operators that a result differs from, if it was carried out as the program says.
std::string expected_of(const check::IntegerResult& result) {
  return result.cause == check::IntegerCause::quantisation ? ": not " + one_line(result.operators) : std::string();
}

std::string cause_of(const check::IntegerResult& result) {
  if (result.failures == 0) return {};
  return fmt::format("{} of element {}{}", check::name(result.cause), result.first, expected_of(result));
}

/// Measures the time of a validator.
class TimedObserver final : public runtime::IntegerObserver {
 public:
  explicit TimedObserver(runtime::IntegerObserver& observer) : observer_(observer) {}
  void value(program::ValueId id, const scheme::tfhe::LweCiphertexts& ciphertexts) override {
    const Stopwatch watch;
    observer_.value(id, ciphertexts);
    seconds_ += watch.seconds();
  }
  double seconds() const { return seconds_; }

 private:
  runtime::IntegerObserver& observer_;
  double seconds_ = 0;
};

Json first_failure_json(const IntegerValidation& validation) {
  const check::IntegerResult* const first = validation.first_failure();
  if (first == nullptr) return nullptr;
  return one_line(fmt::format("validate failed at {}[{}]: {}{}", first->node, first->first, check::name(first->cause),
                              expected_of(*first)));
}

}  // namespace

const check::IntegerResult* IntegerValidation::first_failure() const {
  const auto found = std::ranges::find_if(operators, [](const auto& result) { return result.failures > 0; });
  return found == operators.end() ? nullptr : &*found;
}

bool IntegerValidation::failed() const { return first_failure() != nullptr; }

IntegerValidation validate_integers(const graph::quant::CompiledIntegers& model,
                                    std::span<const std::vector<graph::Tensor>> samples,
                                    const base::MemoryBudget& memory, base::Progress& progress) {
  const IntegerParties parties(model, memory, progress);
  const runtime::IntegerExecutor executor(
      std::make_shared<const runtime::PreparedIntegers>(parties.context, model.program), parties.evaluator);
  const scheme::tfhe::Decryptor decryptor(parties.context, parties.secret);
  IntegerValidation validation{.operators = {}, .inputs = samples.size()};
  const check::IntegerOperators operators(model.encrypted, model.program, model.meanings);
  check::IntegerValidator validator(model.program, parties.context->parameters(), decryptor, &operators);
  TimedObserver timed(validator);
  const Stopwatch watch;
  for (const std::vector<graph::Tensor>& sample : samples)
    executor.run(parties.encrypt(model, sample), &timed, progress);
  validation.operators = validator.results();
  validation.run_seconds = watch.seconds();
  validation.validate_seconds = timed.seconds();
  return validation;
}

Json integer_validation_json(const IntegerValidation& validation) {
  Json operators = Json::array();
  for (const check::IntegerResult& result : validation.operators)
    operators.push_back({{"node", result.node},
                         {"operators", result.operators},
                         {"value", result.value},
                         {"compared", result.elements},
                         {"failed", result.failures > 0},
                         {"failures", result.failures},
                         {"index", result.failures > 0 ? Json(result.first) : Json(nullptr)},
                         {"cause", check::name(result.cause)},
                         {"operation", result.operation},
                         {"moved", result.moved},
                         {"noise_share", result.noise_share},
                         {"boxes", result.operators.empty() ? Json(nullptr) : Json(result.boxes)}});
  return {{"scheme", "tfhe"},
          {"inputs", validation.inputs},
          {"validated", validation.operators.size()},
          {"failed", validation.failed()},
          {"first_failure", first_failure_json(validation)},
          {"operators", std::move(operators)},
          {"seconds", {{"run", validation.run_seconds}, {"validate", validation.validate_seconds}}}};
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
      counted(validation.inputs, "input"), validation.run_seconds, table.text(),
      validation.failed() ? "Something failed." : "Nothing failed.");
}

}  // namespace tacit::session
