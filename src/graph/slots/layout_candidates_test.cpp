#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/refusal_for_test.h"
#include "graph/slots/choose_layouts.h"
#include "graph/slots/sharded_layouts.h"
#include "layout/operators/movement.h"
#include "layout/operators/window.h"

// The layouts that are tried for a value.
namespace tacit::graph::passes {
namespace {

using layout::ArraySharding;
using layout::Fill;
using layout::Index;
using layout::Layout;

std::vector<std::string> texts(const std::vector<Layout>& layouts) {
  std::vector<std::string> result;
  for (const Layout& layout : layouts) result.push_back(layout.to_string());
  return result;
}

TEST(LayoutCandidates, GapsAreTwoFourAndEightWhereTheyFit) {
  const auto gaps = [](const Shape& shape, Index slots) {
    const std::vector<Layout> all = candidate_layouts(shape, slots);
    EXPECT_EQ(all.at(0), Layout::row_major(shape, slots));
    std::vector<Index> result;
    for (std::size_t k = 1; k < all.size(); ++k)
      for (const Index gap : {2, 4, 8}) {
        const Index rows = layout::next_power_of_two(shape[2]) * gap,
                    columns = layout::next_power_of_two(shape[3]) * gap;
        if (rows * columns <= slots && all[k] == Layout::multiplexed(shape, rows, columns, gap, slots))
          result.push_back(gap);
      }
    EXPECT_EQ(result.size() + 1, all.size());
    return result;
  };
  using Distances = std::vector<Index>;
  EXPECT_EQ(gaps({1, 5, 13, 13}, 1024), Distances{}) << "two planes of 32 x 32";
  EXPECT_EQ(gaps({1, 5, 13, 13}, 2048), Distances{2});
  EXPECT_EQ(gaps({1, 4, 13, 13}, 1024), Distances{2}) << "one plane";
  EXPECT_EQ(gaps({1, 5, 13, 13}, 4096), (Distances{2, 4}));
  EXPECT_EQ(gaps({1, 5, 13, 13}, 8192), (Distances{2, 4}));
  EXPECT_EQ(gaps({1, 5, 13, 13}, 16384), (Distances{2, 4, 8}));
  EXPECT_EQ(gaps({1, 5, 13, 13}, 65536), (Distances{2, 4, 8})) << "no more";
  EXPECT_EQ(gaps({1, 2, 3, 5}, 128), Distances{2}) << "8 x 16 points";
  EXPECT_EQ(gaps({1, 2, 3, 5}, 64), Distances{});
  EXPECT_EQ(gaps({1, 17, 4, 4}, 512), (Distances{2, 4})) << "8 x 64, and 2 x 256";
  EXPECT_EQ(gaps({1, 16, 4, 4}, 256), (Distances{2, 4})) << "4 x 64, and 1 x 256";
  EXPECT_EQ(gaps({1, 2, 1, 1}, 16), (Distances{2, 4}));
  EXPECT_EQ(gaps({1, 1, 1, 2}, 16), Distances{2});
  EXPECT_EQ(gaps({1, 1, 2, 1}, 16), Distances{2});
  EXPECT_EQ(gaps({1, 2, 2, 1}, 16), Distances{2});
}

TEST(LayoutCandidates, OneElementOneVectorAndOtherRanksAreDense) {
  for (const Shape& shape : {Shape{1, 1, 1, 1}, {5}, {1, 5}, {1, 2, 3}, {1, 2, 2, 2, 2}})
    EXPECT_EQ(texts(candidate_layouts(shape, 256)), texts({Layout::row_major(shape, 256)}));
  EXPECT_EQ(candidate_layouts({8, 3}, 16).size(), 3u);
  EXPECT_EQ(candidate_layouts({9, 3}, 16).size(), 2u) << "a slot for every sample fills a ciphertext";
  EXPECT_EQ(candidate_layouts({2, 4, 2, 2}, 64).size(), 4u) << "one sample has gaps in 32 slots";
}

TEST(LayoutCandidates, LinesHaveTheirElementsOutermostOrCopies) {
  EXPECT_EQ(texts(candidate_layouts({1, 5, 3}, 128, true)),
            (std::vector<std::string>{
                "[1,5,3] across() within(copy:4 d1:8/1 d2:4/1) junk()",
                "[1,5,3] across() within(copy:4 d2:4/1 d1:8/1) junk()",
                "[1,5,3] across() within(copy:2 d1:8/1 copy:2 d2:4/1) junk()",
                "[1,5,3] across() within(d1:8/1 copy:4 d2:4/1) junk()",
            }));
  // The first dimension continues in further ciphertexts. One line must fit.
  EXPECT_EQ(texts(candidate_layouts({1, 5, 3}, 16, true)),
            (std::vector<std::string>{
                "[1,5,3] across(d1:2/4) within(d1:4/1 d2:4/1) junk()",
                "[1,5,3] across(d2:2/2) within(d2:2/1 d1:8/1) junk()",
                "[1,5,3] across(d1:3/2) within(d1:2/1 copy:2 d2:4/1) junk()",
                "[1,5,3] across(d1:5/1) within(copy:4 d2:4/1) junk()",
            }));
  EXPECT_EQ(candidate_layouts({1, 9}, 64, true).size(), 1u) << "one line";
  EXPECT_EQ(candidate_layouts({}, 64, true).size(), 1u) << "a number";
  EXPECT_EQ(candidate_layouts({1, 2, 5, 3}, 128, true).size(), 6u + 1u) << "heads, and a grid with gaps of 2";
  EXPECT_EQ(candidate_layouts({4, 5, 3}, 128, true).back().to_string(),
            "[4,5,3] across() within(d0:4/1 d2:4/1 d1:8/1) junk()");
}

ValueId value_in(Network& network, decltype(Value::operation) operation, const Shape& shape) {
  return network.add({.operation = std::move(operation), .shape = shape, .node = "n", .op = "Op", .range = {}});
}

std::map<ValueId, std::vector<std::string>> candidates_in(const Network& network, Index slots,
                                                          const std::optional<FeatureGrid>& grid) {
  const ChosenLayouts chosen = choose_layouts(
      network, slots, [](const layout::LinearMap&, ValueId) { return 1.0; }, [](ValueId, Index) { return 0.0; }, grid);
  std::map<ValueId, std::vector<std::string>> result;
  for (const LayoutChoice& choice : chosen.choices())
    for (const LayoutChoice::Candidate& candidate : choice.candidates)
      result[choice.value].push_back(candidate.layout.to_string());
  return result;
}

// Four by four points. They are four rows and columns of a grid apart.
struct SparseMaps {
  Network network;
  std::optional<FeatureGrid> grid;
  Shape shape;

