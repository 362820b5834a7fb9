#include "graph/slots/parts_plan.h"

#include <gtest/gtest.h>

namespace tacit::graph::passes {
namespace {

TEST(PartsPlan, PartsShareACiphertext) {
  const PartsPlan plan = plan_parts({1, 4, 100}, 1024);
  EXPECT_EQ(plan.operand.to_string(), "[1,4,100] across() within(copy:2 d1:4/1 d2:128/1) junk()");
  EXPECT_EQ(plan.result.to_string(), "[1,100] across() within(copy:8 d1:128/1) junk()");
  EXPECT_EQ(plan.groups, 1);
  EXPECT_EQ(plan.inside, 4);
  EXPECT_EQ(plan.distance, 128);
}

TEST(PartsPlan, FewSamplesAreInnermost) {
  const PartsPlan plan = plan_parts({16, 8, 100}, 4096);
  EXPECT_EQ(plan.operand.to_string(), "[16,8,100] across(d1:4/2) within(d1:2/1 d2:128/1 d0:16/1) junk()");
  EXPECT_EQ(plan.products.to_string(), "[16,2,100,1] across() within(d1:2/1 d2:128/1 d0:16/1) junk()");
  EXPECT_EQ(plan.result.to_string(), "[16,100] across() within(copy:2 d1:128/1 d0:16/1) junk()");
  EXPECT_EQ(plan.groups, 4);
  EXPECT_EQ(plan.distance, 2048);
}

TEST(PartsPlan, ManySamplesAreOutermost) {
  const PartsPlan plan = plan_parts({1000, 5, 100}, 4096);
  EXPECT_EQ(plan.operand.to_string(), "[1000,5,100] across(d1:5/1 d2:25/4) within(d0:1024/1 d2:4/1) junk()");
  EXPECT_EQ(plan.result.to_string(), "[1000,100] across(d1:25/4) within(d0:1024/1 d1:4/1) junk()");
  EXPECT_EQ(plan.ciphertexts(), 25);
  EXPECT_EQ(plan.groups, 5);
  EXPECT_EQ(plan.inside, 1);
  EXPECT_EQ(plan.summands.to_string(), "[1000,1,4,25] across(d3:25/1) within(d0:1024/1 d2:4/1) junk(0,1,2,3)");
  EXPECT_EQ(plan.sum.to_string(), "[1000,1] across() within(d0:1024/1 d1:4/1) junk(0,1)");
  EXPECT_EQ(plan.steps, (std::vector<std::int64_t>{2, 1}));
}

TEST(PartsPlan, FewElementsOfManySamplesHaveNoCopies) {
  const PartsPlan plan = plan_parts({100, 2, 5}, 4096);
  EXPECT_EQ(plan.operand.to_string(), "[100,2,5] across(d1:2/1) within(d0:128/1 d2:32/1) junk()");
  EXPECT_EQ(plan.steps, (std::vector<std::int64_t>{4, 2, 1}));
  EXPECT_EQ(plan.element_blocks, 1);
}

TEST(PartsPlan, MoreSamplesThanSlotsTakeSeveralCiphertexts) {
  const PartsPlan plan = plan_parts({100, 2, 3}, 64);
  EXPECT_EQ(plan.operand.to_string(), "[100,2,3] across(d1:2/1 d2:3/1 d0:2/64) within(d0:64/1) junk()");
  EXPECT_EQ(plan.sum.to_string(), "[100,1] across(d0:2/64) within(d0:64/1) junk(0,1)");
  EXPECT_TRUE(plan.steps.empty());
}

}  // namespace
}  // namespace tacit::graph::passes
