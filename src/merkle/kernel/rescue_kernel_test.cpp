#include <gtest/gtest.h>

#include "merkle/accelerators.h"
#include "merkle/goldilocks.h"
#include "merkle/rescue.h"

/// The arithmetic of OpenCL and SYCL devices, compiled for the processor: values that chance does not meet are compared
/// here, and on machines without such a device.
namespace tacit::merkle {
namespace {

__extension__ using Wide = unsigned __int128;
inline std::uint64_t mul_high(std::uint64_t a, std::uint64_t b) {
  return static_cast<std::uint64_t>(Wide{a} * b >> 64);
}

#define WORD std::uint64_t
#define DEVICE inline
#define TABLE
#include "merkle/kernel/rescue_kernel.h"

const std::vector<std::uint64_t> kEdges{0,
                                        1,
                                        2,
                                        0x7fffffff,
                                        0x80000000,
                                        0xffffffff,
                                        0x100000000,
                                        0x100000001,
                                        std::uint64_t{1} << 63,
                                        0xfffffffe00000000,
                                        0xfffffffeffffffff,
                                        0xffffffff00000000,
                                        0xffffffff00000001,
                                        0xffffffff00000002,
                                        0xfffffffffffffffe,
                                        0xffffffffffffffff};

TEST(DeviceArithmetic, ReducesAndMultipliesAsIntegersDo) {
  constexpr std::uint64_t kP = goldilocks::kModulus;
  for (const std::uint64_t a : kEdges) {
    EXPECT_EQ(field_canonical(a), a % kP) << a;
    for (const std::uint64_t b : kEdges) {
      ASSERT_EQ(field_reduce(a, b) % kP, static_cast<std::uint64_t>(((Wide{b} << 64) + a) % kP)) << a << " " << b;
      ASSERT_EQ(field_multiply(a, b) % kP, static_cast<std::uint64_t>(Wide{a} * b % kP)) << a << " " << b;
    }
  }
}

TEST(DeviceArithmetic, RaisesFourWordsToTheSeventhPowerAndBack) {
  for (std::size_t at = 0; at < kEdges.size(); at += 4) {
    std::uint64_t words[4], roots[4];
    std::copy_n(kEdges.data() + at, 4, words);
    std::copy_n(kEdges.data() + at, 4, roots);
    seventh_powers(words);
    seventh_roots(roots);
    for (std::size_t k = 0; k < 4; ++k) {
      EXPECT_EQ(words[k] % goldilocks::kModulus, goldilocks::canonical(goldilocks::power(kEdges[at + k], 7)));
      EXPECT_EQ(goldilocks::canonical(goldilocks::power(roots[k], 7)), goldilocks::canonical(kEdges[at + k]));
    }
  }
}

TEST(DeviceArithmetic, MultipliesByTheMatrixOnWordsOfOneEdgeAndOfMany) {
  for (const Variant variant : {Variant::a, Variant::c}) {
    const RoundConstants& constants = round_constants(variant);
    const auto table = kernel_table({.variant = variant});
    std::vector<State> states;
    for (const std::uint64_t edge : kEdges) {
      State state;
      state.fill(edge);
      states.push_back(state);
      for (std::size_t i = 0; i < kStateWords; ++i) state[i] = kEdges[(i * i + edge) % kEdges.size()];
      states.push_back(state);
    }
    const std::vector<std::uint64_t> highest(kStateWords, goldilocks::kModulus - 1);
    for (const State& state : states)
      for (const std::uint64_t* added : {&constants.first[2][0], &constants.second[6][0], highest.data()}) {
        State words = state;
        linear_layer(words.data(), table.data() + 168, added, variant == Variant::c);
        for (std::size_t i = 0; i < kStateWords; ++i) {
          Wide expected = added[i];
          for (std::size_t j = 0; j < kStateWords; ++j)
            expected =
                (expected + Wide{constants.matrix[i][j]} * (state[j] % goldilocks::kModulus)) % goldilocks::kModulus;
          ASSERT_EQ(words[i] % goldilocks::kModulus, static_cast<std::uint64_t>(expected)) << i;
        }
      }
  }
}

TEST(DeviceArithmetic, MergesAsTheProcessorDoes) {
  for (const Variant variant : {Variant::a, Variant::c})
    for (const Mode mode : {Mode::bound, Mode::strict}) {
      const TreeScheme scheme{.variant = variant, .mode = mode};
      const auto table = kernel_table(scheme);
      for (std::uint64_t seed = 0; seed < 20; ++seed) {
        Digest children[2];
        for (std::size_t i = 0; i < 8; ++i)
          children[i / 4].words[i % 4] = goldilocks::canonical(kEdges[(seed * (i + 3) + i * i) % kEdges.size()]);
        std::uint64_t words[8];
        std::copy_n(children[0].words.data(), 4, words);
        std::copy_n(children[1].words.data(), 4, words + 4);
        merge_words(words, table.data(), variant == Variant::c);
        EXPECT_EQ((Digest{{words[0], words[1], words[2], words[3]}}), merge(scheme, children[0], children[1])) << seed;
      }
    }
}

}  // namespace
}  // namespace tacit::merkle
