#include "runtime/slots/encoded_weights.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/refusal_for_test.h"
#include "runtime/slots/bench_for_test.h"
#include "runtime/slots/small_program_for_test.h"

namespace tacit::runtime {
namespace {

using layout::Layout;
using program::ValueId;
using testing::HasSubstr;

/// Two dense maps of different sizes, numbers to add and numbers to multiply by.
class EncodedWeightsTest : public testing::Test {
 protected:
  EncodedWeightsTest() : bench_(small_insecure_literal(6)), evaluator_(EncryptedEvaluator::make(bench_.context, {})) {
    ProgramWriter writer(bench_.slots());
    const auto x = writer.input("x", Layout::row_major({1, 6, 9}, bench_.slots()));
    const auto h = writer.add_plain(writer.dense(x, Layout::row_major({20}, bench_.slots())));
    writer.output(writer.multiply_plain(writer.dense(h, Layout::row_major({7}, bench_.slots()))), "y");
    program_ = writer.finish(bench_.context->parameters());
    for (ValueId id = 0; id < program_.instructions.size(); ++id)
      if (slots::has_weights(program_.value(id).operation)) with_weights_.push_back(id);
  }
  EncodedWeights weights() { return {program_, bench_.context, *evaluator_}; }
  /// Of the encoded weights of an instruction.
  std::uint64_t bytes(EncodedWeights& weights, ValueId id) const {
    std::uint64_t sum = WeightBytes(program_, *bench_.context).plaintexts(id);
    const auto encoded = weights.of(id);
    for (const auto& map : encoded->maps) sum += static_cast<std::uint64_t>(map->bytes());
    return sum;
  }
  static bool held(EncodedWeights& weights, ValueId id) { return weights.of(id) == weights.of(id); }
  std::uint64_t bytes_of_held(EncodedWeights& weights) const {
    std::uint64_t sum = 0;
    for (const ValueId id : with_weights_) sum += held(weights, id) ? bytes(weights, id) : 0;
    return sum;
  }

  Bench bench_;
  std::shared_ptr<EncryptedEvaluator> evaluator_;
  slots::Program program_;
  std::vector<ValueId> with_weights_;
};

TEST_F(EncodedWeightsTest, AreHeldAndCountedByTheByte) {
  ASSERT_EQ(with_weights_.size(), 4u);
  EncodedWeights all = weights();
  all.encode({}, 0, 0, base::Progress::silent());
  for (const ValueId id : with_weights_) EXPECT_TRUE(held(all, id)) << id;
  EXPECT_GT(all.held_bytes(), 0u);
  EXPECT_EQ(all.held_bytes(), bytes_of_held(all));
  EXPECT_EQ(all.total_bytes(), all.held_bytes());
  EXPECT_EQ(all.largest_unheld_bytes(), 0u);
}

// What is held is chosen by sizes that are counted before anything is encoded.
TEST_F(EncodedWeightsTest, LeaveRoomForTheLargestThatIsNotHeld) {
  constexpr std::uint64_t kTaken = 1000;
  const WeightBytes sizes(program_, *bench_.context);
  EncodedWeights all = weights();
  all.encode({}, 0, 0, base::Progress::silent());
  std::uint64_t least = 0, most = 0, largest = 0, largest_counted = 0;
  for (const ValueId id : with_weights_) {
    const std::uint64_t encoded = bytes(all, id), counted = sizes.counted(id);
    least += std::min(encoded, counted);
    most += std::max(encoded, counted);
    largest = std::max({largest, encoded, counted});
    largest_counted = std::max(largest_counted, counted);
  }
  ASSERT_LT(largest, least);

  EncodedWeights just_fits = weights();
  just_fits.encode({.bytes = kTaken + most}, kTaken, 0, base::Progress::silent());
  EXPECT_EQ(just_fits.held_bytes(), all.held_bytes());
  EXPECT_EQ(just_fits.largest_unheld_bytes(), 0u);
  for (const std::uint64_t room : {least - 1, largest}) {
    EncodedWeights some = weights();
    some.encode({.bytes = kTaken + room}, kTaken, 0, base::Progress::silent());
    EXPECT_EQ(some.held_bytes(), bytes_of_held(some)) << room;
    EXPECT_LT(some.held_bytes(), all.held_bytes()) << room;
    EXPECT_GT(some.largest_unheld_bytes(), 0u) << room;
    EXPECT_LE(some.held_bytes() + some.largest_unheld_bytes(), room);
    std::uint64_t encoded = 0, counted = 0;
    for (const ValueId id : with_weights_)
      if (!held(some, id)) {
        encoded = std::max(encoded, bytes(all, id));
        counted = std::max(counted, sizes.counted(id));
      }
    EXPECT_THAT(some.largest_unheld_bytes(), testing::AnyOf(encoded, counted)) << room;
    EXPECT_GE(some.total_bytes(), least) << room;
    EXPECT_LE(some.total_bytes(), most) << room;
  }
  EncodedWeights none = weights();
  EXPECT_THAT(
      base::refusal([&] { none.encode({.bytes = kTaken + largest_counted - 1}, kTaken, 0, base::Progress::silent()); }),
      HasSubstr("its weights, keys and ciphertexts need"));
}

TEST_F(EncodedWeightsTest, AreRefusedWithWhatTheLargestNeeds) {
  ProgramWriter writer(bench_.slots());
  const auto a = writer.input("a", Layout::row_major({4}, bench_.slots()));
  writer.output(writer.dense(a, Layout::row_major({4}, bench_.slots())), "small");
  const auto b = writer.input("b", Layout::row_major({1, 6, 9}, bench_.slots()));
  const ValueId large = writer.dense(b, Layout::row_major({20}, bench_.slots()));
  writer.output(large, "large");
  program_ = writer.finish(bench_.context->parameters());
  const std::uint64_t needed = WeightBytes(program_, *bench_.context).counted(large);
  ASSERT_GT(needed, WeightBytes(program_, *bench_.context).counted(1));
  const base::MemoryBudget budget{.bytes = 1001};
  EncodedWeights none = weights();
  EXPECT_EQ(base::refusal([&] { none.encode(budget, 1000, 0, base::Progress::silent()); }),
            budget.shortfall(program_.value(large).source + ": its weights, keys and ciphertexts need",
                             static_cast<double>(1000 + needed)))
      << "so that a budget which is enough for it is enough for all";
}

TEST_F(EncodedWeightsTest, CountAStepForEveryInstruction) {
  struct Count final : base::Progress {
    void stage_began(std::string_view, std::uint64_t total) override { planned += total; }
    void steps_done(std::uint64_t steps) override { done += steps; }
    void stage_ended() override { ++ended; }
    std::uint64_t planned = 0, done = 0;
    int ended = 0;
  } count;
  EncodedWeights all = weights();
  all.encode({}, 0, 0, count);
  EXPECT_EQ(count.planned, program_.instructions.size());
  EXPECT_EQ(count.done, program_.instructions.size());
  EXPECT_EQ(count.ended, 1);
}

}  // namespace
}  // namespace tacit::runtime
