#include "program/slots/trace.h"

#include <gtest/gtest.h>

#include "program/slots/padding.h"

namespace tacit::slots {
namespace {

using layout::Layout;

constexpr layout::Index kTracedSlots = 32;

/// An input of three elements, and rotations by these steps, each of the value before it.
Program traced_by(const std::vector<std::int64_t>& steps) {
  Program program{.name = "made", .slots = kTracedSlots, .instructions = {}};
  const Layout layout = Layout::parse("[3] across() within(d0:32/1) junk()");
  program.instructions.push_back({Input{"x"}, layout, "x", "made: x", 1, 1, 1});
  for (const std::int64_t step : steps) {
    const auto last = static_cast<ValueId>(program.instructions.size() - 1);
    program.instructions.push_back({RotateSum{last, {step}}, layout, "x", "made: x", 1, 1, 1});
  }
  return program;
}

TEST(Trace, RotationsFromThePeriodToHalfTheSlotsAreOne) {
  EXPECT_EQ(trace_after(traced_by({}), 0), 0);
  EXPECT_EQ(trace_after(traced_by({16}), 0), 1);
  EXPECT_EQ(trace_after(traced_by({4, 8, 16}), 0), 3);
  EXPECT_EQ(traced(traced_by({4, 8, 16}), 0), 3u);
  for (ValueId id = 0; id < 5; ++id) EXPECT_EQ(arrives(traced_by({4, 8, 16, 1}), id), id < 4) << id;
}

TEST(Trace, OthersAreNone) {
  EXPECT_EQ(trace_after(traced_by({4, 8}), 0), 0) << "half of the slots are missing";
  EXPECT_EQ(trace_after(traced_by({16, 8}), 0), 1) << "what follows half the slots is no part of it";
  EXPECT_EQ(trace_after(traced_by({4, 16}), 0), 0);
  EXPECT_EQ(trace_after(traced_by({3, 6, 12}), 0), 0);
  EXPECT_EQ(trace_after(traced_by({-16}), 0), 0);
  Program read = traced_by({4, 8, 16});
  read.instructions.push_back({Add{0, 3}, read.value(0).layout, "sum", "made: sum", 1, 1, 1});
  EXPECT_EQ(trace_after(read, 0), 0) << "something else reads the input";
  std::get<Add>(read.instructions.back().operation) = {3, 2};
  EXPECT_EQ(trace_after(read, 0), 0) << "something else reads a part of the trace";
}

TEST(Trace, ItLeavesZerosAroundElements) {
  for (const Padding padding : padding_of(traced_by({4, 8, 16}))) EXPECT_EQ(padding, Padding::zero);
  EXPECT_EQ(padding_of(traced_by({4, 8})).back(), Padding::as_declared);
}

}  // namespace
}  // namespace tacit::slots
