#include "session/owner/plan_reading.h"

#include "base/error.h"
#include "base/json_text.h"

namespace tacit::session {

void reading_plan(const std::string& text, const std::function<void(const nlohmann::ordered_json&)>& body) {
  const nlohmann::ordered_json plan = base::json_from<nlohmann::ordered_json>(text, "the plan in the client's half");
  const auto refuse = [](const char* why) {
    base::refuse("the plan in the client's half is malformed ({}); compile the model again", why);
  };
  try {
    body(plan);
  } catch (const nlohmann::json::exception& error) {
    refuse(error.what());
  } catch (const base::InputError& error) {
    refuse(error.what());
  }
}

}  // namespace tacit::session
