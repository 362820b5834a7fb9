#include "app/run_report.h"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <string>

#include "app/warnings.h"
#include "base/byte_size.h"
#include "base/percent_text.h"
#include "base/private_value.h"
#include "session/owner/expected_errors.h"
#include "session/owner/plan_text.h"
#include "session/table.h"

namespace tacit::app {
namespace {

using Json = nlohmann::ordered_json;

/// Of an evaluation, that an operation takes at least to be told to people.
constexpr double kShownShare = 0.01;

Json or_null(const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); }

std::string seconds_text(double seconds) {
  if (seconds < 0.1) return fmt::format("{:.2f} ms", seconds * 1e3);
  return fmt::format("{:.3f} s", seconds);
}

/// Seconds an input.
struct OperationSeconds {
  double planned = 0, measured = 0;
};

/// By kind of operation; empty where nothing was measured.
std::map<std::string, OperationSeconds> operation_seconds(const RunReport& report) {
  std::map<std::string, OperationSeconds> operations;
  const Json& instructions = report.plan.at("instructions");
  for (std::size_t i = 0; i < report.instruction_seconds.size(); ++i) {
    const Json& instruction = instructions.at(i);
    OperationSeconds& seconds = operations[instruction.at("operation").get<std::string>()];
    seconds.planned += instruction.at("seconds").get<double>() / static_cast<double>(report.batch);
    seconds.measured += report.instruction_seconds[i];
  }
  return operations;
}

Json range_excess_json(const std::vector<session::RangeExcess>& excesses) {
  Json list = Json::array();
  for (const session::RangeExcess& excess : excesses) {
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
std::string range_excess_text(const std::vector<session::RangeExcess>& excesses) {
  session::Table table({"layer", "operator", "interval", "from", "worst value", "of input", "inputs"});
  for (const session::RangeExcess& excess : excesses)
    table.add({excess.node, excess.op, fmt::format("[{:.4g}, {:.4g}]", excess.lowest, excess.highest),
               std::string(name(excess.source)),
               base::private_values_shown() ? fmt::format("{:.4g}", excess.worst) : "(--verbose)",
               fmt::to_string(excess.input), fmt::to_string(excess.inputs)});
  return "Values outside what the network was compiled for\n" + table.text();
}

/// Layers whose lookups round their arguments: how many took the box beside the nearest, beside what was planned.
Json neighbours_json(const RunReport& report) {
  Json list = Json::array();
  for (std::size_t i = 0; i < report.neighbour_shares.size(); ++i) {
    const Json& instruction = report.plan.at("instructions").at(i);
    if (instruction.at("neighbour_rate").is_null()) continue;
    list.push_back({{"index", i},
                    {"node", instruction.at("node")},
                    {"lookups", instruction.at("ciphertexts")},
                    {"predicted", instruction.at("neighbour_rate")},
                    {"measured", report.neighbour_shares[i]}});
  }
  return list;
}

Json finite_or_null(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

/// Adds what was measured of every output to its entry in a list, which a plan may have begun.
void add_output_errors(Json& list, const std::vector<session::OutputError>& outputs) {
  for (std::size_t o = 0; o < outputs.size(); ++o) {
    const session::OutputError& output = outputs[o];
    if (o == list.size()) list.push_back(Json::object());
    Json& entry = list[o];
    entry["name"] = output.name;
    entry["kind"] = session::name(output.kind);
    entry["measure"] = session::name(output.measure);
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
std::string output_errors_text(const std::vector<session::OutputError>& outputs) {
  if (outputs.empty()) return "";
  session::Table table({"output", "largest error", "mean error", "measured as", "NaN", "different", "rows that agree"});
  for (const session::OutputError& output : outputs) {
    table.add({fmt::format("'{}'", output.name), base::percent_text(output.largest), base::percent_text(output.mean),
               std::string(name(output.measure)), fmt::to_string(output.nan), fmt::to_string(output.mismatches),
               fmt::to_string(output.agreeing)});
    if (output.measure != session::ErrorMeasure::range) continue;
    for (std::size_t t = 0; t < output.targets.size(); ++t)
      table.add({fmt::format("  element {}", t), base::percent_text(output.targets[t].largest),
                 base::percent_text(output.targets[t].mean), "", "", "", ""});
  }
  return "Errors of outputs\n" + table.text() + "\n";
}

}  // namespace

void add_scores(Json& json, const session::Scoreboard& scores, const std::vector<session::RangeExcess>& excesses) {
  json["images"] = scores.images();
  json["misses"] = scores.misses();
  json["missed_inputs"] = scores.missed();
  json["range_excess"] = range_excess_json(excesses);
  json["answer"] = session::answer_kind_name(scores.question().kind);
  json["agreement"] = scores.agreement();
  json["accuracy_measure"] = scores.question().kind == session::AnswerKind::regression ? "r2" : "share";
  json["accuracy_encrypted"] = or_null(scores.accuracy_encrypted());
  json["accuracy_plain"] = or_null(scores.accuracy_plain());
  json["max_abs_error"] = scores.max_abs_error();
  if (const std::vector<session::OutputError> outputs = scores.outputs(); !outputs.empty()) {
    if (!json.contains("outputs")) json["outputs"] = Json::array();
    add_output_errors(json["outputs"], outputs);
  }
}

std::string scores_text(const session::Scoreboard& scores, const std::vector<session::RangeExcess>& excesses,
                        bool simulated) {
  std::string text = excesses.empty() ? "" : range_excess_text(excesses) + "\n";
  text += output_errors_text(scores.outputs());
  const auto agreed = std::lround(scores.agreement() * static_cast<double>(scores.images()));
  text += fmt::format("{} answers that agree with plaintext: {} of {}\n", simulated ? "Simulated" : "Encrypted", agreed,
                      scores.images());
  if (scores.misses() > 0) text += fmt::format("Inputs without an answer: {}\n", scores.misses());
  if (const auto encrypted = scores.accuracy_encrypted())
    text += fmt::format("{}: {} {:.4f}, plaintext {:.4f}\n",
                        scores.question().kind == session::AnswerKind::regression ? "R2" : "Accuracy",
                        simulated ? "simulated" : "encrypted", *encrypted, scores.accuracy_plain().value_or(NAN));
  text += fmt::format("Largest difference of an output: {:.3g}\n", scores.max_abs_error());
  return text;
}

Json run_json(const RunReport& report, const session::Scoreboard& scores) {
  Json json = report.plan;
  // The instructions belong to `tacit plan`; here they would bury the result.
  json.erase("instructions");
  if (!report.neighbour_shares.empty()) json["neighbouring_boxes"] = neighbours_json(report);
  json["simulated"] = report.simulated;
  json["threads"] = report.threads;
  json["batch"] = report.batch;
  add_scores(json, scores, report.excesses);
  for (std::size_t o = 0; o < report.outputs.size(); ++o)
    for (const auto& [field, value] : report.outputs[o].items()) json["outputs"][o][field] = value;
  json["seconds"] = {{"compile", report.seconds.compile},      {"keygen", report.seconds.keygen},
                     {"encode", report.seconds.encode},        {"encrypt", report.seconds.encrypt},
                     {"evaluate", report.seconds.evaluate},    {"decrypt", report.seconds.decrypt},
                     {"evaluate_worst", report.evaluate_worst}};
  if (report.evaluate_warm) json["seconds"]["evaluate_warm"] = *report.evaluate_warm;
  for (const auto& [operation, seconds] : operation_seconds(report))
    json["operation_seconds"][operation] = {{"planned", seconds.planned}, {"measured", seconds.measured}};
  json["key_bytes"] = report.key_bytes;
  json["peak_memory_bytes"] = report.peak_memory_bytes;
  return json;
}

Json run_page_json(const RunReport& report, const session::Scoreboard& scores) {
  Json json = run_json(report, scores);
  json["instructions"] = report.plan.at("instructions");
  for (std::size_t i = 0; i < report.instruction_seconds.size(); ++i)
    json["instructions"][i]["seconds_measured"] = report.instruction_seconds[i];
  return json;
}

std::string run_text(const RunReport& report, const session::Scoreboard& scores) {
  std::string text = session::plan_text(without_warnings(report.plan)) + "\n";
  session::Table stages(report.simulated ? std::vector<std::string>{"Stage", "time"}
                                         : std::vector<std::string>{"Stage", "planned", "time"});
  const auto add_stage = [&](const std::string& stage, double seconds, const char* planned = "") {
    if (report.simulated) return stages.add({stage, seconds_text(seconds)});
    const Json& estimate = report.plan.at("estimate");
    const bool known = estimate.contains(planned);  // not all stages are planned, nor were they in earlier files
    stages.add({stage, known ? seconds_text(estimate.at(planned).get<double>()) : "", seconds_text(seconds)});
  };
  add_stage("compile", report.seconds.compile);
  if (!report.simulated) {
    add_stage("generate keys", report.seconds.keygen, "key_seconds");
    add_stage("encode weights", report.seconds.encode, "encode_seconds");
    add_stage("encrypt, per input", report.seconds.encrypt);
  }
  add_stage(fmt::format("{}, per input", report.simulated ? "simulate" : "evaluate"), report.seconds.evaluate,
            "seconds");
  if (report.evaluate_warm) add_stage("evaluate, behind the first run", *report.evaluate_warm);
  if (!report.simulated) add_stage("decrypt, per input", report.seconds.decrypt);
  text += stages.text();
  if (!report.instruction_seconds.empty()) {
    session::Table operations({"Operation, per input", "planned", "measured"});
    for (const auto& [operation, seconds] : operation_seconds(report))
      if (seconds.measured >= kShownShare * report.seconds.evaluate)
        operations.add({operation, seconds_text(seconds.planned), seconds_text(seconds.measured)});
    text += "\n";
    text += operations.text();
  }
  text += fmt::format("  threads {}, peak memory {}\n\n", report.threads,
                      base::byte_size_text(static_cast<double>(report.peak_memory_bytes)));

  return text + scores_text(scores, report.excesses, report.simulated);
}

}  // namespace tacit::app
