#include "session/owner/slots/plan.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "session/owner/plan_reading.h"
#include "session/owner/plan_text.h"
#include "session/owner/small_perceptron_for_test.h"

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

TEST(PlanJson, TimesFollowTheShownPricesAndNothingElseDoes) {
  const Compilation compilation = small_perceptron();
  params::CostTable slow = compilation.costs;
  slow.machine = "a slow machine";
  for (double params::CostTable::*price :
       {&params::CostTable::ntt_ns, &params::CostTable::mac_ns, &params::CostTable::key_ns,
        &params::CostTable::product_ns, &params::CostTable::embed_ns, &params::CostTable::touch_ns})
    slow.*price *= 3;
  nlohmann::ordered_json own = plan_json(compilation), shown = plan_json(compilation, slow);
  EXPECT_EQ(own, plan_json(compilation, compilation.costs));
  EXPECT_EQ(own.at("estimate").at("machine"), params::CostTable{}.machine);
  EXPECT_EQ(shown.at("estimate").at("machine"), slow.machine);
  EXPECT_NE(plan_text(shown).find("on one core of a slow machine"), std::string::npos);
  const auto take_seconds = [](nlohmann::ordered_json& plan) {
    std::vector<double> seconds;
    for (const char* field : {"seconds", "run_seconds", "key_seconds", "encode_seconds", "encode_anew_seconds"}) {
      seconds.push_back(plan.at("estimate").at(field));
      plan.at("estimate").erase(field);
    }
    for (auto& instruction : plan.at("instructions"))
      for (const char* field : {"seconds", "key_switch_seconds", "weight_seconds"}) {
        seconds.push_back(instruction.at(field));
        instruction.erase(field);
      }
    plan.at("estimate").erase("machine");
    return seconds;
  };
  const std::vector<double> quick = take_seconds(own), thrice = take_seconds(shown);
  ASSERT_EQ(quick.size(), thrice.size());
  for (std::size_t i = 0; i < quick.size(); ++i) EXPECT_NEAR(thrice[i], 3 * quick[i], 1e-9 * quick[0]);
  EXPECT_GT(quick[0], 0);
  EXPECT_EQ(own, shown);
}

TEST(Plan, WhatIsEncodedAnewIsAPartOfTheRun) {
  Compilation compilation = small_perceptron();
  const nlohmann::ordered_json whole = plan_json(compilation);
  EXPECT_EQ(whole.at("estimate").at("encode_anew_seconds"), 0);
  EXPECT_EQ(plan_text(whole).find("of it anew in every run"), std::string::npos);
  std::size_t with_weights = 0;
  while (!(whole.at("instructions").at(with_weights).at("weight_seconds").get<double>() > 0)) ++with_weights;
  const double seconds = whole.at("instructions").at(with_weights).at("weight_seconds");
  compilation.model.encoded_anew.instructions = {with_weights};
  const nlohmann::ordered_json tight = plan_json(compilation);
  const auto number = [](const nlohmann::ordered_json& plan, const char* field) {
    return plan.at("estimate").at(field).get<double>();
  };
  EXPECT_EQ(number(tight, "encode_anew_seconds"), seconds);
  EXPECT_DOUBLE_EQ(number(tight, "run_seconds"), number(whole, "run_seconds") + seconds);
  EXPECT_EQ(number(tight, "encode_seconds"), number(whole, "encode_seconds"));
  EXPECT_DOUBLE_EQ(tight.at("instructions").at(with_weights).at("seconds").get<double>(),
                   whole.at("instructions").at(with_weights).at("seconds").get<double>() + seconds);
  EXPECT_NE(plan_text(tight).find("of it anew in every run"), std::string::npos);
}

}  // namespace
}  // namespace tacit::session
