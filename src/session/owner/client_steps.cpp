#include "session/owner/client_steps.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

#include "base/json_fields.h"
#include "graph/thermometer.h"

namespace tacit::session {

nlohmann::ordered_json client_steps(const graph::ClientParts& parts) {
  auto list = nlohmann::ordered_json::array();
  for (const graph::ClientNode& node : parts.nodes)
    list.push_back({{"node", node.name},
                    {"op", node.op},
                    {"when", node.before ? "before" : "after"},
                    {"learned_numbers", node.learned}});
  return list;
}

std::string client_text(const nlohmann::ordered_json& steps, std::string_view when) {
  std::vector<std::string> operators;
  std::int64_t learned = 0, borders = 0;
  for (const nlohmann::ordered_json& step : steps) {
    if (step.at("when") != when) continue;
    std::string op = step.at("op").get<std::string>();
    op.erase(0, op.rfind('.') + 1);
    if (operators.empty() || !operators.back().starts_with(op)) operators.push_back(op);
    learned += base::whole_number(step.at("learned_numbers"));
    if (step.at("op") == graph::kThermometerOp) borders += base::whole_number(step.at("learned_numbers"));
  }
  if (operators.empty()) return "";
  std::string text = fmt::format("{}", fmt::join(operators, ", "));
  if (learned > 0) text += fmt::format("; the client thereby learns {} numbers of the model", learned);
  if (borders > 0)
    text += fmt::format("{} the borders of a grid of its features, which hold thresholds of trees among others",
                        borders == learned ? ":" : fmt::format(", of which {} are", borders));
  return text;
}

}  // namespace tacit::session
