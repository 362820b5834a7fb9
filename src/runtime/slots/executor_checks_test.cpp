#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/parallel.h"
#include "base/refusal_for_test.h"
#include "base/temporary_folder_for_test.h"
#include "params/small_ring_for_test.h"
#include "program/slots/key_manifest.h"
#include "program/slots/memory_plan.h"
#include "program/slots/validations.h"
#include "runtime/crew.h"
#include "runtime/slots/bench_for_test.h"
#include "runtime/slots/bootstrappers.h"
#include "runtime/slots/encrypted_evaluator.h"
#include "runtime/slots/executor.h"
#include "runtime/slots/ranked_runs.h"
#include "runtime/slots/small_program_for_test.h"
#include "runtime/thread_ranks_for_test.h"

namespace tacit::runtime {
namespace {

using layout::Layout;
using testing::ElementsAre;
using testing::HasSubstr;

params::CkksLiteral small_ring(int depth) {
  params::CkksLiteral literal = small_insecure_literal(depth);
  literal.log_n = 6;
  return literal;
}

/// An input of three ciphertexts, its square, and numbers added to that.
slots::Program squares(const Bench& bench) {
  ProgramWriter writer(bench.slots());
  const auto x = writer.input("x", Layout::row_major({3 * bench.slots()}, bench.slots()));
  writer.output(writer.add_plain(writer.multiply(x, x)), "y");
  return writer.finish(bench.context->parameters());
}

TEST(ExecutorInputs, AreThoseOfTheProgram) {
  const Bench bench(small_ring(3));
  // Of two levels, where the parameters have three.
  ProgramWriter writer(bench.slots());
  const auto x = writer.input("x", Layout::row_major({3 * bench.slots()}, bench.slots()));
  const auto square = writer.multiply(x, x);
  writer.output(writer.multiply(square, square), "y");
  const slots::Program program = writer.finish(bench.context->parameters());
  ASSERT_EQ(program.instructions[0].level, 2);
  const double scale = program.instructions[0].scale;
  const Executor executor(bench.prepared(program), bench.keys(program));
  const auto fresh = bench.encrypt(program, {ProgramWriter(bench.slots()).numbers(program.value(0).layout)});
  const auto objection = [&](std::size_t at, int level, double to_scale) {
    auto inputs = fresh;
    inputs[0][at].level = level;
    inputs[0][at].scale = to_scale;
    return base::refusal([&] { executor.check_inputs(inputs); });
  };
  EXPECT_EQ(objection(0, 2, scale), base::kNotRefused);
  EXPECT_EQ(objection(2, 3, scale), base::kNotRefused) << "it is dropped";
  EXPECT_EQ(objection(2, 1, scale), "program 'small': input 'x' is at level 1 and the program needs level 2");
  EXPECT_EQ(objection(1, 4, scale), "program 'small': input 'x' is at level 4 and the program needs level 2");
  EXPECT_EQ(objection(2, 2, 2 * scale), fmt::format("program 'small': input 'x' has scale 2^{:.3f} and the program "
                                                    "needs 2^{:.3f}",
                                                    std::log2(2 * scale), std::log2(scale)));
  const auto of_arrays = [&](const std::vector<CiphertextArray>& inputs) {
    return base::refusal([&] { executor.check_inputs(inputs); });
  };
  EXPECT_EQ(of_arrays({}), "program 'small': it has 1 inputs and 0 were given");
  EXPECT_EQ(of_arrays({fresh[0], fresh[0]}), "program 'small': it has 1 inputs and 2 were given");
  EXPECT_EQ(of_arrays({{fresh[0][0], fresh[0][1]}}), "program 'small': input 'x' has 2 ciphertexts and 3 are needed");
  auto foreign = fresh;
  foreign[0][2].parameters[0] ^= 1;
  EXPECT_EQ(base::refusal<base::KeyMismatch>([&] { executor.check_inputs(foreign); }),
            "input 'x' is encrypted under another parameter set than test of program 'small'");
}

/// The ciphertexts that validations were shown, in order, and the instructions that were told of.
struct Shown final : Observer {
  explicit Shown(const Bench& of) : bench(of) {}
  void carried_out(program::ValueId id, const slots::Instruction& instruction,
                   std::span<const program::ArrayPtr> operands, const program::ArrayPtr&) override {
    ids.push_back(id);
    if (!std::holds_alternative<slots::Validate>(instruction.operation)) return;
    std::vector<CiphertextArray> arrays;
    for (const program::ArrayPtr& operand : operands) {
      CiphertextArray& array = arrays.emplace_back();
      for (const auto& one : ciphertexts_of(operand)) array.push_back(*one);
    }
    validated.push_back(bytes_of(*bench.context, arrays));
  }
  const Bench& bench;
  std::vector<program::ValueId> ids;
  std::vector<std::vector<std::byte>> validated;
};

TEST(ExecutorValidations, NeedSomebodyWhoWatchesAndSeeTheirOperandsWhole) {
  const Bench bench(small_ring(3));
  const slots::Program plain = squares(bench);
  const slots::Program program = slots::with_validations(
      plain, {{1, program::Detail::instruction, 1, 0, slots::operands(plain.value(1).operation)}});
  ASSERT_EQ(program.instructions.size(), 5u);
  const auto keys = bench.keys(program);
  const auto inputs = bench.encrypt(program, {ProgramWriter(bench.slots()).numbers(program.value(0).layout)});
  const Executor alone(bench.prepared(program), keys);
  EXPECT_EQ(base::refusal([&] { alone.run(inputs); }),
            "program 'small': it contains validations, which only tacit validate carries out, with the secret key; "
            "compile it without");
  Shown shown(bench);
  const auto outputs = bytes_of(*bench.context, alone.run(inputs, &shown).outputs);
  EXPECT_EQ(outputs, bytes_of(*bench.context, Executor(bench.prepared(plain), keys).run(inputs).outputs));
  EXPECT_THAT(shown.ids, ElementsAre(0, 1, 2, 3, 4));
  ASSERT_EQ(shown.validated.size(), 1u);
  EXPECT_FALSE(shown.validated[0].empty());
  ThreadRanks::run(2, [&](Communicator& self) {
    const Executor executor(bench.prepared(program, {.ranks = &self}), keys);
    Shown on_ranks(bench);
    const RunResult result = self.rank() == 0 ? executor.run(inputs, &on_ranks) : executor.run({});
    if (self.rank() != 0) return;
    EXPECT_EQ(bytes_of(*bench.context, result.outputs), outputs);
    EXPECT_THAT(on_ranks.ids, ElementsAre(0, 1, 2, 3, 4));
    EXPECT_EQ(on_ranks.validated, shown.validated);
  });
}

/// Stops a run behind an instruction, and counts.
struct Stop final : Observer {
  explicit Stop(program::ValueId at) : last(at) {}
  void carried_out(program::ValueId id, const slots::Instruction&, std::span<const program::ArrayPtr>,
                   const program::ArrayPtr&) override {
    seen.push_back(id);
    if (id == last) throw base::InputError("stopped");
  }
  program::ValueId last;
  std::vector<program::ValueId> seen;
};

/// The square of numbers and a sum, of which `id` and what stands before it are one layer.
struct JoinedLayers {
  explicit JoinedLayers(program::ValueId id) { program.instructions[id].node = program.instructions[id - 1].node; }
  Bench bench{small_ring(3)};
  slots::Program program = squares(bench);
  base::TemporaryFolder folder;
  Checkpoints checkpoints{folder.path(), {"1"}};
};

TEST(ExecutorCheckpoints, StandWhereALayerEnds) {
  const JoinedLayers joined(2);
  const auto& [bench, program, folder, checkpoints] = joined;
  const Executor executor(bench.prepared(program), bench.keys(program));
  const auto inputs = bench.encrypt(program, {ProgramWriter(bench.slots()).numbers(program.value(0).layout)});
  const KeptRun kept{&checkpoints, 4};
  Stop within(2);
  EXPECT_EQ(base::refusal([&] { executor.run(inputs, &within, base::Progress::silent(), kept); }), "stopped");
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "run-4.checkpoint"));
  Stop never(9);
  const RunResult resumed = executor.run(inputs, &never, base::Progress::silent(), kept);
  EXPECT_THAT(never.seen, ElementsAre(1, 2, 3)) << "from the input on";
  EXPECT_EQ(bytes_of(*bench.context, resumed.outputs), bytes_of(*bench.context, executor.run(inputs).outputs));
  ASSERT_EQ(resumed.seconds.size(), 4u);
  EXPECT_EQ(resumed.seconds[0], 0.0);
}

