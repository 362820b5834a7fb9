#include "session/owner/validation_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/byte_size.h"
#include "base/percent_text.h"
#include "session/sentence.h"
#include "session/table.h"

namespace tacit::session {

using check::DryValue;
using check::OperatorResult;
using check::Report;

namespace {

/// The cause, and the node that an error end to end was carried on from.
std::string cause_text(const OperatorResult& result) {
  const std::string cause = check::name(result.cause);
  return result.origin == result.node ? cause : fmt::format("{} of {}", cause, result.origin);
}

/// Where all failures are noise, nothing is broken: what can be asked for with these parameters.
std::string noise_advice(const Report& report) {
  double worst = 0;
  for (const OperatorResult& result : report.operators) {
    if (!result.failed) continue;
    if (result.cause != check::Cause::noise) return {};
    worst = std::max(worst, result.worst_error);
  }
  if (worst == 0) return {};
  return fmt::format(
      "  every failure is noise, as these parameters give it: --epsilon {:.1f} allows it, larger scales lower it\n",
      std::ceil(10 * std::log10(worst)) / 10);
}

std::string used_text(double share) {
  constexpr double kTold = 1e-3;
  return share > 0 && share < kTold ? "below 0.1 %" : base::percent_text(share, 3);
}

}  // namespace

nlohmann::ordered_json validation_json(const Report& report) {
  nlohmann::ordered_json operators = nlohmann::ordered_json::array();
  for (const OperatorResult& result : report.operators) {
    nlohmann::ordered_json entry{
        {"node", result.node},
        {"detail", program::name(result.detail)},
        {"operators", result.operators},
        {"source", result.source},
        {"value", result.value},
        {"compared", result.compared},
        {"tolerance", result.tolerance},
        {"worst_error", result.worst_error},
        {"worst_bits", check::bits(result.worst_error)},
        {"mean_error", result.mean_error},
        {"mean_bits", check::bits(result.mean_error)},
        {"level", result.level},
        {"log_scale", std::log2(result.scale)},
        {"range_share", result.range_share},
        {"failed", result.failed},
        {"failures", result.failures},
        {"index", result.failed ? nlohmann::ordered_json(result.index) : nlohmann::ordered_json()},
        {"cause", result.failed ? check::name(result.cause) : "none"}};
    if (result.failed)
      entry.update({{"encrypted", result.encrypted},
                    {"message", result.message},
                    {"origin", result.origin},
                    {"out_of_range", result.out_of_range}});
    operators.push_back(std::move(entry));
  }
  const OperatorResult* first = report.first_failure();
  return {{"scheme", "ckks"},
          {"inputs", report.inputs},
          {"validated", report.operators.size()},
          {"failed", first != nullptr},
          {"first_failure", first ? nlohmann::ordered_json(check::failure_text(*first)) : nlohmann::ordered_json()},
          {"operators", std::move(operators)},
          {"seconds", {{"run", report.run_seconds}, {"validate", report.validate_seconds}}},
          {"peak_buffer_bytes", report.peak_bytes}};
}

nlohmann::ordered_json validation_page(const std::string& network, const std::string& validate, bool end_to_end,
                                       nlohmann::ordered_json validation) {
  validation["end_to_end"] = end_to_end;
  return {{"title", network + ", validated"},
          {"subtitle", fmt::format("tacit validate --validate {}{}", validate, end_to_end ? " --end-to-end" : "")},
          {"validation", std::move(validation)}};
}

std::string validation_text(const Report& report) {
  Table table({"operator", "detail", "worst bits", "mean bits", "tolerance", "level", "scale", "range used", "result"});
  for (const OperatorResult& result : report.operators)
    table.add({result.node, program::name(result.detail), fmt::format("{:.1f}", check::bits(result.worst_error)),
               fmt::format("{:.1f}", check::bits(result.mean_error)), fmt::format("{:.1e}", result.tolerance),
               fmt::format("{}", result.level), fmt::format("2^{:.1f}", std::log2(result.scale)),
               used_text(result.range_share), result.failed ? cause_text(result) : "ok"});
  std::string text = table.text();
  for (const OperatorResult& result : report.operators)
    if (result.failed)
      text += fmt::format(
          "  {}\n", printable(fmt::format("{}; {} of {} elements; likely cause: {}; {}", check::failure_text(result),
                                          result.failures, result.compared, cause_text(result), result.operators)));
  text += noise_advice(report);
  text += fmt::format("  encrypted run {:.2f} s and validation {:.2f} s; decrypted numbers took {} at most\n",
                      report.run_seconds - report.validate_seconds, report.validate_seconds,
                      base::byte_size_text(static_cast<double>(report.peak_bytes)));
  return text;
}

nlohmann::ordered_json dry_run_json(const std::vector<DryValue>& values) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const DryValue& value : values) {
    nlohmann::ordered_json entry{
        {"node", value.node},   {"instruction", value.instruction},    {"source", value.source},
        {"level", value.level}, {"log_scale", std::log2(value.scale)}, {"ciphertexts", value.ciphertexts},
        {"bound", value.bound}, {"range_share", value.range_share}};
    if (!value.problem.empty()) entry["problem"] = value.problem;
    list.push_back(std::move(entry));
  }
  const bool failed = std::any_of(values.begin(), values.end(), [](const DryValue& v) { return !v.problem.empty(); });
  return {{"dry", true}, {"failed", failed}, {"values", std::move(list)}};
}

std::string dry_run_text(const std::vector<DryValue>& values) {
  Table table({"value", "instruction", "level", "scale", "ciphertexts", "bound", "range used", "result"});
  for (const DryValue& value : values)
    table.add({value.node, value.instruction, fmt::format("{}", value.level),
               fmt::format("2^{:.1f}", std::log2(value.scale)), fmt::format("{}", value.ciphertexts),
               value.bound > 0 ? fmt::format("{:.4g}", value.bound) : "unknown", used_text(value.range_share),
               value.problem.empty() ? "ok" : "wrong"});
  std::string text = table.text();
  for (const DryValue& value : values)
    if (!value.problem.empty())
      text +=
          fmt::format("  {}\n", printable(fmt::format("{} ({}): {}", value.node, value.instruction, value.problem)));
  return text;
}

}  // namespace tacit::session
