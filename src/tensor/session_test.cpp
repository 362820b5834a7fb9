#include "tensor/session.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "layout/operators/movement.h"
#include "program/slots/clear.h"
#include "tensor/small_session_for_test.h"

namespace tacit::tensor {
namespace {

/// The clear reading, which counts the maps that it encodes, and says that each takes half of what a session keeps.
class CountingEvaluator final : public slots::ClearEvaluator {
 public:
  CountingEvaluator() : ClearEvaluator(kSlots) {}
  slots::EncodedMapPtr encode_map(const slots::ScheduledMap& map, slots::Landing from, slots::Landing to) override {
    struct Half final : slots::EncodedMap {
      explicit Half(slots::EncodedMapPtr map) : inner(std::move(map)) {}
      double bytes() const override { return kKeptMapBytes / 2; }
      slots::EncodedMapPtr inner;
    };
    ++encoded;
    kept = std::make_shared<const Half>(ClearEvaluator::encode_map(map, from, to));
    return kept;
  }
  ArrayPtr linear(std::span<const slots::MappedView> terms, const ArrayPtr&, slots::Landing to) override {
    used = terms[0].map;
    return ClearEvaluator::gather({{terms[0].view}}, to);
  }
  int encoded = 0;
  slots::EncodedMapPtr kept, used;
};

TEST(Session, MapsAreKnownByTheirEntriesAndKeptWhileTheyFit) {
  const auto reading = std::make_shared<CountingEvaluator>();
  int planned = 0;
  Session session(reading, TileLevels{0, 3, {}}, [&](const layout::LinearMap&, const layout::DiagonalSet&, int) {
    ++planned;
    return params::LinearSchedule{{{0, 0, 0}}, {}};
  });
  const layout::Layout layout = layout::Layout::row_major({kSlots}, kSlots);
  const auto apply = [&](Index by, int level) {
    std::vector<Index> source;
    for (Index i = 0; i < kSlots; ++i) source.push_back((i + by) % kSlots);
    const layout::LinearMap map{layout, layout,
                                std::make_shared<layout::Gather>(layout.shape(), layout.shape(), source)};
    const View x = View::whole(session.encrypt(
        1, [](Index) { return std::vector<double>(kSlots); }, level));
    session.linear({{x}}, {{map}});
    return reading->used;
  };
  const auto first = apply(1, 2);
  EXPECT_EQ(apply(1, 2), first);
  EXPECT_EQ(reading->encoded, 1);
  EXPECT_NE(apply(1, 1), first);  // another level
  apply(1, 2);
  EXPECT_EQ(reading->encoded, 2);
  apply(2, 2);  // in the place of the map at level 1, which was used before the other
  EXPECT_EQ(reading->encoded, 3);
  EXPECT_EQ(apply(1, 2), first);
  EXPECT_EQ(planned, 3);
  apply(1, 1);
  EXPECT_EQ(reading->encoded, 4);
  EXPECT_EQ(planned, 3);  // how it is carried out stays known
}

TEST(Session, ScalesOfADeepChainStayNearTheirs) {
  const auto parameters = params::CkksParameters::check(params::parameters_for({64, 8, 40, 20, 0}).literal);
  const TileLevels levels = TileLevels::of(parameters, 1);
  EXPECT_EQ(levels.max, parameters.max_level() - 1);
  EXPECT_EQ(levels.at(levels.max).scale, parameters.scale());
  const double next = parameters.scale() * parameters.scale() / static_cast<double>(parameters.q().back());
  EXPECT_EQ(levels.at(levels.max - 1).scale, next);
  EXPECT_EQ(levels.at(0).level, 1);
  EXPECT_THROW(TileLevels::of(parameters, parameters.max_level() + 1), base::InputError);
}

TEST(Session, AComputationThatIsTooDeepIsRefused) {
  const SessionPtr session = clear_session(kSlots, 1);
  const View x = View::whole(session->encrypt(
      1, [](Index) { return std::vector<double>(kSlots); }, 0));
  EXPECT_THROW(session->multiply_sum(x, x, 1), base::InputError);
}

}  // namespace
}  // namespace tacit::tensor