TEST(ExecutorCheckpoints, StandNowhereWithinALayer) {
  const JoinedLayers joined(1);
  const auto& [bench, program, folder, checkpoints] = joined;
  const Executor executor(bench.prepared(program), bench.keys(program));
  const auto inputs = bench.encrypt(program, {ProgramWriter(bench.slots()).numbers(program.value(0).layout)});
  const KeptRun kept{&checkpoints, 0};
  Stop within(1);
  EXPECT_EQ(base::refusal([&] { executor.run(inputs, &within, base::Progress::silent(), kept); }), "stopped");
  EXPECT_FALSE(std::filesystem::exists(checkpoints.file(0)));
  Stop behind(2);
  EXPECT_EQ(base::refusal([&] { executor.run(inputs, &behind, base::Progress::silent(), kept); }), "stopped");
  EXPECT_TRUE(std::filesystem::exists(checkpoints.file(0)));
}

TEST(PreparedProgramMemory, OfValuesIsThatOfARanksShare) {
  const Bench bench(small_ring(3));
  const slots::Program program = squares(bench);
  const params::Account account(bench.context->parameters().literal());
  const auto planned = [&](int ranks) {
    return static_cast<std::uint64_t>(
        slots::value_bytes(program, account, base::thread_limit(), layout::Placement(ranks)));
  };
  EXPECT_EQ(bench.prepared(program)->memory().values, planned(1));
  ASSERT_NE(planned(1), planned(3));
  ThreadRanks::run(3, [&](Communicator& self) {
    EXPECT_EQ(bench.prepared(program, {.ranks = &self})->memory().values, planned(3));
  });
}

