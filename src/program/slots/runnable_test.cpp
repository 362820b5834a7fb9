#include "program/slots/runnable.h"

#include <gtest/gtest.h>

#include "layout/operators/movement.h"
#include "program/slots/key_manifest.h"

// What a schedule in a file may say of its linear map. Whole files are tampered with in runtime/slots.
namespace tacit::slots {
namespace {

using layout::Index;
using layout::kReplica;
using layout::Layout;

LinearTerm term(const Layout& in, const Layout& out, params::LinearSchedule schedule) {
  const bool fits = layout::element_count(in.shape()) == layout::element_count(out.shape());
  return {
      0, {in, out, fits ? std::make_shared<layout::Identity>(in.shape(), out.shape()) : nullptr}, std::move(schedule)};
}

TEST(ScheduleProblem, ADiagonalIsReadOnce) {
  const Layout four = Layout::row_major({4}, 8);  // twice: diagonals count modulo 4
  const auto problem = [&](params::LinearSchedule schedule) {
    return schedule_problem(term(four, four, std::move(schedule)));
  };
  EXPECT_EQ(problem({{{0, 0, 0}}, {}}), "");
  EXPECT_EQ(problem({{{4, 1, 3}}, {}}), "");
  EXPECT_EQ(problem({{{0, 0, 0}, {1, 1, 0}}, {}}), "");  // empty ones cost nothing
  EXPECT_EQ(problem({{}, {}}), "its schedule reads 0 diagonals and its linear map has 1");
  EXPECT_EQ(problem({{{1, 1, 0}}, {}}), "its schedule reads 0 diagonals and its linear map has 1");
  EXPECT_EQ(problem({{{0, 0, 0}, {4, 4, 0}}, {}}), "its schedule reads 2 diagonals and its linear map has 1");
  EXPECT_EQ(problem({{{0, 0, 0}}, {4}}), "its schedule folds otherwise than its linear map");
}

TEST(ScheduleProblem, MapsThatNoMachineStreamsAreRefusedBeforeTheyAreRead) {
  const Layout few = Layout::row_major({4}, layout::kMaxSlots);
  const Index most = Index{1} << 24;
  const Layout large({most + 1}, {{0, most / layout::kMaxSlots + 1, layout::kMaxSlots, ""}},
                     {{0, layout::kMaxSlots, 1, ""}}, {});
  for (const auto& [in, out] : {std::pair(few, large), {large, few}})
    EXPECT_EQ(schedule_problem(term(in, out, {})), "its linear map has a tensor of 16777217 elements, above 16777216");
  const Layout copied({1024}, {{0, 512, 2, ""}}, {{0, 2, 1, ""}, {kReplica, 32768, 1, ""}}, {});
  EXPECT_EQ(schedule_problem(term(few, copied, {})),
            "its linear map makes 32768 copies of 1024 elements, above 16777216 slots");
  const auto ciphertexts = [](Index count) { return Layout({count}, {{0, count, 1, ""}}, {{kReplica, 1, 1, ""}}, {}); };
  EXPECT_EQ(schedule_problem(term(ciphertexts(4096), ciphertexts(1025), {})),
            "its linear map joins 4096 ciphertexts with 1025, above 4194304 pairs");
}

TEST(KeyManifest, AsksForEveryRotationAtTheHighestLevelOfItsUse) {
  const Layout eight = Layout::row_major({8}, 8);
  Program program{.name = "made", .slots = 8, .instructions = {}};
  const auto add = [&](Operation operation, int level) {
    program.instructions.push_back({std::move(operation), eight, "node", "", 1, level, 0x1p40});
  };
  add(Input{"x"}, 4);
  add(Rotate{0, -1}, 1);
  add(Rotate{0, 8}, 4);
  EXPECT_EQ(key_manifest(program).rotations, (decltype(params::KeyManifest::rotations){{7, 1}}));
  EXPECT_EQ(key_manifest(program).relinearise_level, params::KeyManifest{}.relinearise_level);
  add(RotateSum{0, {1, -3}}, 3);
  add(Rotate{0, 1}, 2);
  // Steps of a map are rotated by before its level is spent, and folds after.
  add(Linear{{term(eight, eight, {{{3, 1, 2}, {6, 6, 0}}, {4}})}, {}}, 1);
  EXPECT_EQ(key_manifest(program).rotations,
            (decltype(params::KeyManifest::rotations){{1, 3}, {2, 2}, {4, 1}, {5, 3}, {6, 2}, {7, 1}}));
  add(Multiply{0, 0}, 1);
  EXPECT_EQ(key_manifest(program).relinearise_level, 2);
  add(Polynomial{0, {0, 1, 0, 1}, params::PolynomialSchedule::choose(3)}, 2);
  EXPECT_EQ(key_manifest(program).relinearise_level, 4);
  add(Add{0, 0}, 4);
  add(MultiplyPlain{0, layout::RepeatedReals(1)}, 3);
  EXPECT_EQ(key_manifest(program).relinearise_level, 4);
}

// Each bound is taken up to its end: what is refused there is refused for the next one.
TEST(ScheduleProblem, WhatJustFitsOneBoundMeetsTheNext) {
  const Index most = Index{1} << 24;
  const Layout large({most}, {{0, most / layout::kMaxSlots, layout::kMaxSlots, ""}}, {{0, layout::kMaxSlots, 1, ""}},
                     {});
  const auto copied = [](Index copies) {
    return Layout({1024}, {{0, 512, 2, ""}}, {{0, 2, 1, ""}, {kReplica, copies, 1, ""}}, {});
  };
  EXPECT_EQ(schedule_problem(term(large, copied(32768), {})),
            "its linear map makes 32768 copies of 1024 elements, above 16777216 slots");
  const Layout many({8193}, {{0, 8193, 1, ""}}, {{kReplica, 1, 1, ""}}, {});
  EXPECT_EQ(schedule_problem(term(many, copied(16384), {})),
            "its linear map joins 8193 ciphertexts with 512, above 4194304 pairs");
}

}  // namespace
}  // namespace tacit::slots
