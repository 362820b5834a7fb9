#include "scheme/ckks/result_share.h"

#include <gtest/gtest.h>

#include "base/refusal_for_test.h"
#include "scheme/ckks/owners_for_test.h"

namespace tacit::scheme::ckks {
namespace {

// N = 2^14 and a modulus of Q = 2^100. A flood of 2^38 leaves 66 bits of the first half, and 73 bits of the second
// half, which meets the receiver's secret. Ten results in 512 copies send one coefficient in 16 of the first half.
TEST(ResultSharing, OfThinResultsHasLittleMoreThanOneHalf) {
  params::CkksLiteral literal = testing::small_literal(14, 0, 1);
  literal.q_bits = {50, 50};
  const testing::Party receiver(literal);
  const auto bytes = [&](double flood, int log_gap) {
    return ResultSharing(receiver.context, receiver.public_key, flood, log_gap).share_bytes(1);
  };
  constexpr std::size_t kCoefficients = 1 << 14;
  EXPECT_EQ(bytes(0x1p38, 0), kCoefficients * (66 + 73) / 8);
  EXPECT_EQ(bytes(0x1p38, 4), kCoefficients / 16 * 66 / 8 + kCoefficients * 73 / 8);
  EXPECT_EQ(bytes(0x1p28, 4), kCoefficients / 16 * 76 / 8 + kCoefficients * 83 / 8);
  EXPECT_NE(base::refusal([&] { bytes(0x1p38, 13); }), base::kNotRefused) << "at least two slots are left";
}

}  // namespace
}  // namespace tacit::scheme::ckks
