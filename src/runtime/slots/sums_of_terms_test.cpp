#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/refusal_for_test.h"
#include "layout/equal_parts.h"
#include "layout/operators/repeated.h"
#include "program/slots/clear_program.h"
#include "runtime/slots/bench_for_test.h"
#include "runtime/slots/encrypted_evaluator.h"
#include "runtime/slots/executor.h"
#include "runtime/slots/small_program_for_test.h"
#include "runtime/thread_ranks_for_test.h"

namespace tacit::runtime {
namespace {

using layout::Layout;

/// The largest difference of every output from the clear reading.
std::vector<double> differences(const Bench& bench, const slots::Program& program) {
  ProgramWriter numbers(bench.slots(), 9);
  std::vector<std::vector<double>> tensors;
  for (const slots::Instruction& instruction : program.instructions)
    if (std::holds_alternative<slots::Input>(instruction.operation))
      tensors.push_back(numbers.numbers(instruction.layout));
  const RunResult result = Executor(bench.prepared(program), bench.keys(program)).run(bench.encrypt(program, tensors));
  const auto expected = slots::ClearProgram(program).run(tensors);
  std::vector<double> largest;
  for (const slots::Instruction& instruction : program.instructions) {
    if (!std::holds_alternative<slots::Output>(instruction.operation)) continue;
    const std::size_t o = largest.size();
    const std::vector<double> found = bench.decrypt(result.outputs[o], instruction.layout);
    largest.push_back(found.size() == expected[o].size() ? 0 : 1);
    for (std::size_t i = 0; i < std::min(found.size(), expected[o].size()); ++i)
      largest[o] = std::max(largest[o], std::abs(found[i] - expected[o][i]));
  }
  return largest;
}

/// Of six ciphertexts that differ, two and three at a time, and all of them.
TEST(SumsOfTerms, AreThoseOfConsecutiveCiphertexts) {
  params::CkksLiteral literal = small_insecure_literal(2);
  literal.log_n = 7;
  const Bench bench(literal);
  const auto ciphertexts = [&](layout::Index count) {
    return Layout::row_major({count * bench.slots()}, bench.slots());
  };
  ProgramWriter writer(bench.slots());
  const auto x = writer.input("x", ciphertexts(6)), y = writer.input("y", ciphertexts(6));
  for (const layout::Index terms : {1, 2, 3, 6}) {
    const Layout out = ciphertexts(6 / terms);
    writer.output(writer.record(slots::Sum{x, terms}, out), fmt::format("sum {}", terms));
    writer.output(writer.record(slots::Multiply{x, y, terms}, out), fmt::format("products {}", terms));
    writer.output(writer.record(slots::Multiply{x, x, terms}, out), fmt::format("squares {}", terms));
    const auto factors = layout::RepeatedReals::of(writer.numbers(ciphertexts(6)));
    writer.output(writer.record(slots::MultiplyPlain{x, factors, terms}, out), fmt::format("multiples {}", terms));
  }
  const slots::Program program = writer.finish(bench.context->parameters());
  EXPECT_THAT(differences(bench, program), testing::Each(testing::Lt(1e-6)));
}

/// A matrix for each of four samples, of which every one fills two ciphertexts.
class GroupedMap : public ::testing::Test {
 public:
  static params::CkksLiteral ring() {
    params::CkksLiteral literal = small_insecure_literal(2);
    literal.log_n = 6;
    return literal;
  }

