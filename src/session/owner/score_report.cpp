#include "session/owner/score_report.h"

#include <fmt/format.h>

#include <cmath>
#include <optional>

#include "base/percent_text.h"
#include "base/private_value.h"
#include "session/owner/output_errors.h"
#include "session/table.h"

namespace tacit::session {
namespace {

using Json = nlohmann::ordered_json;

Json or_null(const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); }

Json range_excess_json(const std::vector<RangeExcess>& excesses) {
  Json list = Json::array();
  for (const RangeExcess& excess : excesses) {
    list.push_back({{"node", excess.node},
                    {"op", excess.op},
                    {"interval", {excess.lowest, excess.highest}},
                    {"interval_from", name(excess.source)},
                    {"input", excess.input},
                    {"inputs", excess.inputs}});
    if (base::private_values_shown()) list.back()["worst"] = excess.worst;
  }
  return list;
}

/// One line a layer.
std::string range_excess_text(const std::vector<RangeExcess>& excesses) {
  Table table({"layer", "operator", "interval", "from", "worst value", "of input", "inputs"});
  for (const RangeExcess& excess : excesses)
    table.add({excess.node, excess.op, fmt::format("[{:.4g}, {:.4g}]", excess.lowest, excess.highest),
               std::string(name(excess.source)),
               base::private_values_shown() ? fmt::format("{:.4g}", excess.worst) : "(--verbose)",
               fmt::to_string(excess.input), fmt::to_string(excess.inputs)});
  return "Values outside what the network was compiled for\n" + table.text();
}

Json finite_or_null(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

/// Adds what was measured of every output to its entry in a list, which a plan may have begun.
void add_output_errors(Json& list, const std::vector<OutputError>& outputs) {
  for (std::size_t o = 0; o < outputs.size(); ++o) {
    const OutputError& output = outputs[o];
    if (o == list.size()) list.push_back(Json::object());
    Json& entry = list[o];
    entry["name"] = output.name;
    entry["kind"] = name(output.kind);
    entry["measure"] = name(output.measure);
    entry["largest_error"] = finite_or_null(output.largest);
    entry["mean_error"] = finite_or_null(output.mean);
    entry["nan"] = output.nan;
    entry["mismatches"] = output.mismatches;
    entry["agreeing"] = output.agreeing;
    for (std::size_t t = 0; t < output.targets.size(); ++t) {
      Json& targets = entry["targets"];
      if (t == targets.size()) targets.push_back(Json::object());
      targets[t]["largest_error"] = finite_or_null(output.targets[t].largest);
      targets[t]["mean_error"] = finite_or_null(output.targets[t].mean);
    }
  }
}

/// One line for each output, and one for each target of those whose elements have ranges of their own.
std::string output_errors_text(const std::vector<OutputError>& outputs) {
  if (outputs.empty()) return "";
  Table table({"output", "largest error", "mean error", "measured as", "NaN", "different", "rows that agree"});
  for (const OutputError& output : outputs) {
    table.add({fmt::format("'{}'", output.name), base::percent_text(output.largest), base::percent_text(output.mean),
               std::string(name(output.measure)), fmt::to_string(output.nan), fmt::to_string(output.mismatches),
               fmt::to_string(output.agreeing)});
    if (output.measure != ErrorMeasure::range) continue;
    for (std::size_t t = 0; t < output.targets.size(); ++t)
      table.add({fmt::format("  element {}", t), base::percent_text(output.targets[t].largest),
                 base::percent_text(output.targets[t].mean), "", "", "", ""});
  }
  return "Errors of outputs\n" + table.text() + "\n";
}

}  // namespace

void add_scores(Json& json, const Scoreboard& scores, const std::vector<RangeExcess>& excesses) {
  json["images"] = scores.images();
  json["misses"] = scores.misses();
  json["missed_inputs"] = scores.missed();
  json["range_excess"] = range_excess_json(excesses);
  json["answer"] = answer_kind_name(scores.question().kind);
  json["agreement"] = scores.agreement();
  json["accuracy_measure"] = scores.question().kind == AnswerKind::regression ? "r2" : "share";
  json["accuracy_encrypted"] = or_null(scores.accuracy_encrypted());
  json["accuracy_plain"] = or_null(scores.accuracy_plain());
  json["max_abs_error"] = scores.max_abs_error();
  if (const std::vector<OutputError> outputs = scores.outputs(); !outputs.empty()) {
    if (!json.contains("outputs")) json["outputs"] = Json::array();
    add_output_errors(json["outputs"], outputs);
  }
}

std::string scores_text(const Scoreboard& scores, const std::vector<RangeExcess>& excesses, bool simulated) {
  std::string text = excesses.empty() ? "" : range_excess_text(excesses) + "\n";
  text += output_errors_text(scores.outputs());
  const auto agreed = std::lround(scores.agreement() * static_cast<double>(scores.images()));
  text += fmt::format("{} answers that agree with plaintext: {} of {}\n", simulated ? "Simulated" : "Encrypted", agreed,
                      scores.images());
  if (scores.misses() > 0) text += fmt::format("Inputs without an answer: {}\n", scores.misses());
  if (const auto encrypted = scores.accuracy_encrypted())
    text += fmt::format("{}: {} {:.4f}, plaintext {:.4f}\n",
                        scores.question().kind == AnswerKind::regression ? "R2" : "Accuracy",
                        simulated ? "simulated" : "encrypted", *encrypted, scores.accuracy_plain().value_or(NAN));
  text += fmt::format("Largest difference of an output: {:.3g}\n", scores.max_abs_error());
  return text;
}

}  // namespace tacit::session
