#include "runtime/slots/placed_evaluator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "params/small_ring_for_test.h"
#include "runtime/slots/bench_for_test.h"
#include "runtime/slots/executor.h"
#include "runtime/slots/small_program_for_test.h"
#include "runtime/thread_ranks_for_test.h"
#include "scheme/ckks/serialize.h"

namespace tacit::runtime {
namespace {

using layout::Layout;

std::vector<std::uint8_t> result_bytes(const scheme::ckks::Context& context, const RunResult& result) {
  std::vector<std::uint8_t> bytes;
  for (const CiphertextArray& array : result.outputs)
    for (const auto& one : array) {
      const auto more = scheme::ckks::serialize(context, one);
      bytes.insert(bytes.end(), more.begin(), more.end());
    }
  return bytes;
}

/// Expects that 2, 3, 4 and 7 ranks make what one makes, byte for byte.
void expect_the_same_on_ranks(const Bench& bench, const slots::Program& program) {
  ProgramWriter numbers(bench.slots(), 5);
  std::vector<std::vector<double>> tensors;
  for (const slots::Instruction& instruction : program.instructions)
    if (std::holds_alternative<slots::Input>(instruction.operation))
      tensors.push_back(numbers.numbers(instruction.layout));
  const std::vector<CiphertextArray> inputs = bench.encrypt(program, tensors);
  const auto keys = bench.keys(program);
  const auto alone = result_bytes(*bench.context, Executor(bench.prepared(program), keys).run(inputs));
  ASSERT_FALSE(alone.empty());
  for (const int ranks : {2, 3, 4, 7})
    ThreadRanks::run(ranks, [&](Communicator& self) {
      const Executor executor(bench.prepared(program, {.ranks = &self}), keys);
      const RunResult result = executor.run(self.rank() == 0 ? std::span<const CiphertextArray>(inputs)
                                                             : std::span<const CiphertextArray>());
      EXPECT_EQ(result.seconds.size(), program.instructions.size());
      if (self.rank() == 0)
        EXPECT_EQ(result_bytes(*bench.context, result), alone) << ranks << " ranks";
      else
        EXPECT_TRUE(result.outputs.empty());
    });
}

TEST(PlacedEvaluator, EveryInstructionMakesTheSameBytesOnAnyNumberOfRanks) {
  params::CkksLiteral literal = small_insecure_literal(6);
  literal.log_n = 7;
  const Bench bench(literal);
  ProgramWriter writer(bench.slots());
  const Layout wide = Layout::row_major({5, 40}, bench.slots());
  ASSERT_EQ(wide.ciphertexts(), 5);
  const Layout narrow = Layout::row_major({2, 40}, bench.slots());
  const auto a = writer.input("a", wide), b = writer.input("b", wide);
  const auto p = writer.dense(a, narrow), q = writer.dense(b, narrow);
  const auto joined = writer.join(p, q);
  const auto shifted = writer.add_plain(writer.difference(p, q));
  const auto product = writer.multiply(joined, shifted);
  const auto scaled = writer.multiply_plain(writer.sum(joined, shifted));
  const auto bent = writer.polynomial(writer.multiply_plain(b), {0.1, 0.4, -0.2, 0.05});
  writer.output(writer.dense(product, Layout::row_major({5}, bench.slots())), "one ciphertext");
  writer.output(scaled, "two");
  writer.output(bent, "five");
  writer.output(a, "the input");
  expect_the_same_on_ranks(bench, writer.finish(bench.context->parameters()));
}

TEST(PlacedEvaluator, ViewsSumsAndRotationsMakeTheSameBytes) {
  const Bench bench(small_insecure_literal(3));
  ProgramWriter writer(bench.slots());
  const Layout one = Layout::row_major({bench.slots()}, bench.slots());
  const Layout six = Layout::row_major({6 * bench.slots()}, bench.slots());
  const Layout two = Layout::row_major({2 * bench.slots()}, bench.slots());
  const auto x = writer.input("x", two), y = writer.input("y", one);
  const auto many = writer.record(slots::Gather{{{x, {2, 2}, {0, 1}, 0}, {y, {2}, {0}, 0}}}, six);
  writer.output(writer.record(slots::Multiply{many, many, 3}, two), "products");
  const auto turned = writer.record(slots::RotateSum{writer.record(slots::Drop{many}, six), {1, -3}}, six);
  writer.output(writer.record(slots::Sum{writer.record(slots::Rotate{turned, 2}, six), 6}, one), "turned");
  const auto factor = writer.numbers(six);
  writer.output(writer.record(slots::MultiplyPlain{many, layout::RepeatedReals::of(factor), 2},
                              Layout::row_major({3 * bench.slots()}, bench.slots())),
                "scaled");
  expect_the_same_on_ranks(bench, writer.finish(bench.context->parameters()));
}

/// A matrix with entries beside the diagonal only, so that an output ciphertext reads its neighbours.
TEST(PlacedEvaluator, OutputsReadTheInputsThatTheirBlocksName) {
  const Bench bench(small_insecure_literal(2));
  ProgramWriter writer(bench.slots());
  const layout::Index size = 6 * bench.slots();
  const Layout six = Layout::row_major({size}, bench.slots());
  std::vector<layout::Index> begin{0}, column;
  std::vector<double> weight;
  for (layout::Index r = 0; r < size; ++r) {
    for (const layout::Index c : {r - 1, r + 1})
      if (c >= 0 && c < size && r / bench.slots() != 3) {  // the fourth output is zero
        column.push_back(c);
        weight.push_back(0.5);
      }
    begin.push_back(static_cast<layout::Index>(column.size()));
  }
  slots::LinearTerm term{
      writer.input("x", six),
      {six, six, std::make_shared<layout::SparseRows>(six.shape(), six.shape(), begin, column, weight)},
      {}};
  term.schedule = schedule_of(term.map);
  EXPECT_THAT(
      layout::inputs_of_outputs(term.map),
      testing::ElementsAre(testing::ElementsAre(0, 1), testing::ElementsAre(0, 1, 2), testing::ElementsAre(1, 2, 3),
                           testing::ElementsAre(), testing::ElementsAre(3, 4, 5), testing::ElementsAre(4, 5)));
  writer.output(writer.record(slots::Linear{{term}, {}}, six), "y");
  expect_the_same_on_ranks(bench, writer.finish(bench.context->parameters()));
}

TEST(PlacedEvaluator, PairsOfBootstrapsMakeTheSameBytes) {
  const params::CkksLiteral literal = params::insecure_on_small_ring("S8", 9);
  const Bench bench(literal);
  const Layout five = Layout::row_major({5 * bench.slots()}, bench.slots());
  slots::Program program{.name = "five", .slots = bench.slots(), .instructions = {}};
  const auto add = [&](slots::Operation operation) {
    program.instructions.push_back({std::move(operation), five, "node", "five.onnx: node", 1, -1, 0});
  };
  add(slots::Input{"x"});
  add(slots::Bootstrap{{0}, params::plan_bootstrap(literal, {.output_level = 5})});
  add(slots::Add{1, 0});
  add(slots::Output{2, "y"});
  slots::assign_levels(program, bench.context->parameters());
  expect_the_same_on_ranks(bench, program);
}

}  // namespace
}  // namespace tacit::runtime
