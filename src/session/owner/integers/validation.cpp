#include "session/owner/integers/validation.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "base/json_fields.h"
#include "check/integers/integer_validator.h"
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

Json validate_integers(const graph::quant::CompiledIntegers& model, std::span<const std::vector<graph::Tensor>> samples,
                       const base::MemoryBudget& memory, base::Progress& progress) {
  const Stopwatch watch;
  const IntegerParties parties(model, memory, progress);
  const runtime::IntegerExecutor executor(
      std::make_shared<const runtime::PreparedIntegers>(parties.context, model.program), parties.evaluator);
  const scheme::tfhe::Decryptor decryptor(parties.context, parties.secret);
  std::vector<check::IntegerResult> all;
  for (const std::vector<graph::Tensor>& sample : samples) {
    check::IntegerValidator validator(model.program, parties.context->parameters(), decryptor);
    executor.run(parties.encrypt(model, sample), &validator, progress);
    include(all, validator.results());
  }
  Json operators = Json::array();
  bool failed = false;
  for (const check::IntegerResult& result : all) {
    failed = failed || result.failures > 0;
    operators.push_back({{"value", result.value},
                         {"node", result.node},
                         {"operation", result.operation},
                         {"elements", result.elements},
                         {"failures", result.failures},
                         {"cause", check::name(result.cause)},
                         {"first", result.failures > 0 ? Json(result.first) : Json(nullptr)},
                         {"moved", result.moved},
                         {"noise_share", result.noise_share}});
  }
  return {{"scheme", "tfhe"},
          {"inputs", samples.size()},
          {"failed", failed},
          {"operators", std::move(operators)},
          {"seconds", watch.seconds()}};
}

std::string integer_validation_text(const Json& validation) {
  Table table({"operation", "node", "elements", "failures", "next box", "noise", "likely cause"});
  for (const Json& o : validation.at("operators")) {
    const bool lookup = o.at("operation") == "lookup";
    const auto number = [&](const char* field) { return fmt::to_string(base::whole_number(o.at(field))); };
    const bool failed = base::whole_number(o.at("failures")) > 0;
    table.add(
        {o.at("operation").get<std::string>(), one_line(o.at("node").get<std::string>()), number("elements"),
         number("failures"), lookup ? number("moved") : std::string(),
         lookup ? fmt::format("{:.0f} %", 100 * o.at("noise_share").get<double>()) : std::string(),
         failed ? fmt::format("{} of element {}", o.at("cause").get<std::string>(), number("first")) : std::string()});
  }
  return fmt::format(
      "Sums against their operands, lookups against their tables, on {} in {:.1f} s; noise is the largest, as a share "
      "of what a lookup may leave\n{}{}\n",
      counted(validation.at("inputs").get<std::uint64_t>(), "input"), validation.at("seconds").get<double>(),
      table.text(), validation.at("failed").get<bool>() ? "Something failed." : "Nothing failed.");
}

}  // namespace tacit::session
