#include "search/rounded_answer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "base/random.h"
#include "search/expansion.h"
#include "search/store_shape.h"

namespace tacit::search {
namespace {

TEST(RoundedAnswer, ErrorIsAtMostHalfAUnit) {
  const ring::Modulus& q = search_context()->chain().modulus(0);
  base::Csprng random(base::Seed{1});
  std::vector<std::uint64_t> residues(kTileNumbers), back(kTileNumbers);
  for (std::uint64_t& residue : residues) residue = random.below(q.value());
  residues[0] = 0;
  residues[1] = q.value() - 1;
  for (const unsigned bits : {1U, 7U, 13U, 20U, 32U}) {
    std::vector<std::uint8_t> packed(packed_bytes(kTileNumbers, bits));
    round_residues(residues, q, bits, packed);
    residues_from(packed, q, bits, back);
    const double half = std::ldexp(static_cast<double>(q.value()), -static_cast<int>(bits)) / 2;
    double squares = 0, worst = 0;
    for (std::size_t i = 0; i < residues.size(); ++i) {
      ASSERT_LT(back[i], q.value());
      const std::uint64_t difference = q.sub(residues[i], back[i]);
      const auto error = static_cast<double>(std::min(difference, q.value() - difference));
      worst = std::max(worst, error);
      squares += error * error;
    }
    EXPECT_LE(worst, half + 1) << bits;
    // A uniform error has the deviation 2 half / sqrt 12.
    EXPECT_NEAR(std::sqrt(squares / kTileNumbers) / half, 1 / std::sqrt(3.0), 0.03) << bits;
  }
}

TEST(RoundedAnswer, NumbersLieOneAfterTheOther) {
  const ring::Modulus& q = search_context()->chain().modulus(0);
  std::vector<std::uint8_t> packed{0xab, 0xcd, 0x0e};
  std::vector<std::uint64_t> residues(2);
  residues_from(packed, q, 10, residues);
  std::vector<std::uint8_t> again(3);
  round_residues(residues, q, 10, again);
  EXPECT_EQ(again, packed);
  EXPECT_EQ(answer_tile_bytes(kFineAnswer), 4096U * 33 / 8);
  EXPECT_EQ(answer_tile_bytes(kCoarseAnswer), 4096U * 29 / 8);
}

}  // namespace
}  // namespace tacit::search
