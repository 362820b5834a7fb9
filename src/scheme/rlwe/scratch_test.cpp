#include "scheme/rlwe/scratch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

namespace tacit::scheme::rlwe {
namespace {

constexpr std::size_t kWords = 64;

/// In a thread of its own, which keeps no buffers yet.
template <class Body>
void alone(const Body& body) {
  std::thread(body).join();
}

void fill(ScratchRows& rows, std::size_t count) {
  for (std::size_t row = 0; row < count; ++row) std::fill_n(rows[row], kWords, 7);
}

TEST(ScratchRows, SecretsAreWipedBeforeTheirBufferIsKept) {
  alone([] {
    const std::uint64_t* before = nullptr;
    {
      ScratchRows rows(kWords, 3, Contents::secret);
      fill(rows, 3);
      before = rows[0];
    }
    const ScratchRows again(kWords, 3);
    ASSERT_EQ(again[0], before) << "buffers are kept";
    for (std::size_t row = 0; row < 3; ++row)
      EXPECT_TRUE(std::all_of(again[row], again[row] + kWords, [](std::uint64_t word) { return word == 0; })) << row;
  });
}

TEST(ScratchRows, TakesTheSmallestBufferThatIsLargeEnough) {
  alone([] {
    const std::uint64_t *small = nullptr, *middle = nullptr, *large = nullptr;
    {
      ScratchRows a(kWords, 8), b(kWords, 2), c(kWords, 4);
      for (auto* rows : {&a, &b, &c}) fill(*rows, 2);
      large = a[0];
      small = b[0];
      middle = c[0];
    }
    const ScratchRows three(kWords, 3), two(kWords, 2), one(kWords, 1);
    EXPECT_EQ(three[0], middle);
    EXPECT_EQ(two[0], small);
    EXPECT_EQ(one[0], large);
  });
}

TEST(ScratchRows, RowsLieApart) {
  ScratchRows rows(kWords, 2);
  fill(rows, 2);
  EXPECT_GE(rows[1], rows[0] + kWords);
  const ScratchRows& same = rows;
  EXPECT_EQ(same[1], rows[1]);
}

}  // namespace
}  // namespace tacit::scheme::rlwe
