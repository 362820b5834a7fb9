#include <gtest/gtest.h>
#include <sys/resource.h>

#include "base/process_memory.h"
#include "params/small_ring_for_test.h"
#include "runtime/slots/bench_for_test.h"
#include "runtime/slots/encoded_weights.h"
#include "runtime/slots/encrypted_evaluator.h"
#include "runtime/slots/small_program_for_test.h"

namespace tacit::runtime {
namespace {

/// While it lives, the system lets this process have so many bytes more.
class DataLimit {
 public:
  explicit DataLimit(std::uint64_t more) {
    getrlimit(RLIMIT_DATA, &before_);
    constexpr std::uint64_t kFar = std::uint64_t{1} << 46;
    set(kFar);
    set(kFar - base::bytes_below_data_limit().value_or(0) + more);
  }
  ~DataLimit() { setrlimit(RLIMIT_DATA, &before_); }
  DataLimit(const DataLimit&) = delete;
  DataLimit& operator=(const DataLimit&) = delete;

 private:
  void set(std::uint64_t bytes) {
    rlimit limit = before_;
    limit.rlim_cur = bytes;
    EXPECT_EQ(setrlimit(RLIMIT_DATA, &limit), 0);
  }
  rlimit before_{};
};

// Of what the system leaves, an eighth stays free beside what is planned and not in memory yet.
TEST(WeightsBelowDataLimit, AreHeldWhereSevenEighthsOfItAreNotPlannedFor) {
  params::CkksLiteral literal = small_insecure_literal(2);
  literal.log_n = 6;
  const Bench bench(literal);
  ProgramWriter writer(bench.slots());
  const auto x = writer.input("x", layout::Layout::row_major({4}, bench.slots()));
  writer.output(writer.multiply_plain(writer.add_plain(x)), "y");
  const slots::Program program = writer.finish(bench.context->parameters());
  const auto evaluator = EncryptedEvaluator::make(bench.context, {});
  const auto held = [&](std::uint64_t taken, std::uint64_t present) {
    EncodedWeights weights(program, bench.context, *evaluator);
    weights.encode({}, taken, present, base::Progress::silent());
    return weights.held_bytes();
  };
  const std::uint64_t all = held(0, 0);
  ASSERT_GT(all, 0u);
  constexpr std::uint64_t kPercent = (std::uint64_t{16} << 30) / 100;
  const DataLimit limit(100 * kPercent);
  EXPECT_EQ(held(0, 0), all);
  EXPECT_EQ(held(86 * kPercent, 0), all);
  EXPECT_EQ(held(88 * kPercent, 0), 0u);
  EXPECT_EQ(held(200 * kPercent, 0), 0u);
  // What is in memory by now counts already.
  EXPECT_EQ(held(88 * kPercent, 2 * kPercent), all);
  EXPECT_EQ(held(200 * kPercent, 112 * kPercent), 0u);
  EXPECT_EQ(held(50 * kPercent, 90 * kPercent), all);
}

// Keys and transforms are in memory when weights are encoded; ciphertexts are not.
TEST(WeightsBelowDataLimit, OfAPreparedProgramLeaveRoomForItsCiphertextsAlone) {
  const Bench bench(params::insecure_on_small_ring("S8", 9));
  const slots::Program program = refreshing_program(bench);
  const std::uint64_t values = bench.prepared(program)->memory().values;
  ASSERT_GT(values, 0u);
  constexpr std::uint64_t kPercent = (std::uint64_t{16} << 30) / 100;
  const DataLimit limit(100 * kPercent);
  const auto held = [&](std::uint64_t percent_of_values) {
    const auto clients = static_cast<int>(percent_of_values * kPercent / values);
    const auto prepared = bench.prepared(program, {.clients = clients, .key_bytes = 1});
    prepared->encode();
    return prepared->memory().held_weights > 0;
  };
  EXPECT_TRUE(held(85));
  EXPECT_FALSE(held(89));
}

}  // namespace
}  // namespace tacit::runtime
