#include <gtest/gtest.h>

#include <string>

#include "base/refusal_for_test.h"
#include "layout/layout.h"

namespace tacit::layout {
namespace {

std::string layout_refused(const std::string& text) {
  return base::refusal([&] { Layout::parse(text); });
}

TEST(LayoutText, DimensionsThatMayHoldAnythingAreListed) {
  for (const char* text :
       {"[3,2] across() within(d0:4/1 d1:2/1) junk(1)", "[3,2] across() within(d0:4/1 d1:2/1) junk()",
        "[3,2] across(copy:2@x) within(d0:4/1 d1:2/1) junk(0,1)", "[] across() within(copy:2) junk()"})
    EXPECT_EQ(Layout::parse(text).to_string(), text);
  EXPECT_EQ(Layout::parse("[3,2] across() within(d0:4/1 d1:2/1) junk(1)").fill(),
            (std::vector<Fill>{Fill::zero, Fill::unknown}));
}

TEST(LayoutText, WhatIsNoneIsNamedWithItsPlace) {
  const auto named = [](const std::string& text, const std::string& why) {
    EXPECT_EQ(layout_refused(text), "layout '" + text + "': " + why);
  };
  EXPECT_EQ(layout_refused("[3] across() within(d1000:4/1) junk()"),
            "layout: digit 1000:4/1 does not fit a tensor of rank 1");
  named("[3] across() within(d1001:4/1) junk()", "no tensor has that dimension at character 26");
  named("[3] across() within(d0:4/1@) junk()", "expected a name at character 28");
  named("[3] across() within(d0:4/1) junk(1)", "no such dimension at character 36");
  named("[3] across() within(e0:4/1) junk()", "expected 'd' at character 21");
  named("[3] across() within(d0:4/1) junk() ", "expected the end at character 35");
}

}  // namespace
}  // namespace tacit::layout