TEST(PreparedProgramMemory, IsThatOfAllClients) {
  const Bench bench(small_ring(3));
  const slots::Program program = squares(bench);
  const auto memory = [&](const PrepareOptions& options) { return bench.prepared(program, options)->memory(); };
  const MemoryUse one = memory({});
  EXPECT_EQ(one.keys, bench.keys(program)->bytes());
  EXPECT_GT(one.values, 0u);
  EXPECT_EQ(one.peak(), one.keys + one.values) << "nothing is encoded yet";
  EXPECT_EQ(one.weights, 0u);
  EXPECT_EQ(MemoryUse{}.peak(), 0u);
  const MemoryUse three = memory({.clients = 3});
  EXPECT_EQ(three.keys, 3 * one.keys);
  EXPECT_EQ(three.values, 3 * one.values);
  EXPECT_EQ(memory({.key_bytes = 1}).keys, 1u);
  EXPECT_EQ(memory({.clients = 3, .key_bytes = 1000}).keys, 3000u);
  const MemoryUse use{.keys = 1, .values = 2, .transforms = 4, .weights = 8, .held_weights = 16, .largest_unheld = 32};
  EXPECT_EQ(use.peak(), 1u + 2u + 4u + 16u + 32u);
}

TEST(PreparedProgramMemory, KeysAndCiphertextsLeaveSomeOfTheBudget) {
  const Bench bench(small_ring(3));
  const slots::Program program = squares(bench);
  const MemoryUse use = bench.prepared(program)->memory();
  const auto objection = [&](std::uint64_t bytes) {
    return base::refusal([&] { bench.prepared(program, {.memory = {.bytes = bytes}})->encode(); });
  };
  const std::uint64_t taken = use.keys + use.values;
  EXPECT_EQ(objection(taken),
            fmt::format("program 'small': {}", base::MemoryBudget{.bytes = taken}.shortfall(
                                                   "keys and ciphertexts need", static_cast<double>(taken))));
  EXPECT_THAT(objection(taken + 1), HasSubstr("small.onnx: node2: its weights, keys and ciphertexts need"));
}

TEST(PreparedProgramMemory, CountsTheTransformsOfBootstraps) {
  const params::CkksLiteral literal = params::insecure_on_small_ring("S8", 9);
  const Bench bench(literal);
  const slots::Program program = refreshing_program(bench);
  const auto rich = bench.prepared(program);
  rich->encode();
  const MemoryUse use = rich->memory();
  EXPECT_GT(use.transforms, use.weights);
  EXPECT_EQ(use.transforms, rich->bootstrappers().bytes());
  EXPECT_EQ(use.peak(), use.keys + use.values + use.transforms + use.weights);
  const auto with = [&](std::uint64_t bytes) {
    return base::refusal([&] { bench.prepared(program, {.memory = {.bytes = bytes}})->encode(); });
  };
  EXPECT_EQ(with(use.peak()), base::kNotRefused);
  EXPECT_THAT(with(use.peak() - 1), HasSubstr("its weights, keys and ciphertexts need"));
}