  SparseMaps(Index batch, Index channels, GridKind kind) : shape{batch, channels, 4, 4} {
    const layout::WindowAxis axis{.kernel = 3, .pad_begin = 1, .pad_end = 1};
    const auto window = [&](ValueId input) {
      return Affine{{{input, std::make_shared<layout::Convolution>(
                                 shape, shape, std::vector<layout::WindowAxis>{axis, axis}, channels,
                                 std::vector<double>(static_cast<std::size_t>(9 * channels), 1.0))}}};
    };
    value_in(network, Private{}, shape);
    value_in(network, window(0), shape);  // a product reads it
    value_in(network, Product{1, 1}, shape);
    value_in(network, window(2), shape);  // elements are taken where they are
    value_in(network, Affine{{{3, std::make_shared<layout::Identity>(shape)}}}, shape);  // a window moves its elements
    network.outputs = {value_in(network, window(4), shape)};  // who decrypts it takes its elements
    grid = FeatureGrid{.kind = kind, .slots = 1024, .pitch = 16, .cell = 1};
    grid->maps.assign(network.values.size(), {shape, 4});
  }
  std::string at(Layout::GapRows rows, Fill fill) const {
    return grid->layout_of({shape, 4}, rows)->filled(fill).to_string();
  }
};

TEST(LayoutCandidates, OnAGridAreThoseThatReadersAllow) {
  using Candidates = std::map<ValueId, std::vector<std::string>>;
  // Four rows up to the next point: for two groups of four channels, and two samples; or for four samples.
  for (const GridKind kind : {GridKind::guarded, GridKind::tight}) {
    const SparseMaps maps(4, 8, kind);
    const std::string clean = maps.at({.maps = 2, .channels = true}, Fill::zero);
    const auto unclean = [&](Index samples) { return maps.at({.maps = samples}, Fill::unknown); };
    EXPECT_EQ(candidates_in(maps.network, 1024, maps.grid),
              (Candidates{{0, {clean}},
                          {1, {clean}},
                          {3, {unclean(4), unclean(2), unclean(1)}},
                          {4, {clean, unclean(4), unclean(2), unclean(1)}},
                          {5, {unclean(4), unclean(2), unclean(1)}}}));
  }
  // One sample leaves two rows free. Copies may fill them if nothing else keeps rows apart.
  for (const GridKind kind : {GridKind::guarded, GridKind::tight}) {
    const SparseMaps maps(1, 8, kind);
    std::vector<std::string> clean{maps.at({.channels = true}, Fill::zero)};
    if (kind == GridKind::tight) clean.push_back(maps.at({.channels = true, .copies = true}, Fill::zero));
    const std::string unclean = maps.at({}, Fill::unknown);
    std::vector<std::string> both = clean;
    both.push_back(unclean);
    EXPECT_EQ(candidates_in(maps.network, 1024, maps.grid),
              (Candidates{{0, clean}, {1, clean}, {3, {unclean}}, {4, both}, {5, {unclean}}}));
  }
}

TEST(LayoutCandidates, AMapThatTheGridDoesNotHoldIsLaidOutAlone) {
  SparseMaps maps(1, 2, GridKind::tight);
  maps.grid->slots = 128;
  maps.grid->pitch = 8;  // two points a row
  const std::vector<std::string> dense = texts(candidate_layouts(maps.shape, 128));
  const auto candidates = candidates_in(maps.network, 128, maps.grid);
  ASSERT_EQ(candidates.size(), 5u);
  for (const auto& [id, all] : candidates) EXPECT_EQ(all, dense) << id;
}

TEST(LayoutCandidates, BlocksOnAGridComeBeforeThoseOnTheirOwn) {
  const ArraySharding halves = ArraySharding::parse("mesh=[x=2] spec={-1, x, -1, -1}");
  SparseMaps maps(1, 8, GridKind::guarded);
  const auto on_grid = [&](bool clean) {
    const auto layout = sharded_on_grid({maps.shape, 4}, halves, *maps.grid, {.maps = 1024, .channels = clean});
    return layout.value().filled(clean ? Fill::zero : Fill::unknown).to_string();
  };
  const std::vector<std::string> alone = texts(sharded_layouts(maps.shape, halves, 1024));
  const auto with_alone = [&](std::vector<std::string> first) {
    first.insert(first.end(), alone.begin(), alone.end());
    return first;
  };
  ASSERT_NE(on_grid(true), on_grid(false));
  SparseMaps fixed = maps;
  for (Value& value : fixed.network.values) value.sharding = halves;
  auto found = candidates_in(fixed.network, 1024, fixed.grid);
  EXPECT_EQ(found[1], with_alone({on_grid(true)})) << "a product reads it";
  EXPECT_EQ(found[3], with_alone({on_grid(false)}));
  EXPECT_EQ(found[4], with_alone({on_grid(true), on_grid(false)}));
  // Offered layouts come after those that are tried in any case. Blocks that do not fit are left out.
  const auto free = candidates_in(maps.network, 1024, maps.grid);
  for (const ValueId id : {1u, 4u})
    maps.network.values[id].offered = {ArraySharding::parse("mesh=[x=32] spec={-1, x, -1, -1}"), halves};
  auto offered = candidates_in(maps.network, 1024, maps.grid);
  for (const ValueId id : {1u, 4u}) {
    std::vector<std::string> expected = free.at(id);
    expected.insert(expected.end(), found[id].begin(), found[id].end());
    EXPECT_EQ(offered[id], expected) << id;
  }
  EXPECT_EQ(offered[3], free.at(3));
}

TEST(LayoutCandidates, NumbersBesideElementsAreUnknownBehindFunctions) {
  const Shape shape{1, 3};
  const auto moved = [&](ValueId input) { return Affine{{{input, std::make_shared<layout::Identity>(shape)}}}; };
  Network network;
  value_in(network, Private{}, shape);
  value_in(network, moved(0), shape);
  Function function;
  function.input = 1;
  value_in(network, std::move(function), shape);  // 2
  value_in(network, Product{2, 2}, shape);
  value_in(network, moved(3), shape);  // 4: a linear map writes zeros
  value_in(network, Product{4, 3}, shape);
  value_in(network, moved(5), shape);
  value_in(network, Product{6, 6}, shape);
  value_in(network, Refresh{3, true, 3}, shape);  // 8
  network.outputs = {value_in(network, Refresh{7, true, 3}, shape)};
  const ChosenLayouts chosen = choose_layouts(
      network, 4, [](const layout::LinearMap&, ValueId) { return 1.0; }, [](ValueId, Index) { return 0.0; });
  std::vector<int> unknown;
  for (const Layout& layout : chosen.layouts) unknown.push_back(layout.has_fill(Fill::unknown) ? 1 : 0);
  EXPECT_EQ(unknown, (std::vector<int>{0, 0, 1, 1, 0, 1, 0, 0, 1, 0}));
}

TEST(LayoutCandidates, OfBlocksAreThoseOfABlockAndTheDenseOne) {
  const ArraySharding channels = ArraySharding::parse("mesh=[x=2] spec={-1, x, -1, -1}");
  EXPECT_EQ(texts(sharded_layouts({1, 8, 2, 2}, channels, 64)),
            (std::vector<std::string>{
                "[1,8,2,2] across(d1:2/4@x) within(copy:4 d1:4/1 d2:2/1 d3:2/1) junk()",
                "[1,8,2,2] across(d1:2/4@x) within(copy:4 d2:2/1 d1:2/2 d3:2/1 d1:2/1) junk()",
                "[1,8,2,2] across(d1:2/4@x) within(d2:2/1 d1:4/8 d3:2/1 d1:4/1) junk()",
            }));
  // A padded block of three is not laid out in blocks of four, so that only the dense layout is left.
  const ArraySharding uneven = ArraySharding::parse("mesh=[x=2] spec={-1, x}");
  EXPECT_EQ(texts(sharded_layouts({1, 6}, uneven, 16)), texts({uneven.layout({1, 6}, 16)}));
}

TEST(LayoutCandidates, ReplicasAcrossMakeNoOtherLayouts) {
  const Shape shape{1, 8};
  const std::vector<Layout> plain = sharded_layouts(shape, ArraySharding::parse("mesh=[x=2] spec={-1, x}"), 16),
                            beside = sharded_layouts(shape, ArraySharding::parse("mesh=[x=2, y=3] spec={-1, x}"), 16);
  ASSERT_EQ(plain.size(), 1u);
  EXPECT_EQ(texts(beside), texts(plain));
  const std::vector<Layout> one = sharded_layouts(shape, ArraySharding::parse("mesh=[x=1] spec={-1, x}"), 16);
  ASSERT_EQ(one.size(), 1u);
  EXPECT_TRUE(one[0].across().empty());
}

TEST(LayoutCandidates, BlocksThatDoNotFitAreRefusedByTheirNode) {
  Network network;
  value_in(network, Private{}, {1, 64});
  value_in(network, Affine{}, {1, 64});
  network.values[1].node = "m";
  network.values[1].op = "MatMul";
  network.values[1].sharding = ArraySharding::parse("mesh=[x=2] spec={-1, x}");
  EXPECT_FALSE(why_blocks_do_not_fit(network, 32));
  EXPECT_TRUE(why_blocks_do_not_fit(network, 16));
  EXPECT_EQ(base::refusal([&] { require_blocks_fit(network, 32); }), base::kNotRefused);
  EXPECT_THAT(base::refusal([&] { require_blocks_fit(network, 16); }),
              testing::AllOf(testing::StartsWith("node 'm' (MatMul): array sharding mesh=[x=2] spec={-1, x}"),
                             testing::HasSubstr("blocks of [1,32] have 32 elements, and a ciphertext has 16 slots")));
  network.values[1].sharding.reset();
  EXPECT_FALSE(why_blocks_do_not_fit(network, 16)) << "nobody asked for blocks";
}

}  // namespace
}  // namespace tacit::graph::passes
