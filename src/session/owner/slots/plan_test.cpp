#include "session/owner/slots/plan.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace tacit::session {
namespace {

TEST(ReadingPlan, RefusesWhatAHostileFileMayHold) {
  const auto shown = [](const nlohmann::ordered_json& plan) { plan_text(plan); };
  for (const char* text : {"", "{", "[]", "{}", "null", R"({"model": 3})"})
    EXPECT_THROW(reading_plan(text, shown), base::InputError) << text;
}

}  // namespace
}  // namespace tacit::session
