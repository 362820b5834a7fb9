#include "program/slots/execute.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/refusal_for_test.h"
#include "program/slots/clear.h"

// How programs are carried out, in the clear: which values live how long, and where a run goes on.
namespace tacit::slots {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// (x + y) * 3 and x + y + x; y is read last by %2, x by %4.
Program two_sums() {
  const layout::Layout four = layout::Layout::row_major({4}, 4);
  Program made{.name = "sums", .slots = 4, .instructions = {}};
  const auto add = [&](Operation operation) {
    made.instructions.push_back({std::move(operation), four, "node", "sums.onnx: node", 1, 1, 1});
  };
  add(Input{"x"});
  add(Input{"y"});
  add(Add{0, 1});
  add(MultiplyPlain{2, layout::RepeatedReals(3)});
  add(Add{2, 0});
  add(Output{3, "product"});
  add(Output{4, "sum"});
  return made;
}

ArrayPtr numbers(double first) { return clear_array({{first, 0, 0, 1}}); }

std::vector<ValueId> names(const std::vector<std::pair<ValueId, ArrayPtr>>& values) {
  std::vector<ValueId> ids;
  for (const auto& [id, array] : values) {
    EXPECT_NE(array, nullptr) << id;
    ids.push_back(id);
  }
  return ids;
}

TEST(Execution, KeepsWhatTheRestReadsAndOutputs) {
  const Program program = two_sums();
  ClearEvaluator clear(4);
  KeptWeights weights(program, clear);
  const std::unique_ptr<program::Reading> reading = reading_of(program, clear, weights);
  program::Execution run(*reading, {numbers(2), numbers(5)});
  const std::vector<std::vector<ValueId>> alive{{}, {0}, {0, 1}, {0, 2}, {0, 2, 3}, {3, 4}, {4, 5}, {5, 6}};
  for (ValueId next = 0; next < alive.size(); ++next) {
    EXPECT_EQ(run.next(), next);
    EXPECT_EQ(names(run.alive()), alive[next]) << next;
    EXPECT_EQ(run.done(), next + 1 == alive.size()) << next;
    if (!run.done()) run.step();
  }
  const std::vector<ArrayPtr> outputs = run.take_outputs();
  ASSERT_EQ(outputs.size(), 2U);
  EXPECT_THAT(slots_of(outputs[0]), ElementsAre(ElementsAre(21, 0, 0, 6)));
  EXPECT_THAT(slots_of(outputs[1]), ElementsAre(ElementsAre(9, 0, 0, 3)));
}

TEST(Execution, LetsValuesGoAfterTheirLastUse) {
  const Program program = two_sums();
  ClearEvaluator clear(4);
  KeptWeights weights(program, clear);
  const std::unique_ptr<program::Reading> reading = reading_of(program, clear, weights);
  std::vector<std::weak_ptr<const Array>> made;
  std::vector<std::size_t> operands_of;
  const Watch watch = [&](ValueId id, ArrayPtr& value, std::span<const ArrayPtr> operands) {
    EXPECT_EQ(made.size(), id);
    for (const ArrayPtr& operand : operands) EXPECT_NE(operand, nullptr) << id;
    made.push_back(value);
    operands_of.push_back(operands.size());
  };
  program::Execution run(*reading, {numbers(2), numbers(5)});
  const std::vector<std::vector<ValueId>> gone{{}, {}, {1}, {1}, {0, 1, 2}, {0, 1, 2, 3}, {0, 1, 2, 3, 4}};
  for (const std::vector<ValueId>& expected : gone) {
    run.step(watch);
    std::vector<ValueId> found;
    for (ValueId id = 0; id < made.size(); ++id)
      if (made[id].expired()) found.push_back(id);
    EXPECT_EQ(found, expected);
  }
  EXPECT_THAT(operands_of, ElementsAre(0, 0, 2, 1, 2, 1, 1));
}

TEST(Execution, GoesOnWhereAnotherOneStopped) {
  const Program program = two_sums();
  ClearEvaluator clear(4);
  KeptWeights weights(program, clear);
  const std::unique_ptr<program::Reading> reading = reading_of(program, clear, weights);
  for (ValueId stop = 0; stop <= program.instructions.size(); ++stop) {
    program::Execution first(*reading, {numbers(2), numbers(5)});
    while (first.next() < stop) first.step();
    program::Execution second(*reading, {numbers(2), numbers(5)});
    second.resume(stop, first.alive());
    EXPECT_EQ(second.next(), stop);
    while (!second.done()) second.step();
    const std::vector<ArrayPtr> outputs = second.take_outputs();
    EXPECT_THAT(slots_of(outputs.at(0)), ElementsAre(ElementsAre(21, 0, 0, 6))) << stop;
    EXPECT_THAT(slots_of(outputs.at(1)), ElementsAre(ElementsAre(9, 0, 0, 3))) << stop;
  }
}

TEST(Execution, InputsComeInOrderAndAWatchMayReplaceValues) {
  const Program program = two_sums();
  ClearEvaluator clear(4);
  KeptWeights weights(program, clear);
  const std::unique_ptr<program::Reading> reading = reading_of(program, clear, weights);
  const auto without = [&](std::vector<ArrayPtr> inputs) {
    return base::refusal([&] { program::Execution(*reading, inputs); });
  };
  EXPECT_EQ(without({}), "no tensor was given for input 'x'");
  EXPECT_EQ(without({numbers(2)}), "no tensor was given for input 'y'");
  EXPECT_EQ(without({numbers(2), numbers(5)}), base::kNotRefused);
  const std::vector<ArrayPtr> outputs = execute(program, clear, weights, {numbers(2), numbers(5)},
                                                [](ValueId id, ArrayPtr& value, std::span<const ArrayPtr>) {
                                                  if (id == 2) value = numbers(100);
                                                });
  EXPECT_EQ(slots_of(outputs.at(0))[0][0], 300);
  EXPECT_EQ(slots_of(outputs.at(1))[0][0], 102);
}

/// Ciphertexts of two slots: {first, first}, {first + 1, first + 1}, ...
ArrayPtr counted(double first, int ciphertexts) {
  std::vector<std::vector<double>> slots;
  for (int i = 0; i < ciphertexts; ++i) slots.emplace_back(2, first + i);
  return clear_array(std::move(slots));
}

TEST(Execution, PartsOfAGatherFollowEachOtherInTheOrderOfTheirExtents) {
  const layout::Layout six = layout::Layout::row_major({12}, 2);
  Program program{.name = "parts", .slots = 2, .instructions = {}};
  const auto add = [&](Operation operation) {
    program.instructions.push_back({std::move(operation), six, "node", "parts.onnx: node", 1, 1, 1});
  };
  add(Input{"x"});
  add(Input{"y"});
  add(Gather{{{1, {2}, {2}, 1}, {0, {2, 2}, {3, 1}, 1}}});
  add(Output{2, "z"});
  ClearEvaluator clear(2);
  KeptWeights weights(program, clear);
  const std::vector<ArrayPtr> outputs = execute(program, clear, weights, {counted(10, 6), counted(20, 6)}, {});
  // Of y the second and the fourth; of x two rows of two, three apart, from the second on.
  EXPECT_THAT(slots_of(outputs.at(0)), ElementsAre(ElementsAre(21, 21), ElementsAre(23, 23), ElementsAre(11, 11),
                                                   ElementsAre(12, 12), ElementsAre(14, 14), ElementsAre(15, 15)));
}

TEST(InstructionWeights, AreThoseOfConstants) {
  for (const Operation& with : {Operation(Linear{}), Operation(AddPlain{0, layout::RepeatedReals(1)}),
                                Operation(MultiplyPlain{0, layout::RepeatedReals(1)})})
    EXPECT_TRUE(has_weights(with)) << mnemonic(with);
  for (const Operation& without : {Operation(Input{"x"}), Operation(Add{0, 0}), Operation(Multiply{0, 0}),
                                   Operation(Polynomial{}), Operation(Bootstrap{}), Operation(Rotate{0, 1})})
    EXPECT_FALSE(has_weights(without)) << mnemonic(without);
  const Program program = two_sums();
  ClearEvaluator clear(4);
  const InstructionWeights product = encode_weights(program, 3, clear);
  EXPECT_THAT(product.maps, IsEmpty());
  // A factor lies where its operand is read: one level above the product.
  EXPECT_EQ(product.plain->level(), 2);
  EXPECT_THAT(slots_of(product.plain), ElementsAre(ElementsAre(3, 3, 3, 3)));
  EXPECT_EQ(encode_weights(program, 2, clear).plain, nullptr);
  // They are encoded once.
  KeptWeights kept(program, clear);
  kept.encode_all();
  EXPECT_EQ(kept.of(3), kept.of(3));
}

TEST(InstructionWeights, AllAreEncodedAheadOfTheirFirstUse) {
  Program program = two_sums();
  ClearEvaluator clear(4);
  KeptWeights kept(program, clear);
  kept.encode_all();
  // What the program says later comes too late.
  program.instructions[3].operation = MultiplyPlain{2, layout::RepeatedReals(4)};
  EXPECT_THAT(slots_of(kept.of(3)->plain), ElementsAre(ElementsAre(3, 3, 3, 3)));
}

/// Fails like an evaluator with an error of its own.
class Broken final : public Weights {
 public:
  std::shared_ptr<const InstructionWeights> of(ValueId) override { throw base::InternalError("no weights"); }
};

TEST(Execution, ErrorsOfOursNameTheInstruction) {
  const Program program = two_sums();
  ClearEvaluator clear(4);
  Broken broken;
  EXPECT_EQ(base::refusal<base::InternalError>([&] {
              execute(program, clear, broken, {numbers(2), numbers(5)});
            }),
            "sums.onnx: node: multiply_plain: no weights");
}

}  // namespace
}  // namespace tacit::slots
