#include "program/slots/clear_program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "base/error.h"
#include "base/refusal_for_test.h"

// Runs in the clear: what comes in and goes out, who looks on, and noise. What they compute is in program_test.cpp.
namespace tacit::slots {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// 2 x + y, where x arrives in units of 10, 10 and 100; then twice that, and both go out, the second one first.
Program two_outputs() {
  const layout::Layout three = layout::Layout::row_major({3}, 8);
  Program made{.name = "made", .slots = 8, .instructions = {}};
  const auto add = [&](Operation operation, int level) {
    made.instructions.push_back({std::move(operation), three, "node", "made.onnx: node", 1, level, 1});
  };
  add(Input{"x", {10, 10, 100}}, 5);
  add(Input{"y"}, 4);
  add(MultiplyPlain{0, layout::RepeatedReals(2)}, 4);
  add(Add{2, 1}, 4);
  Validate check{3, Detail::vector, 3, -3};
  check.arguments = {2, 1};
  add(check, 4);
  add(MultiplyPlain{3, layout::RepeatedReals(2)}, 3);
  add(Output{5, "twice"}, 3);
  add(Output{3, "once"}, 3);
  return made;
}

TEST(ClearProgram, TensorsArriveInUnitsAndLeaveInTheOrderOfTheOutputs) {
  const Program program = two_outputs();
  const ClearProgram reading(program);
  std::vector<ValueId> seen;
  std::vector<std::size_t> read;
  const auto outputs = reading.run({{1, 2, 3}, {5, 6, 7}}, [&](ValueId id, const SlotArray& value, auto operands) {
    seen.push_back(id);
    read.push_back(operands.size());
    EXPECT_EQ(value.size(), 1U) << id;
  });
  EXPECT_THAT(outputs, ElementsAre(ElementsAre(50, 92, 1214), ElementsAre(25, 46, 607)));
  EXPECT_THAT(seen, ElementsAre(0, 1, 2, 3, 5, 6, 7)) << "a validation makes no value";
  EXPECT_THAT(read, ElementsAre(0, 0, 1, 2, 1, 1, 1));
  const ArrayPtr x = clear_input(program.value(0), {1, 2, 3});
  EXPECT_EQ(x->level(), 5);
  EXPECT_THAT(slots_of(x), ElementsAre(ElementsAre(10, 20, 300, 0)));
}

TEST(ClearProgram, RefusesWhatDoesNotBelongToIt) {
  const Program program = two_outputs();
  const ClearProgram reading(program);
  EXPECT_EQ(base::refusal([&] { reading.run({{1, 2, 3}}); }), "no tensor was given for input 'y'");
  EXPECT_EQ(base::refusal([&] { reading.run({}); }), "no tensor was given for input 'x'");
  for (const std::size_t size : {7, 9}) {
    const NoiseModel other(size, 0.0);
    base::expect_refusal<base::InternalError>(
        [&] {
          reading.run({{1, 2, 3}, {5, 6, 7}}, {}, ClearProgram::Noise{other});
        },
        "a noise model of another program");
  }
  base::expect_refusal<base::InternalError>(
      [&] {
        reading.run({{1, 2}, {5, 6, 7}});
      },
      "an input has another number of units than elements");
  base::expect_refusal<base::InternalError>(
      [&] {
        reading.run({{1, 2, 3}, {5, 6}});
      },
      "a tensor of another size than its layout");
}

TEST(ClearProgram, NoiseIsDrawnBySeedWhereTheModelHasSome) {
  const Program program = two_outputs();
  const ClearProgram reading(program);
  const std::vector<std::vector<double>> tensors{{1, 2, 3}, {5, 6, 7}};
  NoiseModel model(program.instructions.size(), 0.0);
  EXPECT_EQ(reading.run(tensors, {}, ClearProgram::Noise{model, 3}), reading.run(tensors));
  model[5] = 1;
  const auto first = reading.run(tensors, {}, ClearProgram::Noise{model, 3});
  EXPECT_EQ(first, reading.run(tensors, {}, ClearProgram::Noise{model, 3}));
  EXPECT_NE(first, reading.run(tensors, {}, ClearProgram::Noise{model, 4}));
  EXPECT_EQ(reading.run(tensors, {}, ClearProgram::Noise{model}),
            reading.run(tensors, {}, ClearProgram::Noise{model, 0}));
  EXPECT_THAT(first.at(1), ElementsAre(25, 46, 607)) << "read before it";
  for (std::size_t e = 0; e < 3; ++e) EXPECT_NE(first[0][e], 2 * first[1][e]) << e;
}

TEST(ClearProgram, NoiseIsAroundTheValueWithTheDeviationOfTheModel) {
  const Program program = two_outputs();
  const ClearProgram reading(program);
  NoiseModel model(program.instructions.size(), 0.0);
  model[5] = 2;
  double sum = 0, squares = 0, count = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    const auto outputs = reading.run({{1, 2, 3}, {5, 6, 7}}, {}, ClearProgram::Noise{model, seed});
    for (std::size_t e = 0; e < 3; ++e) {
      const double error = outputs.at(0).at(e) - 2 * outputs.at(1).at(e);
      sum += error;
      squares += error * error;
      count += 1;
    }
  }
  EXPECT_NEAR(sum / count, 0, 5 * 2 / std::sqrt(count));
  EXPECT_NEAR(squares / count / 4, 1, 5 * std::sqrt(2 / count));
}

}  // namespace
}  // namespace tacit::slots
