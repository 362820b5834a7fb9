#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "session/owner/agreement.h"
#include "session/owner/range_excess.h"

namespace tacit::app {

/// Seconds of one run, stage by stage; encrypt, evaluate and decrypt are means over the images.
struct StageSeconds {
  double compile = 0, keygen = 0, encode = 0, encrypt = 0, evaluate = 0, decrypt = 0;
};

/// Everything that `tacit run` measured.
struct RunReport {
  nlohmann::ordered_json plan;  ///< of plan_json
  bool simulated = false;
  int threads = 0;
  StageSeconds seconds;
  double evaluate_worst = 0;                ///< the slowest run
  std::optional<double> evaluate_warm{};    ///< of the inputs behind the first run, which touches memory and keys first
  std::vector<double> instruction_seconds;  ///< means over the images; empty in a simulation
  std::vector<double> neighbour_shares;     ///< of session::Engine
  std::uint64_t key_bytes = 0, peak_memory_bytes = 0;
  nlohmann::ordered_json outputs = nlohmann::ordered_json::array();  ///< files of results, if any were asked for
  std::vector<session::RangeExcess> excesses;                        ///< what left its interval, layer by layer
  std::int64_t batch = 1;                                            ///< inputs that a run takes
};

/// Adds what answers and misses say, and what left its interval, to the JSON object of a command.
void add_scores(nlohmann::ordered_json& json, const session::Scoreboard& scores,
                const std::vector<session::RangeExcess>& excesses);
/// The same for people.
std::string scores_text(const session::Scoreboard& scores, const std::vector<session::RangeExcess>& excesses,
                        bool simulated);

/// The JSON object of `tacit run --json`.
nlohmann::ordered_json run_json(const RunReport& report, const session::Scoreboard& scores);
/// The same with the instructions and what each took, for a report page.
nlohmann::ordered_json run_page_json(const RunReport& report, const session::Scoreboard& scores);
/// The same for people.
std::string run_text(const RunReport& report, const session::Scoreboard& scores);

}  // namespace tacit::app
