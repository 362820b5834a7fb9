#include "app/commands/bench_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"

namespace tacit::app::commands {
namespace {

using Json = nlohmann::ordered_json;

TEST(BenchReport, AMachineIsItsClockInstructionsAndLoad) {
  Json json{{"clock_ghz", 2.5}, {"instruction_set", "some"}, {"load_average", 1.25}};
  EXPECT_EQ(machine_text(json), "clock 2.50 GHz, instruction set some, load average 1.25");
  json["clock_ghz_after"] = 3;
  EXPECT_EQ(machine_text(json),
            "clock 2.50 GHz measured before and 3.00 GHz after, instruction set some, load average 1.25");
  json["load_average_after"] = 4.5;
  EXPECT_EQ(machine_text(json),
            "clock 2.50 GHz measured before and 3.00 GHz after, instruction set some, load average 4.50");
}

TEST(BenchReport, ABoundIsAShareOfTheMedian) {
  const session::Measurement measured{.median = 0.5, .lower = 0.25, .upper = 2, .samples = 3};
  EXPECT_EQ(share_of_bound(0.125, measured), "25 %");
  EXPECT_EQ(share_of_bound(0.75, measured), "150 %");
  EXPECT_EQ(share_of_bound(0, measured), "");
}

TEST(BenchReport, ClocksAreInGigahertz) {
  Json json = machine_json();
  json["results"] = {1};
  add_machine_after(json, "");
  for (const char* clock : {"clock_ghz", "clock_ghz_after"}) {
    EXPECT_GT(json.at(clock), 0.1) << clock;
    EXPECT_LT(json.at(clock), 20.0) << clock;
  }
  EXPECT_GE(json.at("load_average_after"), 0.0);
}

TEST(BenchReport, AFilterThatLeavesNothingIsRefused) {
  Json json{{"results", Json::array()}};
  EXPECT_THAT([&] { add_machine_after(json, "nothing"); },
              testing::ThrowsMessage<base::InputError>("no benchmark's name contains 'nothing'; --list shows them"));
}

}  // namespace
}  // namespace tacit::app::commands
