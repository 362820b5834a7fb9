#include "session/owner/range_excess.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tacit::session {
namespace {

using testing::HasSubstr;

RangeExcess excess(const std::string& node, double worst, std::int64_t input) {
  return {node, "Relu", IntervalSource::calibration, -1, 2, worst, input, 1};
}

TEST(RangeExcesses, KeepTheWorstOfEveryPlaceAndCountInputs) {
  RangeExcesses excesses;
  std::optional<RangeExcess> of_3, of_4, of_5;
  excesses.add(7, excess("late", 5, 3), 3, of_3);
  excesses.add(2, excess("early", 2.5, 3), 0.5, of_3);
  excesses.add(7, excess("late", 9, 4), 7, of_4);
  excesses.add(7, excess("late", 3, 5), 1, of_5);
  ASSERT_TRUE(of_3 && of_4 && of_5);
  EXPECT_EQ(of_3->node, "late") << "what was found first";
  EXPECT_EQ(of_4->worst, 9);
  EXPECT_EQ(of_5->worst, 3);
  const std::vector<RangeExcess> all = excesses.list();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].node, "early") << "in the order of the layers";
  EXPECT_EQ(all[0].inputs, 1);
  EXPECT_EQ(all[1].worst, 9);
  EXPECT_EQ(all[1].input, 4);
  EXPECT_EQ(all[1].inputs, 3);
}

TEST(RangeExcesses, AnExcessAtTheEndOfAnIntervalCounts) {
  RangeExcesses excesses;
  std::optional<RangeExcess> first, second;
  excesses.add(0, excess("a", 2, 1), 0, first);
  excesses.add(0, excess("a", 2, 2), 0, second);
  ASSERT_EQ(excesses.list().size(), 1u);
  EXPECT_EQ(excesses.list()[0].input, 1) << "the first of equals";
  EXPECT_EQ(excesses.list()[0].inputs, 2);
}

TEST(MissText, SaysWhatWouldWidenTheInterval) {
  RangeExcess of = excess("relu1", 5, 12);
  EXPECT_THAT(miss_text(of), HasSubstr("input 12 drives Relu 'relu1' to"));
  EXPECT_THAT(miss_text(of), HasSubstr("outside its calibrated interval [-1, 2], so that"));
  EXPECT_THAT(miss_text(of), HasSubstr("calibrate with samples that cover such inputs"));
  of.source = IntervalSource::input_range;
  EXPECT_THAT(miss_text(of), HasSubstr("widen --input-range, or give --calibrate"));
  of.source = IntervalSource::parameters;
  EXPECT_THAT(miss_text(of), HasSubstr("beyond what the parameters carry there, [-1, 2]"));
  EXPECT_EQ(name(IntervalSource::calibration), "calibration");
  EXPECT_EQ(name(IntervalSource::input_range), "input range");
  EXPECT_EQ(name(IntervalSource::parameters), "parameters");
}

}  // namespace
}  // namespace tacit::session
