#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "program/slots/clear.h"
#include "tensor/operators.h"
#include "tensor/session.h"
#include "tensor/small_session_for_test.h"
#include "tensor/tile_tensor.h"

namespace tacit::tensor {
namespace {

/// The clear reading, which keeps the levels and scales that it was asked to encode for.
class LandingsOfPlaintexts final : public slots::ClearEvaluator {
 public:
  LandingsOfPlaintexts() : ClearEvaluator(kSlots) {}
  ArrayPtr encode_addend(Index count, const program::SlotsOf& slots, slots::Landing to) override {
    addends.push_back(to);
    return ClearEvaluator::encode_addend(count, slots, to);
  }
  ArrayPtr encode_factor(Index count, const program::SlotsOf& slots, slots::Landing from, slots::Landing to) override {
    factors.emplace_back(from, to);
    return ClearEvaluator::encode_factor(count, slots, from, to);
  }
  std::vector<slots::Landing> addends;
  std::vector<std::pair<slots::Landing, slots::Landing>> factors;
};

TEST(PlainTensor, AddendsHaveTheScaleOfTheSumAndFactorsThatOfTheirProduct) {
  const auto reading = std::make_shared<LandingsOfPlaintexts>();
  const auto session = std::make_shared<Session>(reading, TileLevels{1, 3, {0, 100, 200, 300, 400}},
                                                 [](const layout::LinearMap&, const layout::DiagonalSet&, int) {
                                                   return params::LinearSchedule{{{0, 0, 0}}, {}};
                                                 });
  const TileShape shape = TileShape::parse("{x 5|64}");
  const TileTensor a = encrypt(session, shape, {{5}, {1, 2, 3, 4, 5}}, 2);
  const PlainTensor b(session, shape, {{5}, {5, 4, 3, 2, 1}});

  EXPECT_EQ(decrypt(add(a, b)).values, (std::vector<double>{6, 6, 6, 6, 6}));
  ASSERT_EQ(reading->addends.size(), 1u);
  EXPECT_TRUE(reading->factors.empty());
  EXPECT_EQ(reading->addends[0].level, 3);
  EXPECT_EQ(reading->addends[0].scale, 300);

  EXPECT_EQ(decrypt(multiply(a, b)).values, (std::vector<double>{5, 8, 9, 8, 5}));
  ASSERT_EQ(reading->factors.size(), 1u);
  EXPECT_EQ(reading->factors[0].first.level, 3);
  EXPECT_EQ(reading->factors[0].first.scale, 300);
  EXPECT_EQ(reading->factors[0].second.level, 2);
  EXPECT_EQ(reading->factors[0].second.scale, 200);

  add(a, b);  // both are encoded already
  multiply(a, b);
  EXPECT_EQ(reading->addends.size(), 1u);
  EXPECT_EQ(reading->factors.size(), 1u);
}

}  // namespace
}  // namespace tacit::tensor
