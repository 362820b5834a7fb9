#include "session/owner/integers/encrypt_sample.h"

#include <gtest/gtest.h>

namespace tacit::session {
namespace {

/// Features of a grid of four values from 10 to 16, and numbers that are refused where they lie beyond.
integers::ClientInterface grids(std::int64_t features) {
  integers::ClientInput grid{.name = "f", .shape = {1, features}, .step = 0, .quantiser = {}, .saturates = true};
  grid.quantiser.scale = layout::RepeatedReals(2);
  grid.quantiser.offset = layout::RepeatedReals(12);
  grid.quantiser.lowest = -1;
  grid.quantiser.highest = 2;
  integers::ClientInput refused = grid;
  refused.name = std::string("x");  // GCC 12 warns of an assignment
  refused.saturates = false;
  return {.inputs = {refused, grid}, .outputs = {}};
}

TEST(BeyondGrids, CountRowsByFeature) {
  const integers::ClientInterface interface = grids(2);
  BeyondGrids beyond;
  EXPECT_TRUE(beyond.sentences(interface).empty());
  beyond.add(interface, {{99, 99}, {10, 16}});
  EXPECT_TRUE(beyond.sentences(interface).empty()) << "the ends are values of the grid";
  beyond.add(interface, {{12, 12}, {17.5, 12}});
  beyond.add(interface, {{12, 12}, {5, 99}});
  EXPECT_EQ(beyond.sentences(interface),
            (std::vector<std::string>{"input 'f', element 0: 2 rows lie outside [10, 16], the values that the model "
                                      "tells apart, and counted as the nearer end",
                                      "input 'f', element 1: 1 row lies outside [10, 16], the values that the model "
                                      "tells apart, and counted as the nearer end"}));
}

TEST(BeyondGrids, NameFiveFeaturesAndCountTheRest) {
  for (const auto& [features, last] : std::vector<std::pair<std::int64_t, std::string>>{
           {5, ""}, {6, "1 more features lie beyond their grids"}, {9, "4 more features lie beyond their grids"}}) {
    const integers::ClientInterface interface = grids(features);
    BeyondGrids beyond;
    const std::vector<double> far(static_cast<std::size_t>(features), 99);
    beyond.add(interface, {far, far});
    const std::vector<std::string> sentences = beyond.sentences(interface);
    ASSERT_EQ(sentences.size(), last.empty() ? 5U : 6U);
    EXPECT_TRUE(sentences[4].starts_with("input 'f', element 4: ")) << sentences[4];
    if (!last.empty()) {
      EXPECT_EQ(sentences[5], last);
    }
  }
}

}  // namespace
}  // namespace tacit::session
