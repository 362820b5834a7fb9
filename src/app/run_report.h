#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "session/owner/agreement.h"
#include "session/owner/range_excess.h"

namespace tacit::app {

/// Seconds of one run, by stage. encrypt, evaluate and decrypt are means over the images.
struct StageSeconds {
  double compile = 0, keygen = 0, encode = 0, encrypt = 0, evaluate = 0, decrypt = 0;
};

/// The measurements of `tacit run`.
struct RunReport {
  nlohmann::ordered_json plan;  ///< from plan_json
  bool simulated = false;
  int threads = 0;
  StageSeconds seconds;
  double evaluate_worst = 0;                ///< the slowest run
  std::optional<double> evaluate_warm{};    ///< mean without the first run, which touches memory and keys first
  std::vector<double> instruction_seconds;  ///< means over the images; empty in a simulation
  std::vector<double> neighbour_shares;     ///< from session::Engine
  std::uint64_t key_bytes = 0, peak_memory_bytes = 0;
  nlohmann::ordered_json outputs = nlohmann::ordered_json::array();  ///< files of results, if any were requested
  std::vector<session::RangeExcess> excesses;  ///< values that left their intervals, layer by layer
  std::int64_t batch = 1;                      ///< inputs that a run takes
};

/// Returns the JSON object of `tacit run --json`.
nlohmann::ordered_json run_json(const RunReport& report, const session::Scoreboard& scores);
/// Returns that JSON object with the instructions and the time of each, for a report page.
nlohmann::ordered_json run_page_json(const RunReport& report, const session::Scoreboard& scores);
/// Returns the report as text for people.
std::string run_text(const RunReport& report, const session::Scoreboard& scores);

}  // namespace tacit::app
