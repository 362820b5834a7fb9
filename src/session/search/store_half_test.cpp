#include "session/search/store_half.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/refusal_for_test.h"
#include "search/party_for_test.h"

namespace tacit::session {
namespace {

using testing::HasSubstr;

class StoreHalf : public search::SearchParties {
 protected:
  void SetUp() override {
    build({.vectors = vectors_.vectors(), .ids = {}, .payload = search::test_payload(40)}, {});
    make_keys();
  }
  std::unique_ptr<ServerHalf> load(const base::MemoryBudget& memory = {}) const {
    return load_store_half(store(), search::kFineAnswer, memory, [](const params::ParameterIdentity&) {});
  }
  void ask_first(std::uint64_t count) {
    ask({.count = count,
         .dimensions = kDimensions,
         .read = [this](std::uint64_t i,
                        std::span<double> out) { std::copy_n(vectors_.row(i).begin(), kDimensions, out.begin()); }},
        3);
  }
  std::int64_t nearest(std::size_t question) const { return client().best(scores(question), 1).front().id; }

  static constexpr std::uint64_t kDimensions = 16;
  search::RandomVectors vectors_{600, kDimensions, 5};
};

TEST_F(StoreHalf, AnswersAFileOfQuestionsWithItsReceipt) {
  const auto half = load();
  const auto keys = half->load_keys(at("evaluation"));
  ask_first(3);
  const FoundInputs found = half->inputs_of(at("question"));
  EXPECT_EQ(found.runs, 3U);
  const EvaluatedInputs done =
      half->evaluate(*keys, {.input = at("question"), .output = at("answer")}, base::Progress::silent());
  EXPECT_EQ(done.inputs, 3U);
  EXPECT_EQ(done.receipt.model_id, half->model().binding.model);
  EXPECT_EQ(done.receipt.model, search::Store(store()).root());
  EXPECT_EQ(done.receipt.keys, keys->provenance().root);
  for (std::size_t q = 0; q < 3; ++q) EXPECT_EQ(nearest(q), static_cast<std::int64_t>(q));
  EXPECT_LE(std::filesystem::file_size(at("answer")), found.result_bytes);
  EXPECT_GT(2 * std::filesystem::file_size(at("answer")), found.result_bytes - (128 << 10));
}

TEST_F(StoreHalf, AnswersRecords) {
  const auto half = load();
  ask_records({599});
  half->evaluate(*half->load_keys(at("evaluation")), {.input = at("question"), .output = at("answer")},
                 base::Progress::silent());
  const std::vector<std::uint8_t> bytes = record();
  ASSERT_EQ(bytes.size(), 40U);
  for (std::uint64_t b = 0; b < 40; ++b) EXPECT_EQ(bytes[b], search::payload_byte(599, b)) << b;
}

TEST_F(StoreHalf, AnswersInTurnsFromTheVersionOfItsStart) {
  const auto half = load({.bytes = search::expanded_bytes(kDimensions) * 4, .reserved = 0});
  const auto keys = half->load_keys(at("evaluation"));
  ask_first(3);
  const auto started = half->start(*keys, at("question"), at("answer"));
  EXPECT_FALSE(started->go_on(*keys, base::Progress::silent(), [] { return true; }));
  search::delete_from_store(store(), std::vector<std::int64_t>{0, 1, 2}, base::Progress::silent());
  EXPECT_FALSE(started->go_on(*keys, base::Progress::silent(), [] { return true; }));
  EXPECT_TRUE(started->go_on(*keys, base::Progress::silent(), [] { return true; }));
  EXPECT_EQ(search::AnswerReader(at("answer")).head().shape.version, 1U);
  half->evaluate(*keys, {.input = at("question"), .output = at("answer")}, base::Progress::silent());
  const search::AnswerReader newer(at("answer"));
  EXPECT_EQ(newer.head().shape.version, 2U);
  EXPECT_EQ(newer.head().deleted, (std::vector<std::uint64_t>{0, 1, 2}));
}

TEST_F(StoreHalf, RefusesWhatDoesNotFit) {
  EXPECT_THAT(base::refusal([&] { load({.bytes = 1000, .reserved = 0}); }), HasSubstr("one question to the store"));
  const auto half = load();
  EXPECT_THAT(base::refusal([&] { half->load_keys(at("secret")); }), HasSubstr("secret key"));
  EXPECT_THAT(base::refusal([&] { half->inputs_of(at("evaluation")); }), HasSubstr("evaluation"));
  ask_first(1);
  const auto keys = half->load_keys(at("evaluation"));
  std::filesystem::rename(at("evaluation"), at("older"));
  make_keys();
  EXPECT_THROW(half->start(*half->load_keys(at("evaluation")), at("question"), at("answer")), base::KeyMismatch);
  EXPECT_THAT(base::refusal([&] {
                half->evaluate(*keys, {.input = at("question"), .output = at("answer"), .checkpoints = at("kept")},
                               base::Progress::silent());
              }),
              HasSubstr("--checkpoint"));
}

}  // namespace
}  // namespace tacit::session
