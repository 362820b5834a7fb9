#include "layout/seen_diagonals.h"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <utility>
#include <vector>

#include "layout/map_entries.h"
#include "layout/sparse_rows.h"

namespace tacit::layout {
namespace {

using Places = std::set<DiagonalPlace>;

/// A map between so many ciphertexts of `slots` slots, whose diagonals are modulo `slots`.
LinearMap map_between(Index inputs, Index outputs, Index slots) {
  const auto layout = [&](Index ciphertexts) {
    return Layout({ciphertexts, slots}, {{0, ciphertexts, 1, ""}}, {{1, slots, 1, ""}}, {});
  };
  return {layout(inputs), layout(outputs), no_entries({inputs, slots}, {outputs, slots})};
}

void expect_places(SeenDiagonals& seen, const LinearMap& map, const Places& places) {
  std::set<Index> diagonals;
  std::set<std::pair<Index, Index>> blocks;
  for (const auto& [out, in, diagonal] : places) {
    diagonals.insert(diagonal);
    blocks.insert({out, in});
  }
  DiagonalSet set = frame_of(map);
  seen.count(set);
  EXPECT_EQ(set.diagonals, diagonals);
  EXPECT_EQ(set.blocks, static_cast<Index>(blocks.size()));
  EXPECT_EQ(set.count.products, static_cast<Index>(places.size()));
  std::vector<std::vector<Index>> listed(static_cast<std::size_t>(map.out.ciphertexts())), inputs(listed.size());
  for (const auto& [out, in] : blocks) listed[static_cast<std::size_t>(out)].push_back(in);
  seen.list_inputs(inputs);
  EXPECT_EQ(inputs, listed);
}

struct Case {
  Index ciphertexts, slots;
  double share;  // of the slots that are marked
};

// Whole words and parts of them, blocks with few and with many diagonals, and so many blocks that places are listed.
TEST(SeenDiagonals, MovesEveryPlaceByEveryStep) {
  constexpr Index kMany = 33000;
  std::mt19937 random(3);
  for (const Case& c : {Case{4, 8, 0.3}, Case{4, 32, 0.5}, Case{4, 64, 0.5}, Case{6, 128, 0.02}, Case{6, 256, 0.9},
                        Case{4, 1024, 0.002}, Case{4, 1024, 0.6}, Case{kMany, 4, 0.3}}) {
    SCOPED_TRACE(testing::Message() << c.ciphertexts << " of " << c.slots << ", " << c.share);
    const auto pick = [&](Index most) { return std::uniform_int_distribution<Index>(0, most)(random); };
    const LinearMap map = map_between(c.ciphertexts, c.ciphertexts, c.slots);
    const DiagonalSet set = frame_of(map);
    ASSERT_EQ(set.modulus, c.slots);
    Places marked, moved, other;
    std::vector<DiagonalPlace> steps;
    std::bernoulli_distribution taken(c.share);
    SeenDiagonals seen(map, set), sums(map, set), rest(map, set);
    const Index half = c.ciphertexts / 2 - 1;
    for (int block = 0; block < 3; ++block) {
      const Index out = pick(half), in = pick(half);
      for (Index d = 0; d < c.slots; ++d)
        if (taken(random)) marked.insert({out, in, d});
    }
    for (const Index by : {Index{0}, c.slots / 2, c.slots - 1, pick(c.slots - 1)})
      steps.push_back({pick(half), pick(half), by});
    for (const DiagonalPlace& place : marked) seen.mark(place);
    for (const DiagonalPlace& place : marked)
      for (const DiagonalPlace& step : steps)
        moved.insert({place.out + step.out, place.in + step.in, (place.diagonal + step.diagonal) % c.slots});
    expect_places(seen, map, marked);
    sums.merge_moved(seen, steps);
    expect_places(sums, map, moved);
    for (int i = 0; i < 5; ++i) other.insert({pick(c.ciphertexts - 1), pick(c.ciphertexts - 1), pick(c.slots - 1)});
    for (const DiagonalPlace& place : other) rest.mark(place);
    sums.merge(std::move(rest));
    moved.merge(other);
    expect_places(sums, map, moved);
  }
}

}  // namespace
}  // namespace tacit::layout
