#include "session/owner/range_excess.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/private_value.h"

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

TEST(MissText, IsWholeForEverySource) {
  RangeExcess of{"relu1", "Relu", IntervalSource::calibration, -1.23456, 1234.56, 5, 0, 1};
  const std::string value = base::private_value(5, 4),
                    why = "so that an encrypted answer would be wrong and none is shown; ";
  EXPECT_EQ(miss_text(of), fmt::format("input 0 drives Relu 'relu1' to {}, outside its calibrated interval [-1.235, "
                                       "1235], {}calibrate with samples that cover such inputs",
                                       value, why));
  of.source = IntervalSource::input_range;
  EXPECT_EQ(miss_text(of), fmt::format("input 0 drives Relu 'relu1' to {}, outside what the given range of the inputs "
                                       "allows, [-1.235, 1235], {}widen --input-range, or give --calibrate",
                                       value, why));
  of.source = IntervalSource::parameters;
  EXPECT_EQ(miss_text(of), fmt::format("input 0 drives Relu 'relu1' to {}, beyond what the parameters carry there, "
                                       "[-1.235, 1235], {}calibrate with samples that cover such inputs "
                                       "(--calibrate), or give --input-range",
                                       value, why));
}

TEST(MissText, StatesTheValueInFourDigitsWhereItMayBeShown) {
  const bool before = base::private_values_shown();
  base::show_private_values(true);
  const std::string text = miss_text(excess("relu1", 5.123456, 12));
  base::show_private_values(before);
  EXPECT_THAT(text, HasSubstr("input 12 drives Relu 'relu1' to 5.123, outside"));
}

TEST(RangeExcesses, OfNothingAreNone) {
  const RangeExcesses excesses;
  EXPECT_TRUE(excesses.list().empty());
  const RangeExcess none;
  EXPECT_EQ(none.lowest, 0);
  EXPECT_EQ(none.highest, 0);
  EXPECT_EQ(none.worst, 0);
  EXPECT_EQ(none.input, 0);
  EXPECT_EQ(none.inputs, 0);
}

}  // namespace
}  // namespace tacit::session