// Where one rank is refused, the others wait for it.
TEST(RankedRunsBudget, IsSharedByTheRanksOfAMachineUnlessItIsNamed) {
  const Bench bench(small_ring(3));
  const slots::Program program = squares(bench);
  const auto keys = bench.keys(program);
  using Source = base::MemoryBudget::Source;
  const auto objection = [&](const base::MemoryBudget& memory) {
    std::string why;
    ThreadRanks::run(2, [&](Communicator& self) {
      if (self.rank() != 0) return serve(self);
      RankedRuns runs(self, bench.context, program, keys, 2, {.memory = memory});
      why = base::refusal([&] { runs.encode(); });
      if (why != base::kNotRefused) self.barrier();
      give_order(self, Order::leave);
    });
    return why;
  };
  constexpr std::uint64_t kOwn = 1000;
  const auto bound_of = [](const base::MemoryBudget& memory) {
    const std::string sentence = memory.shortfall("", 0);
    return HasSubstr(sentence.substr(sentence.find(", and "), 30));
  };
  for (const Source source : {Source::machine, Source::free}) {
    EXPECT_EQ(objection({std::uint64_t{1} << 34, kOwn, source}), base::kNotRefused);
    const std::string refused = objection({kOwn + 2 * 500, kOwn, source});
    EXPECT_THAT(refused, HasSubstr("program 'small': keys and ciphertexts need"));
    EXPECT_THAT(refused, bound_of({kOwn + 500, kOwn, source}));
  }
  // A named one is that of every rank, and so both are refused.
  const base::MemoryBudget named{kOwn + 2 * 500, kOwn, Source::asked};
  ThreadRanks::run(2, [&](Communicator& self) {
    if (self.rank() != 0) {
      EXPECT_THAT(base::refusal([&] { serve(self); }), HasSubstr("keys and ciphertexts need"));
      return;
    }
    RankedRuns runs(self, bench.context, program, keys, 2, {.memory = named});
    EXPECT_THAT(base::refusal([&] { runs.encode(); }), bound_of(named));
  });
}

TEST(RankedRunsRounds, HaveAtMostARunAGroup) {
  const Bench bench(small_ring(3));
  const slots::Program program = squares(bench);
  const auto keys = bench.keys(program);
  const std::vector<CiphertextArray> input =
      bench.encrypt(program, {ProgramWriter(bench.slots()).numbers(program.value(0).layout)});
  const std::vector<std::vector<CiphertextArray>> two{input, input};
  ThreadRanks::run(2, [&](Communicator& self) {
    if (self.rank() != 0) return serve(self);
    RankedRuns runs(self, bench.context, program, keys, 1, {});
    EXPECT_EQ(runs.at_once(), 1u);
    EXPECT_EQ(base::refusal<base::InternalError>([&] { runs.run(two); }),
              "a round of more runs than there are groups of ranks");
    EXPECT_EQ(runs.run(std::span(two).first(1)).size(), 1u);
    give_order(self, Order::leave);
  });
}

TEST(RankedRunsCheckpoints, OfOtherRanksAreThoseOfTheirRuns) {
  const Bench bench(small_ring(3));
  const slots::Program program = squares(bench);
  const auto keys = bench.keys(program);
  std::vector<std::vector<CiphertextArray>> two;
  for (const unsigned seed : {1U, 2U})
    two.push_back(bench.encrypt(program, {ProgramWriter(bench.slots(), seed).numbers(program.value(0).layout)}));
  const base::TemporaryFolder folder;
  Checkpoints kept{folder.path(), {"1"}};
  kept.of.binding.model[0] = 5;
  kept.of.keys[0] = 6;
  std::vector<std::vector<std::byte>> answers;
  ThreadRanks::run(2, [&](Communicator& self) {
    if (self.rank() != 0) return serve(self);
    RankedRuns runs(self, bench.context, program, keys, 2, {}, kept);
    const std::vector<RunResult> results = runs.run(two, 3);
    for (const RunResult& result : results) {
      answers.push_back(bytes_of(*bench.context, result.outputs));
      EXPECT_EQ(result.seconds.size(), 4u);
    }
    give_order(self, Order::leave);
  });
  ASSERT_EQ(answers.size(), 2u);
  EXPECT_NE(answers[0], answers[1]);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 2);
  OneRank alone;
  for (std::size_t r = 0; r < 2; ++r) {
    EXPECT_TRUE(std::filesystem::exists(kept.file(3 + r))) << r;
    RankedRuns again(alone, bench.context, program, keys, 1, {}, kept);
    Stop never(9);
    const auto results = again.run(std::span(two).subspan(r, 1), 3 + r, &never);
    EXPECT_EQ(bytes_of(*bench.context, results[0].outputs), answers[r]) << r;
    EXPECT_TRUE(never.seen.empty()) << "it was done";
  }
}

}  // namespace
}  // namespace tacit::runtime
