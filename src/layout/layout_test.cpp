#include "layout/layout.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/refusal_for_test.h"
#include "layout/random_layout_for_test.h"

namespace tacit::layout {
namespace {

TEST(Layout, RoundTripsTensorsTextAndPositionsOnRandomLayouts) {
  std::mt19937 random(1);
  for (int trial = 0; trial < 300; ++trial) {
    const Layout layout = random_layout(random_shape(random), 256, random);
    SCOPED_TRACE(layout.to_string());
    EXPECT_EQ(Layout::parse(layout.to_string()), layout);

    std::vector<double> tensor(static_cast<std::size_t>(element_count(layout.shape())));
    for (std::size_t i = 0; i < tensor.size(); ++i) tensor[i] = static_cast<double>(i) + 1;
    const auto slots = layout.pack(tensor);
    EXPECT_EQ(layout.unpack(slots), tensor);
    const std::vector<Position> positions = layout.positions();
    for (std::size_t e = 0; e < tensor.size(); ++e)
      EXPECT_EQ(positions.at(e), layout.position_of(static_cast<Index>(e)));

    Index filled = 0;
    std::set<std::pair<Index, Index>> seen;
    for (Index e = 0; e < static_cast<Index>(tensor.size()); ++e)
      layout.for_each_position(e, [&](Position at) {
        EXPECT_EQ(layout.element_at(at.ciphertext, at.slot), e);
        seen.emplace(at.ciphertext, at.slot);
        ++filled;
      });
    EXPECT_EQ(static_cast<Index>(seen.size()), filled);
    Index expected = 0;
    for (const auto& vector : slots)
      for (std::size_t s = 0; s < vector.size(); ++s) {
        expected += vector[s] != 0 ? 1 : 0;
        EXPECT_EQ(vector[s], vector[s % static_cast<std::size_t>(layout.period())]);
      }
    EXPECT_EQ(filled, expected);
  }
}

TEST(Layout, RowMajorPadsToPowersOfTwoAndReplicates) {
  const Layout layout = Layout::row_major({1, 28, 28}, 4096);
  EXPECT_EQ(layout.period(), 1024);
  EXPECT_EQ(layout.position_of(28 + 3).slot, 35);
  EXPECT_EQ(layout.element_at(0, 2048 + 35), std::optional<Index>(31));
  EXPECT_EQ(layout.element_at(0, 29), std::nullopt);
}

TEST(Layout, RowMajorSplitsLargeTensorsAcrossCiphertexts) {
  const Layout layout = Layout::row_major({6, 30, 32}, 2048);
  EXPECT_EQ(layout.ciphertexts(), 3);
  EXPECT_EQ(layout.position_of(5 * 960 + 7), (Position{2, 1024 + 7}));
}

TEST(Layout, MultiplexedFillsTheGapsOfAStridedGridWithChannels) {
  const Layout layout = Layout::multiplexed({1, 5, 13, 13}, 32, 32, 2, 4096);
  const auto slot = [&](Index c, Index y, Index x) { return layout.position_of((c * 13 + y) * 13 + x).slot; };
  EXPECT_EQ(slot(0, 1, 1), 66);
  EXPECT_EQ(slot(1, 1, 1), 67);
  EXPECT_EQ(slot(2, 1, 1), 98);
  EXPECT_EQ(slot(4, 1, 1), 1024 + 66);
  EXPECT_EQ(layout.period(), 2048);
}

TEST(Layout, RefusesDigitsThatDoNotCoverTheirDimension) {
  EXPECT_THROW(Layout({8}, {}, {{0, 4, 1, ""}}, {}), base::InputError);
  EXPECT_THROW(Layout({8}, {}, {{0, 4, 1, ""}, {0, 4, 2, ""}}, {}), base::InputError);
  EXPECT_THROW(Layout({3}, {}, {{0, 3, 1, ""}}, {}), base::InputError);
  EXPECT_THROW(Layout({8}, {}, {{1, 8, 1, ""}}, {}), base::InputError);
}

TEST(Layout, NamesThePlaceWhereTextStopsBeingALayout) {
  for (const char* text :
       {"", "[3", "[3] across() within(d0:4/1) junk(7)", "[3] across() within(d0:4/1) junk() ",
        "[3] across() within(d0:99999999999999999999/1) junk()", "[3] across() within(e0:4/1) junk()"})
    EXPECT_THROW(Layout::parse(text), base::InputError) << text;
}

TEST(Layout, TheOutermostDigitIsCutToAPowerOfTwo) {
  // 8 rows of 10 points of 4 slots: 512 slots hold 12 whole rows and a part of another.
  const Layout guarded = Layout::guarded({1, 4, 8, 8}, 10, 4, 1, {}, 512);
  EXPECT_EQ(guarded.to_string(), "[1,4,8,8] across() within(d2:13/1 d3:10/1 d1:4/1) junk()");
  EXPECT_EQ(guarded.slots(), 512);
  EXPECT_EQ(guarded.period(), 512);
  EXPECT_EQ(Layout::parse(guarded.to_string()), guarded);
  std::vector<double> tensor(256);
  std::iota(tensor.begin(), tensor.end(), 1.0);
  const auto slots = guarded.pack(tensor);
  EXPECT_EQ(slots[0][(3 * 10 + 5) * 4 + 2], tensor[2 * 64 + 3 * 8 + 5]);
  EXPECT_EQ(guarded.unpack(slots), tensor);
  const auto contents = guarded.contents(0);
  for (Index s = 0; s < 512; ++s) {
    const bool element = guarded.element_at(0, s).has_value();
    EXPECT_EQ(element, s / 40 < 8 && s / 4 % 10 < 8) << s;
    EXPECT_EQ(contents[static_cast<std::size_t>(s)], element ? Layout::Content::element : Layout::Content::zero) << s;
  }
  // 13 rows would not all fit, neither as elements nor as a step of their own, and copies cannot be cut.
  EXPECT_THROW(Layout({13, 40}, {}, {{0, 13, 1, ""}, {1, 40, 1, ""}}, {}), base::InputError);
  EXPECT_THROW(Layout({8, 40}, {}, {{0, 14, 1, ""}, {1, 40, 1, ""}}, {}), base::InputError);
  EXPECT_THROW(Layout({40}, {}, {{kReplica, 13, 1, ""}, {0, 40, 1, ""}}, {}), base::InputError);
  EXPECT_THROW(Layout::guarded({1, 4, 13, 8}, 10, 4, 1, {}, 512), base::InputError);
  EXPECT_THROW(Layout::guarded({1, 4, 8, 11}, 10, 4, 1, {}, 512), base::InputError);
}

TEST(Layout, MapsBehindStridesLieWhereTheirGridHadThem) {
  const Layout full = Layout::guarded({1, 4, 8, 8}, 10, 4, 1, {}, 512),
               half = Layout::guarded({1, 8, 4, 4}, 10, 4, 2, {}, 512);
  for (Index y = 0; y < 4; ++y)
    for (Index x = 0; x < 4; ++x)
      EXPECT_EQ(half.position_of(y * 4 + x), full.position_of(2 * y * 8 + 2 * x)) << y << " " << x;
  EXPECT_EQ(half.position_of(5 * 16).slot, 5);  // channel 5 lies in the next column of the grid
}

TEST(Layout, RowsOfLargeMapsLieInPhases) {
  // Every second row in a ciphertext of its own; behind a stride of two, all rows in one.
  const Layout full = Layout::guarded({1, 3, 8, 6}, 8, 1, 1, {.phases = 2}, 64);
  EXPECT_EQ(full.to_string(), "[1,3,8,6] across(d1:3/1 d2:2/1) within(d2:8/2 d3:8/1) junk()");
  EXPECT_EQ(full.position_of((2 * 8 + 5) * 6 + 4), (Position{2 * 2 + 1, 2 * 8 + 4}));
  EXPECT_FALSE(full.element_at(5, 4 * 8).has_value());  // a guard
  const Layout half = Layout::guarded({1, 4, 4, 3}, 8, 1, 2, {.phases = 2}, 64);
  EXPECT_EQ(half.to_string(), "[1,4,4,3] across(d1:2/2) within(d2:8/1 d3:4/1 d1:2/1) junk()");
  const Layout quarter = Layout::guarded({1, 8, 2, 1}, 8, 1, 4, {.channels = true, .phases = 2}, 64);
  EXPECT_EQ(quarter.to_string(), "[1,8,2,1] across() within(d2:4/1 d1:2/4 d3:2/1 d1:4/1) junk()");
  EXPECT_THROW(Layout::guarded({1, 3, 8, 6}, 8, 1, 1, {.phases = 3}, 64), base::InputError);
  EXPECT_THROW(Layout::guarded({1, 3, 18, 6}, 8, 1, 1, {.phases = 2}, 64), base::InputError);
}

TEST(Layout, RowsBetweenPointsHoldMapsOfABatch) {
  const Shape shape{6, 8, 4, 4};
  const Layout alone = Layout::guarded(shape, 16, 2, 4, {}, 1024),
               two = Layout::guarded(shape, 16, 2, 4, {.maps = 2}, 1024),
               four = Layout::guarded(shape, 16, 2, 4, {.maps = 1024}, 1024);
  EXPECT_EQ(alone.to_string(), "[6,8,4,4] across(d0:6/1) within(d2:8/1 d0:4/6 d3:4/1 d1:8/1) junk()");
  EXPECT_EQ(two.to_string(), "[6,8,4,4] across(d0:3/2) within(d2:8/1 d0:2/6 d0:2/1 d3:4/1 d1:8/1) junk()");
  EXPECT_EQ(four.to_string(), "[6,8,4,4] across(d0:2/4) within(d2:8/1 d0:4/1 d3:4/1 d1:8/1) junk()");
}

TEST(Layout, CountsElementsUpToTheLargestTensor) {
  constexpr Index kHalf = Index{1} << 24;
  EXPECT_EQ(element_count({}), 1);
  EXPECT_EQ(element_count({3, 5}), 15);
  EXPECT_EQ(element_count({3, 0}), 0);
  EXPECT_EQ(element_count({0, 3}), 0);
  EXPECT_EQ(element_count({kHalf, kHalf}), kHalf * kHalf);
  EXPECT_EQ(element_count({kHalf * kHalf}), kHalf * kHalf);
  EXPECT_EQ(element_count({kHalf * kHalf, 1}), kHalf * kHalf);
  EXPECT_THROW(element_count({kHalf, kHalf + 1}), base::InputError);
  EXPECT_THROW(element_count({kHalf * kHalf + 1}), base::InputError);
  EXPECT_THROW(element_count({3, -1}), base::InputError);
  EXPECT_THROW(element_count({-1, 3}), base::InputError);
}

TEST(Layout, DigitsOfOnePositionMayStandAnywhere) {
  for (const auto& within : {std::vector<Digit>{{0, 1, 1, ""}, {0, 4, 1, ""}, {0, 2, 4, ""}},
                             std::vector<Digit>{{0, 2, 4, ""}, {0, 4, 1, ""}, {0, 1, 1, ""}},
                             std::vector<Digit>{{0, 2, 4, ""}, {0, 1, 4, ""}, {0, 4, 1, ""}}}) {
    const Layout layout({8}, {}, within, {});
    EXPECT_EQ(layout.slots(), 8);
    EXPECT_EQ(layout.period(), 8);
  }
}

TEST(Layout, HoldsAsMuchAsAParameterSetDoesAndNoMore) {
  EXPECT_EQ(Layout({kMaxSlots}, {}, {{0, kMaxSlots, 1, ""}}, {}).slots(), kMaxSlots);
  EXPECT_THROW(Layout({2 * kMaxSlots}, {}, {{0, 2 * kMaxSlots, 1, ""}}, {}), base::InputError);
  const Index most = kMaxCiphertexts;
  EXPECT_EQ(Layout({most}, {{0, most, 1, ""}}, {{kReplica, 1, 1, ""}}, {}).ciphertexts(), most);
  EXPECT_THROW(Layout({most + 1}, {{0, most + 1, 1, ""}}, {{kReplica, 1, 1, ""}}, {}), base::InputError);
  // A replica across is no ciphertext of its own.
  EXPECT_EQ(Layout({most}, {{kReplica, 4, 1, ""}, {0, most, 1, ""}}, {{kReplica, 1, 1, ""}}, {}).ciphertexts(), most);
  EXPECT_NO_THROW(Layout(Shape(kMaxRank, 1), {}, {{kReplica, 2, 1, ""}}, {}));
  EXPECT_THROW(Layout(Shape(kMaxRank + 1, 1), {}, {{kReplica, 2, 1, ""}}, {}), base::InputError);
  EXPECT_THROW(Layout({1}, {}, {{kReplica, 2, 1, ""}}, {Fill::zero, Fill::zero}), base::InputError);
  EXPECT_THROW(Layout({0}, {}, {{kReplica, 2, 1, ""}}, {}), base::InputError);
}

TEST(Layout, TensorsAndSlotVectorsOfOtherSizesAreRefused) {
  const Layout layout = Layout::row_major({3}, 4);
  EXPECT_THROW(layout.pack(std::vector<double>(2)), base::InputError);
  EXPECT_THROW(layout.pack(std::vector<double>(4)), base::InputError);
  EXPECT_THROW(layout.unpack({}), base::InputError);
  // What holds every element is enough.
  const std::vector<std::vector<double>> three{{7, 8, 9}}, two{{7, 8}};
  EXPECT_EQ(layout.unpack(three), three[0]);
  EXPECT_THROW(layout.unpack(two), base::InputError);
}

TEST(Layout, CopiesContentsAndPaddingFollowFromWhereElementsLie) {
  std::mt19937 random(3);
  for (int trial = 0; trial < 100; ++trial) {
    const Layout zeros = random_layout(random_shape(random), 64, random).filled(Fill::zero),
                 unknowns = zeros.filled(Fill::unknown);
    SCOPED_TRACE(zeros.to_string());
    bool padded = false;
    for (Index c = 0; c < zeros.ciphertexts(); ++c) {
      const auto contents = zeros.contents(c), others = unknowns.contents(c);
      ASSERT_EQ(static_cast<Index>(contents.size()), zeros.period());
      for (Index s = 0; s < zeros.slots(); ++s) {
        const std::optional<Index> element = zeros.element_at(c, s);
        const auto at = static_cast<std::size_t>(s % zeros.period());
        EXPECT_EQ(contents[at], element ? Layout::Content::element : Layout::Content::zero) << s;
        EXPECT_EQ(others[at], element ? Layout::Content::element : Layout::Content::unknown) << s;
        padded = padded || !element;
        if (element) {
          EXPECT_EQ(zeros.position_of(*element).slot + zeros.copy_at(s), s);
        }
      }
    }
    EXPECT_EQ(zeros.has_padding(Fill::zero), padded);
    EXPECT_EQ(unknowns.has_padding(Fill::unknown), padded);
    EXPECT_FALSE(zeros.has_padding(Fill::unknown));
    EXPECT_FALSE(unknowns.has_padding(Fill::zero));
    EXPECT_TRUE(zeros.same_places(unknowns));
    // As many copies a period as periods times those of all slots say, and the first is the element itself.
    const std::vector<Index> all = zeros.copies(), within = zeros.copies_in_period();
    EXPECT_EQ(all[0], 0);
    EXPECT_TRUE(std::is_sorted(all.begin(), all.end()));
    EXPECT_EQ(static_cast<Index>(all.size()), static_cast<Index>(within.size()) * (zeros.slots() / zeros.period()));
    for (const Index offset : within) EXPECT_LT(offset, zeros.period());
  }
}

// Zeros are known only where every dimension that is exceeded holds them.
TEST(Layout, UnknownNumbersSpreadOverThePaddingOfOtherDimensions) {
  const Layout layout({3, 3}, {}, {{0, 4, 1, ""}, {1, 4, 1, ""}}, {Fill::zero, Fill::unknown});
  const auto contents = layout.contents(0);
  for (std::size_t y = 0; y < 4; ++y)
    for (std::size_t x = 0; x < 4; ++x)
      EXPECT_EQ(contents[4 * y + x], x == 3   ? Layout::Content::unknown
                                     : y == 3 ? Layout::Content::zero
                                              : Layout::Content::element);
  EXPECT_TRUE(layout.has_padding(Fill::zero));
  EXPECT_TRUE(layout.has_padding(Fill::unknown));
  EXPECT_FALSE(Layout({4, 3}, {}, {{0, 4, 1, ""}, {1, 4, 1, ""}}, {Fill::zero, Fill::unknown}).has_padding(Fill::zero));
}

TEST(Layout, WhateverMakesItItIsWhatItsTextSays) {
  for (const auto& [layout, text] : std::vector<std::pair<Layout, std::string>>{
           {Layout::row_major({1, 28, 28}, 4096), "[1,28,28] across() within(copy:4 d1:32/1 d2:32/1) junk()"},
           {Layout::row_major({1}, 1), "[1] across() within(copy:1) junk()"},
           {Layout::row_major({6, 30, 32}, 2048), "[6,30,32] across(d0:3/2) within(d0:2/1 d1:32/1 d2:32/1) junk()"},
           {Layout::multiplexed({1, 5, 13, 13}, 32, 32, 2, 4096),
            "[1,5,13,13] across() within(copy:2 d1:2/4 d2:16/1 d1:2/2 d3:16/1 d1:2/1) junk()"},
           {Layout::guarded({2, 4, 4, 4}, 8, 2, 2, {.copies = true}, 128),
            "[2,4,4,4] across(d0:2/1) within(d2:4/1 copy:2 d3:4/1 d1:4/1) junk()"}}) {
    EXPECT_EQ(layout.to_string(), text);
    EXPECT_EQ(Layout::parse(text), layout) << text;
  }
}

TEST(Layout, WhatDoesNotFitIsNamed) {
  const auto refusal = [](const auto& body) { return base::refusal(body); };
  const std::string fine = base::kNotRefused;
  const auto digits = [&](const Shape& shape, std::vector<Digit> across, std::vector<Digit> within) {
    return refusal([&] { Layout(shape, std::move(across), std::move(within), {}); });
  };
  const Digit one{kReplica, 1, 1, ""};
  EXPECT_EQ(digits({1}, {one}, std::vector<Digit>(kMaxDigits - 1, one)), fine);
  EXPECT_EQ(digits({1}, {one}, std::vector<Digit>(kMaxDigits, one)),
            "layout: 1 dimensions and 257 digits; at most 32 and 256 are allowed");
  EXPECT_EQ(digits({3, 0}, {}, {one}), "layout: a dimension of extent 0 holds no elements");
  for (const Digit& wrong : {Digit{0, 0, 1, ""}, {0, 2, 0, ""}, {-2, 2, 1, ""}, {1, 2, 1, ""}})
    EXPECT_EQ(digits({2}, {}, {wrong}), "layout: digit " + std::to_string(wrong.dim) + ":" +
                                            std::to_string(wrong.extent) + "/" + std::to_string(wrong.stride) +
                                            " does not fit a tensor of rank 1");
  EXPECT_EQ(digits({8}, {}, {{0, 4, 1, ""}}), "layout: the digits of dimension 0 cover 4 of its 8 positions");
  EXPECT_EQ(digits({8}, {{0, 2, 8, ""}}, {{0, 4, 1, ""}}),
            "layout: dimension 0 has a digit of stride 8 where 4 follows; the digits of a dimension must cover it "
            "exactly once");
  EXPECT_EQ(
      digits({2, 4}, {}, {{kReplica, 3, 1, ""}, {0, 2, 1, ""}, {1, 4, 1, ""}}),
      "layout: the digits within make 24 positions, cut to 16 slots, and the outermost digit, which is cut, holds "
      "copies");
  EXPECT_EQ(digits({1, 8}, {}, {{0, 5, 1, ""}, {1, 8, 1, ""}}),
            "layout: the digits within make 40 positions, cut to 32 slots, and a step of the outermost digit lies "
            "beyond them");
  EXPECT_EQ(digits({3, 6}, {}, {{0, 3, 1, ""}, {1, 6, 1, ""}}),
            "layout: the digits within make 18 positions, cut to 16 slots, and elements lie beyond them");
  EXPECT_EQ(digits({2, 6}, {}, {{0, 3, 1, ""}, {1, 6, 1, ""}}), fine);
  EXPECT_EQ(refusal([] {
              element_count({Index{1} << 47, 3});
            }),
            "layout: 140737488355328 x 3 positions are more than 2^48");
  EXPECT_EQ(refusal([] { Layout::row_major({3}, 12); }), "layout: 12 slots are no power of two");

  const auto multiplexed = [&](const Shape& shape, Index rows, Index columns, Index gap, Index slots) {
    return refusal([&] { Layout::multiplexed(shape, rows, columns, gap, slots); });
  };
  EXPECT_EQ(multiplexed({4, 4}, 4, 4, 1, 16), "layout: a multiplexed layout needs channels, rows and columns");
  EXPECT_EQ(multiplexed({1, 4, 4}, 4, 4, 1, 16), fine);
  EXPECT_EQ(multiplexed({1, 2, 2}, 4, 4, 2, 16), fine);
  EXPECT_EQ(multiplexed({1, 4, 4}, 5, 4, 1, 16), "layout: 5 is no power of two");
  EXPECT_EQ(multiplexed({1, 4, 4}, 4, 6, 1, 16), "layout: 6 is no power of two");
  EXPECT_EQ(multiplexed({1, 1, 1}, 4, 4, 3, 16), "layout: 3 is no power of two");
  EXPECT_EQ(multiplexed({1, 4, 4}, 4, 4, 1, 17), "layout: 17 is no power of two");
  EXPECT_EQ(multiplexed({1, 5, 4}, 4, 4, 1, 16),
            "layout: 5 x 4 maps with gap 1 do not fit a grid of 4 x 4 in 16 slots");
  EXPECT_EQ(multiplexed({1, 4, 5}, 4, 4, 1, 16),
            "layout: 4 x 5 maps with gap 1 do not fit a grid of 4 x 4 in 16 slots");
  EXPECT_EQ(multiplexed({1, 4, 4}, 4, 4, 1, 8), "layout: 4 x 4 maps with gap 1 do not fit a grid of 4 x 4 in 8 slots");
  EXPECT_EQ(multiplexed({1, 3, 2}, 4, 4, 2, 16),
            "layout: 3 x 2 maps with gap 2 do not fit a grid of 4 x 4 in 16 slots");
  EXPECT_EQ(multiplexed({1, 1, 1}, 4, 8, 8, 32),
            "layout: 1 x 1 maps with gap 8 do not fit a grid of 4 x 8 in 32 slots");
  EXPECT_EQ(multiplexed({1, 1, 1}, 8, 4, 8, 32),
            "layout: 1 x 1 maps with gap 8 do not fit a grid of 8 x 4 in 32 slots");

  const auto guarded = [&](const Shape& shape, Index pitch, Index cell, Layout::Gaps gaps, Layout::GapRows rows,
                           Index slots) {
    return refusal([&] { Layout::guarded(shape, pitch, cell, gaps, rows, slots); });
  };
  EXPECT_EQ(guarded({1, 1, 4}, 4, 1, 1, {}, 16),
            "layout: a guarded layout needs a batch of channels, rows and columns");
  EXPECT_EQ(guarded({1, 2, 4, 4}, 4, 2, 1, {}, 32), fine);
  const std::string four = "layout: 4 x 4 maps with gaps of ";
  EXPECT_EQ(guarded({1, 2, 4, 4}, 4, 2, 1, {}, 16),
            four + "1 rows and 1 columns do not fit rows of 4 points of 2 slots in 16 slots");
  EXPECT_EQ(guarded({1, 2, 4, 4}, 3, 2, 1, {}, 32),
            four + "1 rows and 1 columns do not fit rows of 3 points of 2 slots in 32 slots");
  EXPECT_EQ(guarded({1, 2, 4, 4}, 9, 2, {1, 2}, {}, 128),
            four + "1 rows and 2 columns do not fit rows of 9 points of 2 slots in 128 slots");
  EXPECT_EQ(guarded({1, 2, 4, 4}, 8, 2, {1, 2}, {}, 64), fine);
  EXPECT_EQ(guarded({1, 2, 4, 4}, 0, 2, 1, {}, 64),
            four + "1 rows and 1 columns do not fit rows of 0 points of 2 slots in 64 slots");
  EXPECT_EQ(guarded({1, 2, 4, 4}, 4, 3, 1, {}, 64), "layout: 3 is no power of two");
  EXPECT_EQ(guarded({1, 2, 4, 4}, 4, 2, {5, 1}, {}, 64), "layout: 5 is no power of two");
  EXPECT_EQ(guarded({1, 2, 4, 4}, 6, 2, {1, 6}, {}, 64), "layout: 6 is no power of two");
  EXPECT_EQ(guarded({1, 2, 4, 4}, 4, 2, 1, {.spread = 7}, 64), "layout: 7 is no power of two");
  EXPECT_EQ(guarded({1, 2, 4, 4}, 4, 2, 1, {.phases = 9}, 64), "layout: 9 is no power of two");
  EXPECT_EQ(guarded({1, 2, 4, 4}, 4, 2, 1, {}, 65), "layout: 65 is no power of two");

  const Layout three = Layout::row_major({3}, 4);
  EXPECT_EQ(refusal([&] { three.pack(std::vector<double>(2)); }),
            "layout: a tensor of 2 elements does not fit a layout of 3");
  EXPECT_EQ(refusal([&] { static_cast<void>(three.unpack({})); }),
            "layout: 0 slot vectors do not fit a layout of 1 ciphertexts");
  const std::vector<std::vector<double>> two{{7, 8}};
  EXPECT_EQ(refusal([&] { static_cast<void>(three.unpack(two)); }), "layout: a slot vector of 2 numbers has no slot 2");
}

TEST(Layout, MultiplexedMapsGoOnInFurtherCiphertexts) {
  const auto text = [](const Shape& shape, Index rows, Index columns, Index gap, Index slots) {
    return Layout::multiplexed(shape, rows, columns, gap, slots).to_string();
  };
  EXPECT_EQ(text({1, 20, 4, 4}, 8, 8, 2, 128),
            "[1,20,4,4] across(d1:3/8) within(d1:2/4 d2:4/1 d1:2/2 d3:4/1 d1:2/1) junk()");
  // Four channels fill the gaps of one grid, and one more needs another.
  EXPECT_EQ(text({1, 4, 2, 4}, 4, 8, 2, 32), "[1,4,2,4] across() within(d2:2/1 d1:2/2 d3:4/1 d1:2/1) junk()");
  EXPECT_EQ(text({1, 5, 2, 4}, 4, 8, 2, 32), "[1,5,2,4] across(d1:2/4) within(d2:2/1 d1:2/2 d3:4/1 d1:2/1) junk()");
  EXPECT_EQ(text({3, 2, 2}, 2, 4, 1, 32), "[3,2,2] across() within(d0:4/1 d1:2/1 d2:4/1) junk()");
  EXPECT_EQ(text({1, 2, 2}, 2, 2, 1, 16), "[1,2,2] across() within(copy:4 d1:2/1 d2:2/1) junk()");
}

TEST(Layout, RowsBetweenPointsHoldChannelsMapsCopiesOrNothing) {
  struct Case {
    Shape shape;
    Index pitch, cell;
    Layout::Gaps gaps;
    Layout::GapRows rows;
    Index slots;
    const char* text;
  };
  for (const Case& c : {
           // Two rows of the grid a row of the map: nothing between, or copies, or another map.
           Case{{1, 2, 4, 4}, 4, 2, 1, {.spread = 2}, 64, "[1,2,4,4] across() within(d2:4/1 d0:2/1 d3:4/1 d1:2/1)"},
           Case{{1, 2, 4, 4}, 4, 2, {2, 1}, {}, 64, "[1,2,4,4] across() within(d2:4/1 d0:2/1 d3:4/1 d1:2/1)"},
           Case{{1, 2, 4, 4},
                4,
                2,
                1,
                {.copies = true, .spread = 2},
                64,
                "[1,2,4,4] across() within(d2:4/1 copy:2 d3:4/1 d1:2/1)"},
           Case{{3, 2, 4, 4},
                4,
                2,
                1,
                {.maps = 2, .spread = 2},
                64,
                "[3,2,4,4] across(d0:2/2) within(d2:4/1 d0:2/1 d3:4/1 d1:2/1)"},
           // As many maps as the batch has, and as are allowed.
           Case{{2, 2, 4, 4},
                4,
                2,
                1,
                {.maps = 1024, .spread = 4},
                128,
                "[2,2,4,4] across() within(d2:4/1 d0:2/2 d0:2/1 d3:4/1 d1:2/1)"},
           Case{{6, 2, 4, 4},
                4,
                2,
                1,
                {.maps = 3, .spread = 4},
                128,
                "[6,2,4,4] across(d0:3/2) within(d2:4/1 d0:2/6 d0:2/1 d3:4/1 d1:2/1)"},
           // As many channels as there are, and as fit.
           Case{{1, 4, 4, 4},
                4,
                2,
                1,
                {.channels = true, .spread = 4},
                128,
                "[1,4,4,4] across() within(d2:4/1 d0:2/1 d1:2/2 d3:4/1 d1:2/1)"},
           Case{{1, 20, 4, 4},
                4,
                2,
                1,
                {.channels = true, .spread = 4},
                128,
                "[1,20,4,4] across(d1:3/8) within(d2:4/1 d1:4/2 d3:4/1 d1:2/1)"},
           // Gaps of columns hold channels.
           Case{{1, 4, 4, 2}, 4, 2, {1, 2}, {}, 32, "[1,4,4,2] across() within(d2:4/1 d3:2/1 d1:4/1)"},
           // Phases that rows between points use up, and more of them.
           Case{{1, 2, 4, 4},
                4,
                2,
                1,
                {.spread = 2, .phases = 2},
                32,
                "[1,2,4,4] across() within(d2:4/1 d3:4/1 d1:2/1)"},
           Case{{1, 4, 4, 3},
                8,
                1,
                2,
                {.phases = 4},
                64,
                "[1,4,4,3] across(d1:2/2 d2:2/1) within(d2:8/2 d3:4/1 d1:2/1)"},
           Case{{1, 3, 16, 6}, 8, 1, 1, {.phases = 2}, 64, "[1,3,16,6] across(d1:3/1 d2:2/1) within(d2:8/2 d3:8/1)"},
       })
    EXPECT_EQ(Layout::guarded(c.shape, c.pitch, c.cell, c.gaps, c.rows, c.slots).to_string(),
              std::string(c.text) + " junk()");
  EXPECT_EQ(base::refusal([] {
              Layout::guarded({1, 3, 17, 6}, 8, 1, 1, {.phases = 2}, 64);
            }),
            "layout: 17 x 6 maps with gaps of 1 rows and 1 columns do not fit rows of 8 points of 1 slots in 64 slots");
}

// Three steps of three slots make nine positions, of which eight are slots.
TEST(Layout, AnOutermostDigitOfLargerStepsIsCutBehindTheElements) {
  const auto cut = [](Index extent) { return Layout({extent}, {}, {{0, 3, 3, ""}, {0, 3, 1, ""}}, {}); };
  EXPECT_EQ(cut(6).slots(), 8);
  EXPECT_EQ(cut(6).position_of(5).slot, 5);
  EXPECT_EQ(base::refusal([&] { cut(7); }),
            "layout: the digits within make 9 positions, cut to 8 slots, and elements lie beyond them");
}

}  // namespace
}  // namespace tacit::layout
