#include "session/owner/engine.h"

#include <gtest/gtest.h>

namespace tacit::session {
namespace {

/// Answers with the number of samples, and refuses runs of three.
class CountingEngine final : public Engine {
 public:
  Inference infer(std::span<const std::vector<graph::Tensor>> samples) override {
    if (samples.size() == 3) throw base::InputError("three are too many");
    Inference inference;
    inference.evaluate_seconds = static_cast<double>(samples.size());
    return inference;
  }
  bool concurrent() const override { return true; }
};

TEST(Engine, RefusesARunOfARoundAlone) {
  CountingEngine engine;
  std::vector<std::vector<std::vector<graph::Tensor>>> runs;
  for (const std::size_t samples : {1, 3, 2}) runs.emplace_back(samples);
  const std::vector<Inference> round = engine.infer_round(runs);
  ASSERT_EQ(round.size(), 3u);
  EXPECT_FALSE(round[0].refusal);
  EXPECT_EQ(round[0].evaluate_seconds, 1);
  EXPECT_EQ(round[1].refusal, "three are too many");
  EXPECT_EQ(round[1].evaluate_seconds, 0);
  EXPECT_FALSE(round[2].refusal);
  EXPECT_EQ(round[2].evaluate_seconds, 2);
  EXPECT_TRUE(engine.infer_round({}).empty());
}

TEST(Engine, TakesOneRunAtOnceAndNoTimeToPrepareUnlessItSaysSo) {
  const CountingEngine engine;
  EXPECT_EQ(engine.at_once(), 1u);
  EXPECT_EQ(engine.preparation().keygen_seconds, 0);
  EXPECT_EQ(engine.preparation().encode_seconds, 0);
  EXPECT_EQ(engine.preparation().key_bytes, 0u);
  EXPECT_TRUE(engine.neighbour_shares().empty());
  const Inference none;
  EXPECT_EQ(none.encrypt_seconds, 0);
  EXPECT_EQ(none.evaluate_seconds, 0);
  EXPECT_EQ(none.decrypt_seconds, 0);
}

}  // namespace
}  // namespace tacit::session
