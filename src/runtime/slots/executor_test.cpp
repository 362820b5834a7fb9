#include "runtime/slots/executor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <random>
#include <thread>

#include "base/error.h"
#include "layout/operators/repeated.h"
#include "program/slots/clear_program.h"
#include "program/slots/cost.h"
#include "program/slots/key_manifest.h"
#include "program/slots/memory_plan.h"
#include "runtime/slots/bench_for_test.h"
#include "runtime/slots/encoded_weights.h"
#include "runtime/slots/encrypted_evaluator.h"
#include "runtime/slots/small_program_for_test.h"

namespace tacit::runtime {
namespace {

using layout::Layout;
using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  EXPECT_EQ(a.size(), b.size());
  double largest = 0;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

/// Runs encrypted and in the clear; the largest difference over all outputs.
double encrypted_against_clear(const Bench& bench, const slots::Program& program,
                               const std::vector<std::vector<double>>& tensors) {
  Executor executor(bench.prepared(program), bench.keys(program));
  const RunResult result = executor.run(bench.encrypt(program, tensors));
  const slots::ClearProgram clear(program);
  const auto expected = clear.run(tensors);
  EXPECT_EQ(result.outputs.size(), expected.size());
  EXPECT_EQ(result.seconds.size(), program.instructions.size());
  double largest = 0;
  std::size_t next = 0;
  for (const slots::Instruction& instruction : program.instructions)
    if (std::holds_alternative<slots::Output>(instruction.operation)) {
      largest = std::max(largest,
                         largest_difference(bench.decrypt(result.outputs[next], instruction.layout), expected[next]));
      ++next;
    }
  return largest;
}

slots::Program linear_square_linear_polynomial(const Bench& bench) {
  ProgramWriter writer(bench.slots());
  const auto x = writer.input("x", Layout::row_major({1, 6, 9}, bench.slots()));
  const auto h = writer.dense(x, Layout::row_major({20}, bench.slots()));
  const auto s = writer.multiply(h, h);
  const auto y = writer.dense(s, Layout::row_major({7}, bench.slots()));
  writer.output(writer.polynomial(y, {0.1, 0.4, -0.2, 0.05, 0.02, -0.07, 0.01, 0.03}), "y");
  return writer.finish(bench.context->parameters());
}

TEST(Executor, AScheduleThatIsNotItsMapsIsTheFaultOfWhoeverWroteTheProgram) {
  const Bench bench(small_insecure_literal(7));
  const slots::Program whole = linear_square_linear_polynomial(bench);
  const auto refused = [&](const auto& change, const char* why) {
    slots::Program program = whole;
    change(std::get<slots::Linear>(program.instructions[1].operation).terms[0].schedule);
    EXPECT_THAT([&] { bench.prepared(program)->encode(); },
                ThrowsMessage<base::InputError>(AllOf(HasSubstr("small.onnx: node1"), HasSubstr(why))));
  };
  refused([](params::LinearSchedule& schedule) { schedule.steps.pop_back(); }, "does not have the diagonals");
  refused([](params::LinearSchedule& schedule) { schedule.folds.push_back(1); }, "folds otherwise");
}

TEST(Executor, LinearSquareLinearPolynomialAgreesWithTheClearReading) {
  const Bench bench(small_insecure_literal(7));
  const slots::Program program = linear_square_linear_polynomial(bench);
  ProgramWriter numbers(bench.slots(), 7);
  EXPECT_LT(encrypted_against_clear(bench, program, {numbers.numbers(program.instructions[0].layout)}), 1e-6);
}

TEST(Executor, EveryInstructionOnArraysOfSeveralCiphertexts) {
  const Bench bench(small_insecure_literal(6));
  ProgramWriter writer(bench.slots());
  const Layout wide = Layout::row_major({3, 300}, bench.slots());
  ASSERT_EQ(wide.ciphertexts(), 3);
  const Layout narrow = Layout::row_major({2, 260}, bench.slots());
  ASSERT_EQ(narrow.ciphertexts(), 2);
  const auto a = writer.input("a", wide), b = writer.input("b", wide);
  const auto p = writer.dense(a, narrow), q = writer.dense(b, narrow);
  const auto joined = writer.join(p, q);
  const auto shifted = writer.add_plain(writer.difference(p, q));
  const auto product = writer.multiply(joined, shifted);
  const auto scaled = writer.multiply_plain(writer.sum(joined, shifted));
  writer.output(writer.dense(product, Layout::row_major({5}, bench.slots())), "first");
  writer.output(scaled, "second");
  const slots::Program program = writer.finish(bench.context->parameters());
  const std::vector<std::vector<double>> tensors{writer.numbers(wide), writer.numbers(wide)};
  EXPECT_LT(encrypted_against_clear(bench, program, tensors), 1e-6);
}

// Three samples of 40, 20 and 7 elements, in 64 places of 8 slots.
TEST(Executor, WeightsThatRepeatWithSamplesAreHeldOnceAndAgreeWithTheClearReading) {
  const Bench bench(small_insecure_literal(4));
  ProgramWriter writer(bench.slots());
  std::mt19937 random(4);
  std::normal_distribution<double> entry(0, 0.2);
  const auto layout_of = [&](layout::Index elements) {
    return Layout({3, elements}, {{1, (elements + 7) / 8, 8, ""}}, {{0, bench.slots() / 8, 1, ""}, {1, 8, 1, ""}}, {});
  };
  const auto layer = [&](program::ValueId from, layout::Index in, layout::Index out) {
    const auto matrix = std::make_shared<layout::SparseRows>(layout::Shape{1, in}, layout::Shape{1, out},
                                                             [&](layout::Index, layout::RowEntries& entries) {
                                                               for (layout::Index column = 0; column < in; ++column)
                                                                 entries.add(column, entry(random));
                                                             });
    slots::LinearTerm term{from, {layout_of(in), layout_of(out), layout::repeated(matrix, 3)}, {}};
    term.schedule = schedule_of(term.map);
    return writer.record(slots::Linear{{term}, {}}, layout_of(out));
  };
  const auto x = writer.input("x", layout_of(40));
  const auto h = layer(x, 40, 20);
  writer.output(layer(writer.multiply(h, h), 20, 7), "y");
  const slots::Program program = writer.finish(bench.context->parameters());
  EXPECT_LT(encrypted_against_clear(bench, program, {writer.numbers(layout_of(40))}), 1e-6);
  const auto evaluator = EncryptedEvaluator::make(bench.context, {});
  EncodedWeights encoded(program, bench.context, *evaluator);
  encoded.encode({.bytes = std::uint64_t{1} << 30}, 0, 0, base::Progress::silent());
  // From m to n elements of a sample there are m + n - 1 diagonals, of 8 weights each. Some that meet zeros have fewer.
  const params::Account account(bench.context->parameters().literal());
  const double most = 8.0 / static_cast<double>(bench.slots()) *
                      (5 * (15 + 15 + 11) * account.real_diagonal_bytes(program.value(1).level + 1) +
                       (14 + 14 + 10) * account.real_diagonal_bytes(program.value(3).level + 1));
  EXPECT_LE(static_cast<double>(encoded.held_bytes()), most);
  EXPECT_GE(static_cast<double>(encoded.held_bytes()), 0.95 * most);
  EXPECT_EQ(static_cast<double>(encoded.held_bytes()),
            slots::price(program, bench.context->parameters().literal(), {}).memory.weights);
}

/// One ciphertext in three places, added up, turned and dropped: what recorded computations are made of.
slots::Program gathered(const Bench& bench) {
  ProgramWriter writer(bench.slots());
  const Layout one = Layout::row_major({bench.slots()}, bench.slots());
  const Layout three = Layout::row_major({3 * bench.slots()}, bench.slots());
  const auto x = writer.input("x", one), y = writer.input("y", Layout::row_major({16}, bench.slots()));
  const auto many = writer.record(slots::Gather{{{x, {2}, {0}, 0}, {y, {1}, {1}, 0}}}, three);
  const auto products = writer.record(slots::Multiply{many, many, 3}, one);
  const auto turned = writer.record(slots::RotateSum{writer.record(slots::Drop{x}, one), {1, -3}}, one);
  writer.output(products, "products");
  writer.output(writer.record(slots::Sum{turned, 1}, one), "turned");
  return writer.finish(bench.context->parameters());
}

TEST(Executor, ViewsSumsOfProductsAndOfRotationsAgreeWithTheClearReading) {
  const Bench bench(small_insecure_literal(3));
  const slots::Program program = gathered(bench);
  ProgramWriter numbers(bench.slots(), 3);
  const std::vector<std::vector<double>> tensors{numbers.numbers(program.value(0).layout),
                                                 numbers.numbers(program.value(1).layout)};
  EXPECT_LT(encrypted_against_clear(bench, program, tensors), 1e-6);
}

TEST(Executor, AGatherTakesNoMemoryOfItsOwn) {
  const Bench bench(small_insecure_literal(3));
  const slots::Program program = gathered(bench);
  const params::Account account(bench.context->parameters().literal());
  const double gather = account.ciphertext_bytes(program.value(2).level);
  // Both inputs live on behind the gather; the product of three takes one ciphertext and its scratch.
  EXPECT_LT(slots::value_bytes(program, account, 1),
            2 * (2 * account.ciphertext_bytes(program.value(0).level) + 3 * gather +
                 account.key_switch_scratch_bytes(program.value(2).level)));
  slots::Program other = program;
  other.instructions[1].scale *= 2;
  EXPECT_THAT([&] { bench.prepared(other); }, ThrowsMessage<base::InputError>(HasSubstr("at another scale")));
}

TEST(Executor, ASmallMemoryBudgetChangesNothingButTheTime) {
  const Bench bench(small_insecure_literal(7));
  const slots::Program program = linear_square_linear_polynomial(bench);
  ProgramWriter numbers(bench.slots(), 7);
  const std::vector<std::vector<double>> tensors{numbers.numbers(program.instructions[0].layout)};
  const auto keys = bench.keys(program);
  const auto inputs = bench.encrypt(program, tensors);

  Executor rich(bench.prepared(program), keys);
  const RunResult expected = rich.run(inputs);
  const MemoryUse plan = rich.prepared().memory();
  EXPECT_EQ(plan.held_weights, plan.weights);
  EXPECT_EQ(plan.largest_unheld, 0u);
  EXPECT_EQ(plan.keys, keys->bytes());

  Executor poor(bench.prepared(program, {.memory = {plan.peak() - 1, 0}}), keys);
  const RunResult found = poor.run(inputs);
  EXPECT_LT(poor.prepared().memory().held_weights, plan.weights);
  EXPECT_GT(poor.prepared().memory().largest_unheld, 0u);
  EXPECT_LE(poor.prepared().memory().peak(), plan.peak() - 1);
  const Layout& out = program.instructions.back().layout;
  EXPECT_EQ(bench.decrypt(found.outputs[0], out), bench.decrypt(expected.outputs[0], out));

  const auto broke = bench.prepared(program, {.memory = {plan.keys + plan.values + 1000, 0}});
  EXPECT_THAT([&] { broke->encode(); }, ThrowsMessage<base::InputError>(HasSubstr("memory budget")));
  const auto penniless = bench.prepared(program, {.memory = {1500, 500}});
  EXPECT_THAT([&] { penniless->encode(); }, ThrowsMessage<base::InputError>(HasSubstr("keys and ciphertexts need")));
}

TEST(Executor, ClientsShareThePreparedProgramAndRunAtOnce) {
  const Bench first(small_insecure_literal(7)), second(small_insecure_literal(7));
  const slots::Program program = linear_square_linear_polynomial(first);
  const Layout &in = program.instructions[0].layout, &out = program.instructions.back().layout;
  const auto prepared = first.prepared(program, {.clients = 2});
  prepared->encode();
  const MemoryUse before = prepared->memory();
  EXPECT_EQ(before.keys, 2 * first.keys(program)->bytes());
  std::vector<std::vector<double>> found(2), expected(2);
  std::vector<std::thread> threads;
  for (std::size_t c = 0; c < 2; ++c)
    threads.emplace_back([&, c] {
      const Bench& client = c == 0 ? first : second;
      const std::vector<std::vector<double>> tensors{
          ProgramWriter(client.slots(), static_cast<unsigned>(c) + 7).numbers(in)};
      const Executor executor(prepared, client.keys(program));
      for (int run = 0; run < 5; ++run)
        found[c] = client.decrypt(executor.run(client.encrypt(program, tensors)).outputs[0], out);
      expected[c] = slots::ClearProgram(program).run(tensors)[0];
    });
  for (std::thread& thread : threads) thread.join();
  for (std::size_t c = 0; c < 2; ++c) EXPECT_LT(largest_difference(found[c], expected[c]), 1e-6) << c;
  EXPECT_GT(largest_difference(expected[0], expected[1]), 1e-3);
  // One set of weights, whoever runs.
  EXPECT_EQ(prepared->memory().held_weights, before.held_weights);
  EXPECT_EQ(before.held_weights, before.weights);
}

TEST(Executor, AnAbsentKeyIsNamedBeforeAnythingRuns) {
  const Bench bench(small_insecure_literal(7));
  const slots::Program program = linear_square_linear_polynomial(bench);
  auto manifest = slots::key_manifest(program);
  const std::int64_t step = manifest.rotations.begin()->first;
  manifest.rotations.begin()->second -= 1;
  const scheme::ckks::KeyGenerator generator(bench.context);
  const auto low =
      std::make_shared<const scheme::ckks::EvaluationKeys>(generator.evaluation_keys(bench.secret, manifest));
  EXPECT_THAT([&] { Executor(bench.prepared(program), low); },
              ThrowsMessage<base::InputError>(HasSubstr("rotation by " + std::to_string(step))));
  manifest = slots::key_manifest(program);
  manifest.relinearise_level = -1;
  const auto none =
      std::make_shared<const scheme::ckks::EvaluationKeys>(generator.evaluation_keys(bench.secret, manifest));
  EXPECT_THAT([&] { Executor(bench.prepared(program), none); },
              ThrowsMessage<base::InputError>(HasSubstr("relinearisation key")));
}

TEST(Executor, KeysAndCiphertextsOfAnotherSetAreRefused) {
  const Bench bench(small_insecure_literal(7)), other(small_insecure_literal(8));
  const slots::Program program = linear_square_linear_polynomial(bench);
  const auto foreign = std::make_shared<const scheme::ckks::EvaluationKeys>(
      scheme::ckks::KeyGenerator(other.context).evaluation_keys(other.secret, slots::key_manifest(program)));
  EXPECT_THROW(Executor(bench.prepared(program), foreign), base::KeyMismatch);

  ProgramWriter numbers(bench.slots(), 7);
  const std::vector<std::vector<double>> tensors{numbers.numbers(program.instructions[0].layout)};
  Executor executor(bench.prepared(program), bench.keys(program));
  EXPECT_THROW(executor.run(other.encrypt(program, tensors)), base::KeyMismatch);
  EXPECT_THROW(executor.run({}), base::InputError);
  auto inputs = bench.encrypt(program, tensors);
  inputs[0][0].scale *= 1.01;
  EXPECT_THROW(executor.run(inputs), base::InputError);
  inputs[0].clear();
  EXPECT_THROW(executor.run(inputs), base::InputError);
}

TEST(Executor, AProgramOfAnotherShapeIsRefused) {
  const Bench bench(small_insecure_literal(7)), other(small_insecure_literal(3));
  const slots::Program program = linear_square_linear_polynomial(bench);
  EXPECT_THROW(Executor(other.prepared(program), other.keys({})), base::InputError);
  slots::Program low = program;
  low.instructions[1].level = low.instructions[0].level;
  EXPECT_THROW(Executor(bench.prepared(low), bench.keys(program)), base::InputError);
}

struct Recorder final : Observer {
  std::vector<program::ValueId> ids;
  std::vector<std::size_t> operands;
  void carried_out(program::ValueId id, const slots::Instruction&, std::span<const program::ArrayPtr> reads,
                   const program::ArrayPtr& result) override {
    ids.push_back(id);
    operands.push_back(reads.size());
    EXPECT_EQ(result->count(), 1);
  }
};

TEST(Executor, AnObserverSeesEveryInstructionWithItsOperands) {
  const Bench bench(small_insecure_literal(7));
  const slots::Program program = linear_square_linear_polynomial(bench);
  ProgramWriter numbers(bench.slots(), 7);
  Executor executor(bench.prepared(program), bench.keys(program));
  Recorder recorder;
  executor.run(bench.encrypt(program, {numbers.numbers(program.instructions[0].layout)}), &recorder);
  EXPECT_THAT(recorder.ids, testing::ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_THAT(recorder.operands, testing::ElementsAre(0, 1, 2, 1, 1, 1));
}

TEST(Executor, RunsAtASecureSize) {
  const Bench bench(params::named_literal("N14-d7"));
  ASSERT_GE(bench.context->parameters().security_bits(), 128);
  ProgramWriter writer(bench.slots());
  const auto x = writer.input("x", Layout::row_major({1, 8, 8}, bench.slots()));
  const auto h = writer.dense(x, Layout::row_major({16}, bench.slots()));
  writer.output(writer.dense(writer.multiply(h, h), Layout::row_major({10}, bench.slots())), "y");
  const slots::Program program = writer.finish(bench.context->parameters());
  EXPECT_LT(encrypted_against_clear(bench, program, {writer.numbers(program.instructions[0].layout)}), 1e-5);
}

/// Plaintexts that are the same for every ciphertext are expanded once, and others are not.
TEST(Executor, EveryCiphertextMeetsItsOwnPlaintext) {
  const Bench bench(small_insecure_literal(2));
  const auto size = static_cast<std::size_t>(bench.slots());
  const Layout three = Layout::row_major({3 * bench.slots()}, bench.slots());
  ProgramWriter writer(bench.slots());
  const auto x = writer.input("x", three);
  int outputs = 0;
  for (const std::array<double, 3>& numbers :
       {std::array{0.5, 0.25, 0.25}, {0.25, 0.5, 0.25}, {0.25, 0.25, 0.5}, {0.5, 0.5, 0.5}, {0.25, 0.5, 0.75}}) {
    std::vector<double> all;
    const std::string last = std::to_string(++outputs);
    for (const double number : numbers) all.insert(all.end(), size, number);
    writer.output(writer.record(slots::AddPlain{x, layout::RepeatedReals::of(all)}, three), "sum" + last);
    writer.output(writer.record(slots::MultiplyPlain{x, layout::RepeatedReals::of(all)}, three), "product" + last);
  }
  const slots::Program program = writer.finish(bench.context->parameters());
  EXPECT_LT(encrypted_against_clear(bench, program, {writer.numbers(three)}), 1e-6);
}

}  // namespace
}  // namespace tacit::runtime
