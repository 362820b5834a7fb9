#include "runtime/slots/bootstrappers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "params/small_ring_for_test.h"
#include "program/slots/clear_program.h"
#include "program/slots/cost.h"
#include "program/slots/operation_prices.h"
#include "program/slots/serialize.h"
#include "runtime/slots/bench_for_test.h"
#include "runtime/slots/executor.h"
#include "runtime/slots/small_program_for_test.h"

namespace tacit::runtime {
namespace {

using layout::Layout;
using testing::HasSubstr;
using testing::ThrowsMessage;

/// Refreshes an array of ciphertexts twice, the second time to a lower level.
slots::Program twice(const Bench& bench, int ciphertexts) {
  const params::CkksLiteral& set = bench.context->parameters().literal();
  const Layout layout = Layout::row_major({ciphertexts * bench.slots()}, bench.slots());
  slots::Program program{.name = "twice", .slots = bench.slots(), .instructions = {}};
  const auto add = [&](slots::Operation operation, double bound) {
    program.instructions.push_back({std::move(operation), layout, "node", "twice.onnx: node", bound, -1, 0});
  };
  add(slots::Input{"x"}, 1);
  add(slots::Bootstrap{{0}, params::plan_bootstrap(set, {.form = params::BootstrapForm::linear, .output_level = 8})},
      1);
  add(slots::Bootstrap{{1}, params::plan_bootstrap(set, {.output_level = 5})}, 1);
  add(slots::Output{2, "y"}, 1);
  slots::assign_levels(program, bench.context->parameters());
  slots::verify(program);
  return program;
}

TEST(Bootstrappers, ArraysAreRefreshedInPairsToTheLevelThatTheProgramSays) {
  const Bench bench(params::insecure_on_small_ring("S8", 9));
  for (const int ciphertexts : {1, 2, 3}) {
    const slots::Program program = twice(bench, ciphertexts);
    ProgramWriter numbers(bench.slots());
    const std::vector<std::vector<double>> tensors{numbers.numbers(program.instructions[0].layout)};
    Executor executor(bench.prepared(program), bench.keys(program));
    const RunResult result = executor.run(bench.encrypt(program, tensors));
    const slots::ClearProgram clear(program);
    const auto expected = clear.run(tensors);
    const auto got = bench.decrypt(result.outputs.at(0), program.instructions.back().layout);
    double worst = 0;
    for (std::size_t i = 0; i < got.size(); ++i) worst = std::max(worst, std::abs(got[i] - expected[0][i]));
    EXPECT_LT(worst, 0x1p-19) << ciphertexts;
    const auto bytes = slots::to_bytes(program);
    EXPECT_EQ(slots::to_bytes(slots::program_from_bytes(bytes)), bytes);
  }
}

TEST(Bootstrappers, OddCiphertextsOfTwoValuesPassTogether) {
  const Bench bench(params::insecure_on_small_ring("S8", 9));
  const params::CkksLiteral& set = bench.context->parameters().literal();
  const params::BootstrapSchedule schedule = params::plan_bootstrap(set, {.output_level = 5});
  slots::Program program{.name = "two", .slots = bench.slots(), .instructions = {}};
  const auto add = [&](slots::Operation operation, int ciphertexts) {
    const Layout layout = Layout::row_major({ciphertexts * bench.slots()}, bench.slots());
    program.instructions.push_back({std::move(operation), layout, "node", "two.onnx: node", 1, -1, 0});
  };
  const auto part = [](layout::Index offset, layout::Index count) {
    return slots::Gather{{{.input = 3, .extents = {count}, .strides = {1}, .offset = offset}}};
  };
  add(slots::Input{"x"}, 3);
  add(slots::Input{"y"}, 1);
  add(slots::Input{"z"}, 1);
  add(slots::Bootstrap{{0, 1}, schedule}, 4);
  add(part(0, 3), 3);
  add(part(3, 1), 1);
  add(slots::Bootstrap{{2}, schedule}, 1);
  for (const program::ValueId id : {4u, 5u, 6u}) add(slots::Output{id, "o"}, id == 4 ? 3 : 1);
  slots::assign_levels(program, bench.context->parameters());
  slots::verify(program);
  EXPECT_EQ(slots::refreshed_from(program, 4), 0u);
  EXPECT_EQ(slots::refreshed_from(program, 5), 1u);
  EXPECT_EQ(slots::refreshed_from(program, 6), 2u);
  EXPECT_EQ(slots::refreshed_from(program, 3), std::nullopt);
  const slots::OperationPrices prices(set, {});
  const auto cost = slots::price(program, set, {}).instructions;
  EXPECT_NEAR(cost[3].seconds, prices.bootstraps(schedule, 4), 1e-9);
  EXPECT_EQ(cost[4].seconds, 0);
  ProgramWriter numbers(bench.slots());
  std::vector<std::vector<double>> tensors;
  for (const std::size_t i : {0u, 1u, 2u}) tensors.push_back(numbers.numbers(program.instructions[i].layout));
  Executor executor(bench.prepared(program), bench.keys(program));
  const RunResult result = executor.run(bench.encrypt(program, tensors));
  const slots::ClearProgram clear(program);
  const auto expected = clear.run(tensors);
  for (std::size_t o = 0; o < 3; ++o) {
    const auto got = bench.decrypt(result.outputs.at(o), program.instructions[7 + o].layout);
    double worst = 0;
    for (std::size_t i = 0; i < got.size(); ++i) worst = std::max(worst, std::abs(got[i] - expected[o][i]));
    EXPECT_LT(worst, 0x1p-20) << o;
  }
}

TEST(Bootstrappers, WhatABootstrapCouldNotCarryIsRefusedBeforeAnyWork) {
  const Bench bench(params::insecure_on_small_ring("S8", 9));
  const auto refuses = [&](const auto& change, const char* reason) {
    slots::Program program = twice(bench, 1);
    change(program);
    EXPECT_THAT([&] { Bootstrappers::check(program, bench.context->parameters()); },
                ThrowsMessage<base::InputError>(HasSubstr(reason)));
    EXPECT_THROW(Executor(bench.prepared(program), bench.keys(twice(bench, 1))), base::InputError);
  };
  EXPECT_NO_THROW(Bootstrappers::check(twice(bench, 1), bench.context->parameters()));
  refuses([](slots::Program& program) { program.instructions[0].bound = 1.5; },
          "the operand of its bootstrap reaches 1.5");
  refuses([](slots::Program& program) { program.instructions[0].bound = 0; },
          "the operand of its bootstrap has no known range");
  refuses([](slots::Program& program) { program.instructions[0].bound = std::nan(""); },
          "the operand of its bootstrap");
  refuses(
      [](slots::Program& program) {
        std::get<slots::Bootstrap>(program.instructions[1].operation).schedule.log_ratio = 9;
      },
      "its bootstrap has another sine than the parameter set S8 on a small ring needs");
  refuses(
      [](slots::Program& program) {
        std::get<slots::Bootstrap>(program.instructions[2].operation).schedule.chain.skipped = 1;
      },
      "its bootstrap is none of the parameter set S8 on a small ring");
}

/// A step an instruction, however many ciphertexts it refreshes.
TEST(Bootstrappers, ARunCountsItsInstructions) {
  struct Count final : base::Progress {
    void stage_began(std::string_view stage, std::uint64_t total) override {
      ++depth;
      if (stage == "evaluate") planned = total;
    }
    void steps_done(std::uint64_t steps) override { done += depth == 1 ? steps : 0; }
    void stage_ended() override { --depth; }
    int depth = 0;
    std::uint64_t planned = 0, done = 0;
  };
  const Bench bench(params::insecure_on_small_ring("S8", 9));
  const slots::Program program = twice(bench, 3);
  ProgramWriter numbers(bench.slots());
  const auto prepared = bench.prepared(program);
  prepared->encode();
  Count count;
  Executor(prepared, bench.keys(program))
      .run(bench.encrypt(program, {numbers.numbers(program.instructions[0].layout)}), nullptr, count);
  EXPECT_EQ(count.planned, program.instructions.size());
  EXPECT_EQ(count.done, program.instructions.size());
  EXPECT_EQ(count.depth, 0);
}

}  // namespace
}  // namespace tacit::runtime
