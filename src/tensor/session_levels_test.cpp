#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <vector>

#include "base/refusal_for_test.h"
#include "layout/operators/movement.h"
#include "program/slots/clear.h"
#include "tensor/session.h"

// Levels and scales of sessions, and which encoded maps they keep.
namespace tacit::tensor {
namespace {

constexpr Index kPlaces = 16;

params::CkksParameters of_primes(const std::vector<int>& bits) {
  return params::CkksParameters::check(
      {.name = "drift", .log_n = 5, .q_bits = bits, .p_bits = {50}, .log_scale = 40, .insecure = true});
}

TEST(SessionLevels, ABaseIsALevelOfTheParameters) {
  const params::CkksParameters parameters = of_primes({50, 40, 40});
  ASSERT_EQ(parameters.max_level(), 2);
  EXPECT_EQ(TileLevels::of(parameters, 0).max, 2);
  EXPECT_EQ(TileLevels::of(parameters, 2).max, 0);
  EXPECT_EQ(TileLevels::of(parameters, 2).at(0).level, 2);
  EXPECT_EQ(TileLevels::of(parameters, 2).at(0).scale, parameters.scale());
  for (const int base : {-1, 3})
    EXPECT_EQ(base::refusal([&] { TileLevels::of(parameters, base); }),
              fmt::format("a base level of {} is outside 0 to 2", base));
  const TileLevels bare{.base = 3, .max = 4};
  EXPECT_EQ(bare.at(2).level, 5);
  EXPECT_EQ(bare.at(2).scale, 1);
}

TEST(SessionLevels, ScalesThatDriftByMoreThanABitAreRefused) {
  const auto drift = [](int level) {
    return fmt::format(
        "parameter set drift: products drift from the scale by more than a bit at level {}; use primes of the size of "
        "the scale",
        level);
  };
  const params::CkksParameters small = of_primes({50, 37, 40});
  EXPECT_EQ(base::refusal([&] { TileLevels::of(small, 0); }), drift(0));
  EXPECT_EQ(TileLevels::of(small, 1).max, 1);  // which the small prime does not reach
  EXPECT_EQ(base::refusal([] { TileLevels::of(of_primes({50, 40, 43}), 0); }), drift(1));
  // A prime of a bit less or more than the scale makes a scale of a bit more or less.
  for (const int bits : {39, 41}) {
    const params::CkksParameters parameters = of_primes({50, bits});
    const double ratio = parameters.scale() / static_cast<double>(parameters.q()[1]);
    EXPECT_EQ(base::refusal([&] { TileLevels::of(parameters, 0); }),
              ratio < 2 && ratio > 0.5 ? base::kNotRefused : drift(0))
        << bits;
  }
}

View in_session(Session& session, int level) {
  return View::whole(session.encrypt(
      1, [](Index) { return std::vector<double>(kPlaces, 2.0); }, level));
}

TEST(SessionLevels, LevelsCountFromTheBase) {
  Session session(std::make_shared<slots::ClearEvaluator>(kPlaces), TileLevels{.base = 2, .max = 3});
  EXPECT_EQ(session.max_level(), 3);
  const View one = in_session(session, 1), none = in_session(session, 0);
  EXPECT_EQ(one.level(), 3);
  EXPECT_EQ(session.level_of(one), 1);
  EXPECT_EQ(session.level_of(none), 0);
  const View product = View::whole(session.multiply_sum(one, one, 1));
  EXPECT_EQ(session.level_of(product), 0);
  EXPECT_EQ(session.decrypt(product, slots::Decoding::exact)[0], std::vector<double>(kPlaces, 4.0));
  EXPECT_EQ(session.level_of(View::whole(session.add(none, none))), 0);
  EXPECT_EQ(session.level_of(View::whole(session.rotate(none, 1))), 0);
  EXPECT_EQ(session.level_of(View::whole(session.drop(in_session(session, 3), 1))), 1);
  EXPECT_EQ(base::refusal([&] { session.multiply_sum(none, none, 1); }),
            "the computation needs more levels than there are: encrypt at a higher level or ask for a greater depth");
}

TEST(SessionLevels, ACostSessionHasTheLevelsAboveItsBase) {
  const params::CkksLiteral literal{
      .name = "test", .log_n = 13, .q_bits = {50, 40, 40}, .p_bits = {50}, .log_scale = 40};
  const auto from = [&](int base) { return cost_session({literal, base}); };
  EXPECT_EQ(from(0)->max_level(), 2);
  EXPECT_EQ(from(1)->max_level(), 1);
  EXPECT_EQ(from(2)->max_level(), 0);
  EXPECT_EQ(from(1)->tile_bytes(1), from(0)->tile_bytes(2));
  EXPECT_GT(from(0)->tile_bytes(2), from(0)->tile_bytes(1));
}

/// The clear reading, whose encoded maps are said to take so many bytes, and are not carried out.
class SizedMaps final : public slots::ClearEvaluator {
 public:
  SizedMaps() : ClearEvaluator(kPlaces) {}
  slots::EncodedMapPtr encode_map(const slots::ScheduledMap& map, slots::Landing from, slots::Landing to) override {
    struct Sized final : slots::EncodedMap {
      Sized(slots::EncodedMapPtr map, double bytes) : inner(std::move(map)), size(bytes) {}
      double bytes() const override { return size; }
      slots::EncodedMapPtr inner;
      double size;
    };
    ++encoded;
    return std::make_shared<const Sized>(ClearEvaluator::encode_map(map, from, to), bytes);
  }
  ArrayPtr linear(std::span<const slots::MappedView> terms, const ArrayPtr&, slots::Landing to) override {
    return ClearEvaluator::gather({{terms[0].view}}, to);
  }
  int encoded = 0;
  double bytes = 0;
};

TEST(SessionLevels, EncodedMapsAreKeptWhileTheyFitTogether) {
  const auto reading = std::make_shared<SizedMaps>();
  int planned = 0;
  Session session(reading, TileLevels{.base = 0, .max = 3},
                  [&](const layout::LinearMap&, const layout::DiagonalSet&, int) {
                    ++planned;
                    return params::LinearSchedule{{{0, 0, 0}}, {}};
                  });
  const layout::Layout layout = layout::Layout::row_major({kPlaces}, kPlaces);
  const View x = in_session(session, 2);
  /// Whether the map that turns by so many places was encoded again.
  const auto encodes = [&](Index by, double share) {
    std::vector<Index> source;
    for (Index i = 0; i < kPlaces; ++i) source.push_back((i + by) % kPlaces);
    const layout::LinearMap map{layout, layout,
                                std::make_shared<layout::Gather>(layout.shape(), layout.shape(), source)};
    const int before = reading->encoded;
    reading->bytes = share * kKeptMapBytes;
    session.linear({{x}}, {{map}});
    return reading->encoded - before;
  };
  EXPECT_EQ(encodes(1, 0.5), 1);
  EXPECT_EQ(encodes(2, 0.25), 1);
  EXPECT_EQ(encodes(3, 0.25), 1);
  for (const Index by : {1, 2, 3}) EXPECT_EQ(encodes(by, 9), 0) << by;  // all of them fit
  // One that is larger than all that is kept takes no place.
  EXPECT_EQ(encodes(4, 1.5), 1);
  EXPECT_EQ(encodes(4, 1.5), 1);
  for (const Index by : {2, 3, 1}) EXPECT_EQ(encodes(by, 9), 0) << by;
  EXPECT_EQ(planned, 4);
  // Half the room: that of the two that were used the longest ago.
  EXPECT_EQ(encodes(5, 0.5), 1);
  EXPECT_EQ(encodes(1, 9), 0);
  EXPECT_EQ(encodes(5, 9), 0);
  EXPECT_EQ(encodes(2, 0.25), 1);  // in the place of 1
  EXPECT_EQ(encodes(5, 9), 0);
  EXPECT_EQ(encodes(3, 0.25), 1);
  EXPECT_EQ(encodes(2, 9), 0);
  // What fills all of the room is kept alone.
  EXPECT_EQ(encodes(6, 1), 1);
  EXPECT_EQ(encodes(6, 9), 0);
  EXPECT_EQ(encodes(2, 0.25), 1);
  EXPECT_EQ(encodes(6, 1), 1);
  EXPECT_EQ(planned, 6);
}

TEST(SessionLevels, EveryLevelOfTheParametersHasAScale) {
  const params::CkksParameters parameters = of_primes({50, 40, 40});
  for (const int base : {0, 1, 2}) EXPECT_EQ(TileLevels::of(parameters, base).scales.size(), 3u) << base;
}

struct Forgetful final : Session {
  using Session::forget_maps;
  using Session::Session;
};

TEST(SessionLevels, WhatIsForgottenLeavesAllOfItsRoom) {
  const auto reading = std::make_shared<SizedMaps>();
  Forgetful session(reading, TileLevels{.base = 0, .max = 3},
                    [](const layout::LinearMap&, const layout::DiagonalSet&, int) {
                      return params::LinearSchedule{{{0, 0, 0}}, {}};
                    });
  const layout::Layout layout = layout::Layout::row_major({kPlaces}, kPlaces);
  const View x = in_session(session, 2);
  reading->bytes = kKeptMapBytes / 2;
  /// How often the maps that turn by one and by two places, each of half the room, are encoded when both are used.
  const auto encodes = [&] {
    const int before = reading->encoded;
    for (const Index by : {1, 2}) {
      std::vector<Index> source;
      for (Index i = 0; i < kPlaces; ++i) source.push_back((i + by) % kPlaces);
      const layout::LinearMap map{layout, layout,
                                  std::make_shared<layout::Gather>(layout.shape(), layout.shape(), source)};
      session.linear({{x}}, {{map}});
    }
    return reading->encoded - before;
  };
  EXPECT_EQ(encodes(), 2);
  EXPECT_EQ(encodes(), 0);
  session.forget_maps();
  EXPECT_EQ(encodes(), 2);
  EXPECT_EQ(encodes(), 0);
}

}  // namespace
}  // namespace tacit::tensor