 protected:
  GroupedMap() : bench_(ring()) {
    const layout::Index slots = bench_.slots();
    ProgramWriter writer(slots);
    const layout::Shape of_one{2 * slots};
    const Layout four = Layout::row_major({4, 2 * slots}, slots);
    // Every output reads the element of its place and the next; the last reads itself.
    std::vector<layout::Index> begin{0}, column;
    std::vector<double> weight;
    for (layout::Index r = 0; r < 2 * slots; ++r) {
      for (const layout::Index c : {r, r + 1})
        if (c < 2 * slots) {
          column.push_back(c);
          weight.push_back(0.5 + 0.25 * static_cast<double>(column.size() % 3));
        }
      begin.push_back(static_cast<layout::Index>(column.size()));
    }
    const auto one = std::make_shared<layout::SparseRows>(of_one, of_one, begin, column, weight);
    term_ = {writer.input("x", four), {four, four, layout::repeated(one, 4)}, {}};
    term_.schedule = schedule_of(layout::equal_parts(term_.map).part);
    writer.output(writer.record(slots::Linear{{term_}, {}}, four), "y");
    program_ = writer.finish(bench_.context->parameters());
  }
  Bench bench_;
  slots::LinearTerm term_;
  slots::Program program_;
};

TEST_F(GroupedMap, DoesTheSameToEveryGroupOfCiphertexts) {
  ASSERT_EQ(layout::equal_parts(term_.map).count, 4);
  EXPECT_THAT(differences(bench_, program_), testing::Each(testing::Lt(1e-6)));
}

TEST_F(GroupedMap, MakesTheSameBytesOnRanks) {
  ProgramWriter numbers(bench_.slots(), 4);
  const auto inputs = bench_.encrypt(program_, {numbers.numbers(program_.value(0).layout)});
  const auto keys = bench_.keys(program_);
  const auto alone = bytes_of(*bench_.context, Executor(bench_.prepared(program_), keys).run(inputs).outputs);
  for (const int ranks : {2, 3, 5})
    ThreadRanks::run(ranks, [&](Communicator& self) {
      const Executor executor(bench_.prepared(program_, {.ranks = &self}), keys);
      const RunResult result = executor.run(self.rank() == 0 ? std::span<const CiphertextArray>(inputs)
                                                             : std::span<const CiphertextArray>());
      if (self.rank() == 0) {
        EXPECT_EQ(bytes_of(*bench_.context, result.outputs), alone) << ranks << " ranks";
      }
    });
}

/// Views of one array that differ in where they begin, in their steps, or in the form of their grid.
TEST(ViewsOfOneArray, AreToldApartOnRanks) {
  const Bench bench(GroupedMap::ring());
  const auto ciphertexts = [&](layout::Index count) {
    return Layout::row_major({count * bench.slots()}, bench.slots());
  };
  ProgramWriter writer(bench.slots());
  const auto x = writer.input("x", ciphertexts(6));
  const auto part = [&](std::vector<layout::Index> extents, std::vector<layout::Index> strides, layout::Index offset) {
    layout::Index count = 1;
    for (const layout::Index extent : extents) count *= extent;
    return writer.record(
        slots::Gather{{{.input = x, .extents = std::move(extents), .strides = std::move(strides), .offset = offset}}},
        ciphertexts(count));
  };
  const auto low = part({3}, {1}, 0);
  const std::pair<program::ValueId, program::ValueId> pairs[] = {
      {low, part({3}, {1}, 3)},
      {low, part({3}, {2}, 0)},
      {part({2, 3}, {1, 1}, 0), part({3, 2}, {1, 1}, 0)},
      {low, part({3}, {1}, 0)},
  };
  for (const auto& [left, right] : pairs) {
    const layout::Index count = left == low ? 3 : 6;
    writer.output(writer.record(slots::Multiply{left, right}, ciphertexts(count)), fmt::format("product {}", right));
    writer.output(writer.record(slots::Subtract{left, right}, ciphertexts(count)), fmt::format("difference {}", right));
  }
  const slots::Program program = writer.finish(bench.context->parameters());
  EXPECT_THAT(differences(bench, program), testing::Each(testing::Lt(1e-6)));
  const auto inputs = bench.encrypt(program, {writer.numbers(ciphertexts(6))});
  const auto keys = bench.keys(program);
  const auto alone = bytes_of(*bench.context, Executor(bench.prepared(program), keys).run(inputs).outputs);
  for (const int ranks : {2, 3})
    ThreadRanks::run(ranks, [&](Communicator& self) {
      const Executor executor(bench.prepared(program, {.ranks = &self}), keys);
      const RunResult result = executor.run(self.rank() == 0 ? std::span<const CiphertextArray>(inputs)
                                                             : std::span<const CiphertextArray>());
      if (self.rank() == 0) {
        EXPECT_EQ(bytes_of(*bench.context, result.outputs), alone) << ranks << " ranks";
      }
    });
}

TEST(EncodedMaps, TakeTheBytesOfTheirBlocks) {
  const Bench bench(GroupedMap::ring());
  const auto evaluator = EncryptedEvaluator::make(bench.context, {});
  const auto bytes_of_halving = [&](layout::Index ciphertexts) {
    const Layout layout = Layout::row_major({ciphertexts * bench.slots()}, bench.slots());
    std::vector<layout::Index> begin{0}, column;
    for (layout::Index r = 0; r < ciphertexts * bench.slots(); ++r) {
      column.push_back(r);
      begin.push_back(r + 1);
    }
    const std::vector<double> weight(column.size(), 0.5);
    const layout::LinearMap map{
        layout, layout, std::make_shared<layout::SparseRows>(layout.shape(), layout.shape(), begin, column, weight)};
    const params::LinearSchedule schedule = schedule_of(map);
    return evaluator->encode_map({map, schedule}, {1, 0x1p40}, {0, 0x1p40})->bytes();
  };
  EXPECT_GT(bytes_of_halving(1), 0.0);
  EXPECT_EQ(bytes_of_halving(3), 3 * bytes_of_halving(1)) << "blocks of zeros take none";
}

TEST(EncryptedReading, ACiphertextTakesTwoRowsALevel) {
  const Bench bench(small_insecure_literal(2));
  const auto evaluator = EncryptedEvaluator::make(bench.context, {});
  EXPECT_EQ(evaluator->ciphertext_bytes(0), 2.0 * 1024 * 8);
  EXPECT_EQ(evaluator->ciphertext_bytes(2), 6.0 * 1024 * 8);
  EXPECT_EQ(evaluator->slots(), 512);
}

TEST(EncryptedReading, NoCiphertextsAreAtLevel0) {
  const std::span<const scheme::ckks::Ciphertext> none;
  for (const program::ArrayPtr& array : {array_of(none), borrowed(none)}) {
    EXPECT_EQ(array->count(), 0);
    EXPECT_EQ(array->level(), 0);
  }
}

TEST(EncryptedReading, OnlyTheHolderOfTheKeyEncryptsAndDecrypts) {
  const Bench bench(small_insecure_literal(2));
  const auto evaluator = EncryptedEvaluator::make(bench.context, {});
  const Layout layout = Layout::row_major({4}, bench.slots());
  const slots::Landing top{2, 0x1p40};
  const auto encrypt = [&] {
    return evaluator->encrypt(
        layout, [&](layout::Index) { return std::vector<double>(512, 0.5); }, top);
  };
  EXPECT_EQ(base::refusal(encrypt), "encrypt: this session has no key to encrypt with");
  evaluator->set_secret(bench.secret);
  const program::ArrayPtr made = encrypt();
  EXPECT_EQ(made->count(), 1);
  EXPECT_EQ(made->level(), 2);
  const program::View whole = program::View::whole(made);
  for (const slots::Decoding decoding : {slots::Decoding::exact, slots::Decoding::with_noise}) {
    const auto values = evaluator->decrypt(whole, decoding);
    ASSERT_EQ(values.size(), 1u);
    ASSERT_EQ(values[0].size(), 512u);
    EXPECT_NEAR(values[0][511], 0.5, 1e-8);
  }
  EXPECT_EQ(base::refusal([&] { EncryptedEvaluator::make(bench.context, {})->decrypt(whole, slots::Decoding::exact); }),
            "decrypt: this session has no secret key");
}

TEST(EncryptedReading, DecodesWithoutNoiseOfItsOwnWhereItIsAskedTo) {
  const Bench bench(small_insecure_literal(2));
  const auto evaluator = EncryptedEvaluator::make(bench.context, {});
  evaluator->set_secret(bench.secret);
  const program::ArrayPtr made = evaluator->encrypt(
      Layout::row_major({4}, bench.slots()), [](layout::Index) { return std::vector<double>(512, 0.5); }, {2, 0x1p40});
  std::vector<double> exact;
  for (const auto& z : scheme::ckks::Decryptor(bench.context, bench.secret).exact_slots(*ciphertexts_of(made).front()))
    exact.push_back(z.real());
  const program::View whole = program::View::whole(made);
  EXPECT_EQ(evaluator->decrypt(whole, slots::Decoding::exact).front(), exact);
  EXPECT_NE(evaluator->decrypt(whole, slots::Decoding::with_noise).front(), exact);
}

// A scale is one with another up to 2^-30 of it.
TEST(EncryptedReading, AGatherSharesCiphertextsButForTheRoundingOfTheirScale) {
  const Bench bench(small_insecure_literal(2));
  const auto evaluator = EncryptedEvaluator::make(bench.context, {});
  evaluator->set_secret(bench.secret);
  const program::ArrayPtr made = evaluator->encrypt(
      Layout::row_major({4}, bench.slots()), [](layout::Index) { return std::vector<double>(512, 0.5); }, {2, 0x1p40});
  const program::View whole = program::View::whole(made);
  const program::ArrayPtr shared = evaluator->gather({&whole, 1}, {2, 0x1p40});
  EXPECT_EQ(ciphertexts_of(shared).front(), ciphertexts_of(made).front());
  const double rounded = 0x1p40 * (1 + 0x1p-40);
  const program::ArrayPtr landed = evaluator->gather({&whole, 1}, {2, rounded});
  EXPECT_EQ(ciphertexts_of(landed).front()->scale, rounded);
  EXPECT_EQ(ciphertexts_of(made).front()->scale, 0x1p40);
}

TEST(EncryptedReading, AResultLandsWhereItsCallerSays) {
  const Bench bench(small_insecure_literal(2));
  const auto evaluator = EncryptedEvaluator::make(bench.context, {});
  evaluator->set_secret(bench.secret);
  const Layout layout = Layout::row_major({4}, bench.slots());
  const program::ArrayPtr made =
      evaluator->encrypt(layout, [&](layout::Index) { return std::vector<double>(512, 0.5); }, {2, 0x1p40});
  const program::View whole = program::View::whole(made);
  EXPECT_EQ(evaluator->add(whole, whole, {1, 0x1p40})->level(), 1);
  EXPECT_EQ(base::refusal<base::InternalError>([&] {
              evaluator->add(whole, whole, {2, 0x1p41});
            }),
            "an instruction ended at level 2, scale 2^40.000000, and was to land at level 2, scale 2^41.000000");
}

}  // namespace
}  // namespace tacit::runtime
