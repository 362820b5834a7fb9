#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/refusal_for_test.h"
#include "runtime/slots/bench_for_test.h"
#include "runtime/slots/encoded_weights.h"
#include "runtime/slots/encrypted_evaluator.h"
#include "runtime/slots/ranked_keys.h"
#include "runtime/slots/small_program_for_test.h"
#include "runtime/thread_ranks_for_test.h"
#include "scheme/ckks/serialize.h"

namespace tacit::runtime {
namespace {

using layout::Layout;
using program::ValueId;

params::CkksLiteral tiny_ring() {
  params::CkksLiteral literal = small_insecure_literal(1);
  literal.log_n = 6;
  return literal;
}

/// Numbers that are added to three ciphertexts, one, four and two: as many rows of 64 words.
class HeldWeights : public testing::Test {
 protected:
  static constexpr std::uint64_t kRow = 64 * 8, kTaken = 1000;

  HeldWeights() : bench_(tiny_ring()), evaluator_(EncryptedEvaluator::make(bench_.context, {})) {
    ProgramWriter writer(bench_.slots());
    for (const layout::Index count : {3, 1, 4, 2}) {
      const auto x =
          writer.input(fmt::format("x{}", count), Layout::row_major({count * bench_.slots()}, bench_.slots()));
      weights_.push_back(writer.add_plain(x));
      writer.output(weights_.back(), fmt::format("y{}", count));
    }
    program_ = writer.finish(bench_.context->parameters());
  }
  /// What is held of rows 3, 1, 4 and 2 where there is room for so many bytes, and the rows of the largest of the rest.
  struct Held {
    std::vector<bool> held;
    std::uint64_t rows, unheld, total;
  };
  Held held(std::uint64_t room) const {
    EncodedWeights encoded(program_, bench_.context, *evaluator_);
    encoded.encode({.bytes = kTaken + room}, kTaken, 0, base::Progress::silent());
    Held found;
    for (const ValueId id : weights_) found.held.push_back(encoded.of(id) == encoded.of(id));
    found.rows = encoded.held_bytes() / kRow;
    found.unheld = encoded.largest_unheld_bytes() / kRow;
    found.total = encoded.total_bytes() / kRow;
    return found;
  }

