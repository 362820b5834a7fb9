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

TEST(ReadingPlan, RefusesNestingThatRunsOutOfStack) {
  const std::string deep = std::string(100000, '[') + std::string(100000, ']');
  EXPECT_THROW(reading_plan("{\"zz\": " + deep + "}", [](const auto& plan) { plan.dump(); }), base::InputError);
}

}  // namespace
}  // namespace tacit::session
