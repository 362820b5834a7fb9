#include <gtest/gtest.h>

#include <random>

#include "base/error.h"
#include "layout/operators/movement.h"
#include "program/slots/runnable.h"
#include "program/slots/serialize.h"
#include "runtime/slots/bench_for_test.h"
#include "runtime/slots/executor.h"
#include "runtime/slots/small_program_for_test.h"

namespace tacit::runtime {
namespace {

using layout::Layout;

/// A program of every kind of instruction but bootstraps, whose schedules belong to a parameter set as a whole.
slots::Program small_program(const Bench& bench) {
  ProgramWriter writer(bench.slots());
  const Layout wide = Layout::row_major({2, 300}, bench.slots()), four = Layout::row_major({4}, bench.slots());
  const auto x = writer.input("x", Layout::row_major({6}, bench.slots()));
  const auto h = writer.dense(x, Layout::row_major({4}, bench.slots()));
  const auto squared = writer.multiply(h, h);
  const auto y = writer.dense(squared, four);
  const auto p = writer.polynomial(y, {0.1, 0.4, -0.2, 0.05});
  const auto moved = writer.record(slots::RotateSum{writer.record(slots::Rotate{p, 2}, four), {1, 4}}, four);
  const auto many = writer.record(slots::Gather{{{moved, {2}, {0}, 0}}}, wide);
  const auto one = writer.record(slots::Sum{many, 2}, Layout::row_major({300}, bench.slots()));
  const auto dropped = writer.record(slots::Drop{writer.multiply_plain(one)}, Layout::row_major({300}, bench.slots()));
  writer.output(writer.difference(writer.add_plain(dropped), dropped), "z");
  return writer.finish(bench.context->parameters());
}

class TamperedProgram : public ::testing::Test {
 protected:
  TamperedProgram() {
    const int top = bench_.context->parameters().max_level();
    params::KeyManifest every;
    every.relinearise_level = top;
    for (std::int64_t steps = 1; steps < bench_.slots(); ++steps) every.rotations[steps] = top;
    keys_ = std::make_shared<const scheme::ckks::EvaluationKeys>(
        scheme::ckks::KeyGenerator(bench_.context).evaluation_keys(bench_.secret, every));
  }

  /// Loads a program as a server does, and runs it as far as it gets. True if it ran to its end.
  bool runs(std::span<const std::uint8_t> bytes) const {
    const slots::Program program = slots::program_from_bytes(bytes);
    slots::require_runnable_from_file(program, bench_.context->parameters());
    const Executor executor(bench_.prepared(program, {.memory = {std::uint64_t{1} << 30, 0}}), keys_);
    std::vector<std::vector<double>> tensors;
    for (const slots::Instruction& instruction : program.instructions)
      if (std::holds_alternative<slots::Input>(instruction.operation))
        tensors.emplace_back(static_cast<std::size_t>(layout::element_count(instruction.layout.shape())), 0.25);
    executor.run(bench_.encrypt(program, tensors));
    return true;
  }

  const Bench bench_{small_insecure_literal(8)};
  std::shared_ptr<const scheme::ckks::EvaluationKeys> keys_;
};

TEST_F(TamperedProgram, IsTheFilesFaultAndNeverOurs) {
  const std::vector<std::uint8_t> good = slots::to_bytes(small_program(bench_));
  ASSERT_TRUE(runs(good));
  std::mt19937 random(11);
  int ran = 0, refused = 0;
  for (int i = 0; i < 1000; ++i) {
    std::vector<std::uint8_t> bad = good;
    const std::size_t at = random() % bad.size();
    // A flipped bit, another byte, or a small number more or less.
    const int change = static_cast<int>(random() % 3);
    bad[at] = static_cast<std::uint8_t>(change == 0   ? bad[at] ^ (1u << random() % 8)
                                        : change == 1 ? random()
                                                      : bad[at] + (random() % 2 == 0 ? 1 : -1));
    try {
      ran += runs(bad) ? 1 : 0;
    } catch (const base::InputError&) {
      ++refused;
    } catch (const std::exception& error) {
      ADD_FAILURE() << "byte " << at << " of " << good.size() << ": " << error.what();
    }
  }
  // Many bytes are weights and names: what changes them is another program.
  EXPECT_GT(ran, 100);
  EXPECT_GT(refused, 100);
}

TEST_F(TamperedProgram, WithAScheduleThatIsNotItsMapsIsRefusedByName) {
  slots::Program program = small_program(bench_);
  auto& linear = std::get<slots::Linear>(program.instructions[1].operation);
  const auto steps = linear.terms[0].schedule.steps;
  const auto problem = [&] { return slots::schedule_problem(linear.terms[0]); };
  EXPECT_EQ(problem(), "");
  linear.terms[0].schedule.steps.pop_back();
  EXPECT_NE(problem().find("reads 3 diagonals and its linear map has 4"), std::string::npos) << problem();
  EXPECT_THROW(slots::require_runnable_from_file(program, bench_.context->parameters()), base::InputError);
  linear.terms[0].schedule.steps.push_back(steps.front());  // one twice, one missing
  EXPECT_NE(problem(), "");
  linear.terms[0].schedule.steps = steps;
  linear.terms[0].schedule.folds.push_back(4);
  EXPECT_NE(problem().find("folds otherwise"), std::string::npos) << problem();
}

TEST_F(TamperedProgram, WithMoreCopiesOfItsElementsThanFitIsRefusedBeforeTheyAreCounted) {
  slots::Program program = small_program(bench_);
  auto& term = std::get<slots::Linear>(program.instructions[1].operation).terms[0];
  constexpr layout::Index kCount = 1 << 15, kCopies = 1 << 14;
  const layout::Shape shape{1, 1, kCount};
  const layout::Layout out(shape, {{2, kCopies, 2, ""}}, {{2, 2, 1, ""}, {layout::kReplica, kCopies, 1, ""}}, {});
  term.map = {layout::Layout::row_major(shape, kCount), out, std::make_shared<layout::Identity>(shape)};
  EXPECT_NE(slots::schedule_problem(term).find("16384 copies of 32768 elements"), std::string::npos)
      << slots::schedule_problem(term);
}

}  // namespace
}  // namespace tacit::runtime
