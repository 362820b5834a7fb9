#include "graph/slots/pair_bootstraps.h"

#include <gtest/gtest.h>

#include "params/ckks_parameters.h"

namespace tacit::graph::passes {
namespace {

using layout::Layout;
using program::ValueId;

constexpr layout::Index kSlots = 32768;  // of the set whose schedule is used

/// Three inputs of 3, 1 and 1 ciphertexts, each refreshed, and the last one twice.
slots::Program refreshed() {
  const params::BootstrapSchedule schedule = params::plan_bootstrap(params::named_literal("S8"), {.output_level = 5});
  slots::Program program{.name = "three", .slots = kSlots, .instructions = {}};
  const auto add = [&](slots::Operation operation, int ciphertexts, int level) {
    program.instructions.push_back({std::move(operation), Layout::row_major({ciphertexts * kSlots}, kSlots),
                                    "node " + std::to_string(program.instructions.size()), "three.onnx", 1, level, 2});
  };
  add(slots::Input{"x"}, 3, 3);
  add(slots::Input{"y"}, 1, 3);
  add(slots::Input{"z"}, 1, 3);
  add(slots::Bootstrap{{0}, schedule}, 3, 5);
  add(slots::Bootstrap{{1}, schedule}, 1, 4);
  add(slots::Bootstrap{{2}, schedule}, 1, 5);
  add(slots::Bootstrap{{5}, schedule}, 1, 0);  // of what did not exist before the one that could have waited
  for (const ValueId id : {3u, 4u, 5u, 6u}) add(slots::Output{id, "o"}, id == 3 ? 3 : 1, 0);
  return program;
}

TEST(PairBootstraps, OddCiphertextsOfTwoValuesStandAsAPair) {
  slots::Program program = refreshed();
  const std::vector<ValueId> names = pair_bootstraps(program);
  EXPECT_EQ(names, (std::vector<ValueId>{0, 1, 2, 4, 5, 6, 7, 8, 9, 10, 11}));
  slots::verify(program);
  const auto& pair = std::get<slots::Bootstrap>(program.value(3).operation);
  EXPECT_EQ(pair.inputs, (std::vector<ValueId>{0, 1}));
  EXPECT_EQ(program.value(3).layout.ciphertexts(), 4);
  EXPECT_EQ(program.value(3).level, 5);
  // Each value keeps its name for people, its layout and its level.
  EXPECT_EQ(program.value(4).node, "node 3");
  EXPECT_EQ(program.value(5).node, "node 4");
  EXPECT_EQ(program.value(5).level, 4);
  EXPECT_EQ(slots::refreshed_from(program, 4), 0u);
  EXPECT_EQ(slots::refreshed_from(program, 5), 1u);
  // The others have one ciphertext each, and neither can wait for the other.
  EXPECT_EQ(std::get<slots::Bootstrap>(program.value(6).operation).inputs, (std::vector<ValueId>{2}));
  EXPECT_EQ(std::get<slots::Bootstrap>(program.value(7).operation).inputs, (std::vector<ValueId>{6}));
  EXPECT_EQ(std::get<slots::Output>(program.value(8).operation).input, 4u);
}

TEST(PairBootstraps, ValuesOfTwoSchedulesDoNot) {
  slots::Program program = refreshed();
  std::get<slots::Bootstrap>(program.instructions[4].operation).schedule.output_level = 4;
  std::get<slots::Bootstrap>(program.instructions[5].operation).schedule.output_level = 3;
  const std::string before = slots::to_text(program);
  pair_bootstraps(program);
  EXPECT_EQ(slots::to_text(program), before);
}

TEST(PairBootstraps, APairHasTheLargerBoundAndItsPartsLieBehindEachOther) {
  slots::Program program = refreshed();
  program.instructions[3].bound = 0.25;
  program.instructions[4].bound = 0.5;
  pair_bootstraps(program);
  EXPECT_EQ(program.value(3).bound, 0.5);
  EXPECT_EQ(program.value(4).bound, 0.25);
  EXPECT_EQ(program.value(5).bound, 0.5);
  const auto& first = std::get<slots::Gather>(program.value(4).operation);
  const auto& second = std::get<slots::Gather>(program.value(5).operation);
  const std::vector<layout::Index> all{3}, one{1};
  EXPECT_EQ(first.parts.at(0).extents, all);
  EXPECT_EQ(first.parts.at(0).strides, one);
  EXPECT_EQ(first.parts.at(0).offset, 0);
  EXPECT_EQ(second.parts.at(0).extents, one);
  EXPECT_EQ(second.parts.at(0).strides, one);
  EXPECT_EQ(second.parts.at(0).offset, 3);
}

}  // namespace
}  // namespace tacit::graph::passes
