#include "app/run_report.h"

#include <fmt/format.h>

#include <map>
#include <string>

#include "app/warnings.h"
#include "base/byte_size.h"
#include "session/owner/expected_errors.h"
#include "session/owner/plan_text.h"
#include "session/owner/score_report.h"
#include "session/table.h"

namespace tacit::app {
namespace {

using Json = nlohmann::ordered_json;

/// Of an evaluation, that an operation takes at least to be told to people.
constexpr double kShownShare = 0.01;

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

}  // namespace

Json run_json(const RunReport& report, const session::Scoreboard& scores) {
  Json json = report.plan;
  // The instructions belong to `tacit plan`; here they would bury the result.
  json.erase("instructions");
  if (!report.neighbour_shares.empty()) json["neighbouring_boxes"] = neighbours_json(report);
  json["simulated"] = report.simulated;
  json["threads"] = report.threads;
  json["batch"] = report.batch;
  session::add_scores(json, scores, report.excesses);
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

  return text + session::scores_text(scores, report.excesses, report.simulated);
}

}  // namespace tacit::app