  Bench bench_;
  std::shared_ptr<EncryptedEvaluator> evaluator_;
  slots::Program program_;
  std::vector<ValueId> weights_;
};

TEST_F(HeldWeights, TheSmallestGoFirstUntilTheRestFitsBesideTheLargestOfThem) {
  struct Case {
    std::uint64_t room;
    std::vector<bool> held;
    std::uint64_t rows, unheld;
  };
  for (const Case& c :
       {Case{10 * kRow, {true, true, true, true}, 10, 0}, Case{10 * kRow - 1, {true, false, true, false}, 7, 2},
        Case{9 * kRow, {true, false, true, false}, 7, 2}, Case{9 * kRow - 1, {false, false, true, false}, 4, 3},
        Case{7 * kRow, {false, false, true, false}, 4, 3}, Case{7 * kRow - 1, {false, false, false, false}, 0, 4},
        Case{4 * kRow, {false, false, false, false}, 0, 4}}) {
    const Held found = held(c.room);
    EXPECT_EQ(found.held, c.held) << c.room;
    EXPECT_EQ(found.rows, c.rows) << c.room;
    EXPECT_EQ(found.unheld, c.unheld) << c.room;
    EXPECT_EQ(found.total, 10u) << c.room;
  }
  const base::MemoryBudget small{.bytes = kTaken + 4 * kRow - 1};
  EXPECT_EQ(base::refusal([&] { held(4 * kRow - 1); }),
            small.shortfall(program_.value(weights_[2]).source + ": its weights, keys and ciphertexts need",
                            static_cast<double>(kTaken + 4 * kRow)));
}

TEST_F(HeldWeights, ThatJustFitAreHeld) {
  ProgramWriter writer(bench_.slots());
  writer.output(writer.add_plain(writer.input("x", Layout::row_major({bench_.slots()}, bench_.slots()))), "y");
  const slots::Program program = writer.finish(bench_.context->parameters());
  EncodedWeights one(program, bench_.context, *evaluator_);
  EXPECT_EQ(one.held_bytes() + one.total_bytes() + one.largest_unheld_bytes(), 0u) << "nothing is encoded yet";
  one.encode({.bytes = kTaken + kRow}, kTaken, 0, base::Progress::silent());
  EXPECT_EQ(one.held_bytes(), kRow);
  EXPECT_EQ(one.total_bytes(), kRow);
  EXPECT_EQ(one.largest_unheld_bytes(), 0u);
}

TEST_F(HeldWeights, OfAProgramWithoutAnyAreNone) {
  ProgramWriter writer(bench_.slots());
  const auto x = writer.input("x", Layout::row_major({bench_.slots()}, bench_.slots()));
  writer.output(writer.multiply(x, x), "y");
  const slots::Program program = writer.finish(bench_.context->parameters());
  const WeightBytes::Largest largest = WeightBytes(program, *bench_.context).largest(1000);
  EXPECT_EQ(largest.id, 0u);
  EXPECT_EQ(largest.bytes, 0u);
  EncodedWeights none(program, bench_.context, *evaluator_);
  none.encode({.bytes = kTaken}, kTaken, 0, base::Progress::silent());
  EXPECT_EQ(none.total_bytes() + none.held_bytes() + none.largest_unheld_bytes(), 0u);
}

TEST(RankedKeys, CountAsARanksShareWhereTheirMemoryIsInCommon) {
  const Bench bench(tiny_ring());
  params::KeyManifest manifest;
  manifest.relinearise_level = 1;
  manifest.rotations = {{1, 1}, {3, 0}};
  const auto keys = std::make_shared<const scheme::ckks::EvaluationKeys>(
      scheme::ckks::KeyGenerator(bench.context).evaluation_keys(bench.secret, manifest));
  const RankedKeys own{.keys = keys};
  EXPECT_EQ(own.neighbours, 1);
  EXPECT_FALSE(own.in_common);
  EXPECT_EQ(own.bytes(), keys->bytes());
  EXPECT_EQ((RankedKeys{keys, 3, false}.bytes()), keys->bytes());
  EXPECT_EQ((RankedKeys{keys, 3, true}.bytes()), keys->bytes() / 3);
  OneRank alone;
  const RankedKeys kept = share_keys(alone, *bench.context, keys);
  EXPECT_EQ(kept.keys, keys);
  EXPECT_EQ(kept.neighbours, 1);
  EXPECT_FALSE(kept.in_common);
  const auto bytes = scheme::ckks::serialize(*bench.context, *keys);
  ThreadRanks::run(3, [&](Communicator& self) {
    const RankedKeys shared = share_keys(self, *bench.context, self.rank() == 0 ? keys : nullptr);
    EXPECT_EQ(shared.neighbours, 3);
    EXPECT_TRUE(shared.in_common);
    EXPECT_EQ(shared.bytes(), keys->bytes() / 3);
    EXPECT_EQ(scheme::ckks::serialize(*bench.context, *shared.keys), bytes);
  });
}

/// Ranks of which each is on a machine of its own.
class Apart final : public Communicator {
 public:
  explicit Apart(Communicator& ranks) : ranks_(ranks) {}
  int rank() const override { return ranks_.rank(); }
  int size() const override { return ranks_.size(); }
  void exchange(std::span<const Message> messages, std::span<const Room> rooms) override {
    ranks_.exchange(messages, rooms);
  }
  void broadcast(std::vector<std::byte>& bytes) override { ranks_.broadcast(bytes); }
  std::unique_ptr<Communicator> split(int group) override { return ranks_.split(group); }
  std::unique_ptr<Communicator> on_this_machine() override { return ranks_.split(ranks_.rank()); }
  void barrier() override { ranks_.barrier(); }

 private:
  Communicator& ranks_;
};

TEST(RankedKeys, AreInCommonWhereTwoRanksAreOnAMachineAndNotWhereOneIs) {
  const Bench bench(tiny_ring());
  params::KeyManifest manifest;
  manifest.rotations = {{1, 1}, {3, 0}};
  const auto keys = std::make_shared<const scheme::ckks::EvaluationKeys>(
      scheme::ckks::KeyGenerator(bench.context).evaluation_keys(bench.secret, manifest));
  const auto bytes = scheme::ckks::serialize(*bench.context, *keys);
  ThreadRanks::run(2, [&](Communicator& self) {
    const RankedKeys together = share_keys(self, *bench.context, self.rank() == 0 ? keys : nullptr);
    EXPECT_EQ(together.neighbours, 2);
    EXPECT_TRUE(together.in_common);
    EXPECT_EQ(scheme::ckks::serialize(*bench.context, *together.keys), bytes);
    Apart apart(self);
    const RankedKeys own = share_keys(apart, *bench.context, self.rank() == 0 ? keys : nullptr);
    EXPECT_EQ(own.neighbours, 1);
    EXPECT_FALSE(own.in_common);
    EXPECT_EQ(own.bytes(), keys->bytes());
    EXPECT_EQ(scheme::ckks::serialize(*bench.context, *own.keys), bytes);
  });
}

}  // namespace
}  // namespace tacit::runtime
