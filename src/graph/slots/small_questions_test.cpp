#include "graph/slots/small_questions.h"

#include <gtest/gtest.h>

#include "program/slots/clear_program.h"
#include "program/slots/trace.h"

namespace tacit::graph::passes {
namespace {

using layout::Layout;
using program::ValueId;

constexpr layout::Index kQuestionSlots = 64;

/// Two inputs in the given layouts, the outputs of the program.
slots::Program program_of(const char* x, const char* y) {
  slots::Program program{.name = "two", .slots = kQuestionSlots, .instructions = {}};
  const auto add = [&](slots::Operation operation, const char* layout) {
    program.instructions.push_back({std::move(operation), Layout::parse(layout), "node", "two.onnx", 1, 2, 4});
  };
  add(slots::Input{"x"}, x);
  add(slots::Input{"y"}, y);
  add(slots::Output{0, "x"}, x);
  add(slots::Output{1, "y"}, y);
  return program;
}

constexpr const char* kEight = "[1,5] across() within(copy:8 d1:8/1) junk()";

TEST(SmallQuestions, TheServerCopiesWhatTheLayoutRepeats) {
  slots::Program program = program_of(kEight, "[1,50] across() within(d1:64/1) junk()");
  const std::vector<ValueId> names = small_questions(program);
  slots::verify(program);
  EXPECT_EQ(names, (std::vector<ValueId>{2, 3, 4, 5}));
  EXPECT_EQ(slots::trace_after(program, 0), 2);
  EXPECT_EQ(slots::trace_after(program, 3), 0);
  EXPECT_EQ(program.value(0).layout, Layout::parse("[1,5] across() within(d0:4/1 copy:2 d1:8/1) junk()"));
  EXPECT_EQ(program.value(2).layout, Layout::parse(kEight));
  EXPECT_EQ(std::get<slots::Output>(program.value(4).operation).input, 2u);
}

TEST(SmallQuestions, TheClearReadingIsThatOfTheCopies) {
  const char* spread = "[1,6] across() within(copy:2 d1:8/1 copy:4) junk()";
  slots::Program program = program_of(kEight, spread);
  const std::vector<std::vector<double>> inputs{{1, 2, 3, 4, 5}, {6, 7, 8, 9, 10, 11}};
  small_questions(program);
  slots::verify(program);
  EXPECT_EQ(slots::trace_after(program, 3), 1);
  EXPECT_EQ(slots::ClearProgram(program).run(inputs), inputs);
}

TEST(SmallQuestions, NoMoreThanTwoRotations) {
  slots::Program program = program_of("[1,2] across() within(copy:32 d1:2/1) junk()", kEight);
  small_questions(program);
  EXPECT_EQ(slots::trace_after(program, 0), kMostTraceRotations);
  EXPECT_EQ(program.value(0).layout, Layout::parse("[1,2] across() within(d0:4/1 copy:8 d1:2/1) junk()"));
}

}  // namespace
}  // namespace tacit::graph::passes
