#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>
#include <thread>

#include "base/refusal_for_test.h"
#include "search/party_for_test.h"

namespace tacit::search {
namespace {

// 25 queries against 4,000 vectors: 10^5 pairs. Scores equal those of the int8 numbers within six deviations of the
// stated noise, and the deviation is the stated one.
TEST_F(SearchParties, ScoresEqualInt8ScoresWithinTheStatedNoise) {
  constexpr std::uint64_t kRecords = 4000, kDimensions = 32, kQueries = 25;
  RandomVectors vectors(kRecords, kDimensions, 1), queries(kQueries, kDimensions, 2);
  build({.vectors = vectors.vectors()}, {});
  make_keys();
  ask(queries.vectors(), 10);
  evaluate();
  const StoreShape shape = client().shape();
  std::vector<std::int8_t> tile(kDimensions * kTileNumbers);
  Store(store()).read_vectors(0, 1, tile);
  const double deviation = score_deviation(shape, kFineAnswer);
  double squares = 0, worst = 0;
  for (std::size_t s = 0; s < kQueries; ++s) {
    const std::vector<double> found = scores(s);
    ASSERT_EQ(found.size(), kRecords);
    for (std::uint64_t i = 0; i < kRecords; ++i) {
      double exact = 0;
      for (std::uint64_t d = 0; d < kDimensions; ++d)
        exact += queries.row(s)[d] * tile[d * kTileNumbers + i] * shape.step;
      worst = std::max(worst, std::abs(found[i] - exact));
      squares += (found[i] - exact) * (found[i] - exact) / (kRecords * kQueries);
    }
  }
  EXPECT_LT(worst, 6 * deviation);
  EXPECT_NEAR(std::sqrt(squares) / deviation, 1, 0.05);
  EXPECT_LT(deviation, 0x1p-11);
}

TEST_F(SearchParties, BestTenAreThoseOfTheExactScores) {
  RandomVectors vectors(5000, 16, 3), queries(1, 16, 4);
  std::vector<std::int64_t> ids(5000);
  std::iota(ids.begin(), ids.end(), -100);
  build({.vectors = vectors.vectors(), .ids = ids}, {});
  make_keys();
  ask(queries.vectors(), 10);
  const AnsweredQuestions done = evaluate();
  EXPECT_EQ(done.head.shape.tiles(), 2U);
  const std::vector<double> found = scores();
  const std::vector<Hit> hits = client().best(found, 10);
  ASSERT_EQ(hits.size(), 10U);
  std::vector<double> exact(5000);
  for (std::uint64_t i = 0; i < 5000; ++i)
    exact[i] = std::inner_product(vectors.row(i).begin(), vectors.row(i).end(), queries.row(0).begin(), 0.0);
  std::vector<double> sorted = exact;
  std::sort(sorted.rbegin(), sorted.rend());
  for (std::size_t i = 0; i < 10; ++i) {
    EXPECT_EQ(hits[i].id, static_cast<std::int64_t>(hits[i].record) - 100);
    EXPECT_NEAR(exact[hits[i].record], sorted[i], 0.01) << i;
  }
}

TEST_F(SearchParties, DotAndEuclidHaveTheirUnits) {
  for (const Metric metric : {Metric::dot, Metric::euclid}) {
    std::filesystem::remove_all(store());
    RandomVectors vectors(300, 12, 5, 40), queries(2, 12, 6, 60);
    build({.vectors = vectors.vectors()}, {.metric = metric});
    make_keys();
    ask(queries.vectors(), 3);
    evaluate();
    for (std::size_t s = 0; s < 2; ++s) {
      const std::vector<double> found = scores(s);
      for (std::uint64_t i = 0; i < 300; ++i) {
        double dot = 0, squares = 0;
        for (std::size_t d = 0; d < 12; ++d) {
          dot += vectors.row(i)[d] * queries.row(s)[d];
          squares += std::pow(vectors.row(i)[d] - queries.row(s)[d], 2);
        }
        // Components are rounded to 1/254 of the largest one.
        const double exact = metric == Metric::dot ? dot : std::sqrt(squares);
        EXPECT_NEAR(found[i], exact, metric == Metric::dot ? 15 : 0.5) << i;
      }
      const std::vector<Hit> hits = client().best(found, 3);
      const auto best = metric == Metric::dot ? std::max_element(found.begin(), found.end())
                                              : std::min_element(found.begin(), found.end());
      EXPECT_EQ(hits[0].record, static_cast<std::uint64_t>(best - found.begin()));
    }
  }
}

TEST_F(SearchParties, RecordsByNumberAreExact) {
  RandomVectors vectors(700, 4, 7);
  build({.vectors = vectors.vectors(), .payload = test_payload(900)}, {});
  make_keys();
  EXPECT_EQ(client().shape().payload, (PayloadShape{.bytes = 900, .per_group = 4, .groups = 175}));
  ask_records({0, 3, 699, 411});
  evaluate();
  const std::uint64_t expected[] = {0, 3, 699, 411};
  for (std::size_t i = 0; i < 4; ++i) {
    const std::vector<std::uint8_t> bytes = record(i);
    ASSERT_EQ(bytes.size(), 900U);
    for (std::uint64_t b = 0; b < 900; ++b)
      ASSERT_EQ(bytes[b], payload_byte(expected[i], b)) << expected[i] << " " << b;
  }
}

TEST_F(SearchParties, CoarseAnswersAndSeveralPassesGiveTheSameBest) {
  RandomVectors vectors(200, 8, 8), queries(3, 8, 9);
  build({.vectors = vectors.vectors()}, {});
  make_keys();
  ask(queries.vectors(), 1);
  evaluate();
  const std::vector<double> fine = scores(2);
  evaluate(kCoarseAnswer, 1);  // one question at a time
  const std::vector<double> coarse = scores(2);
  EXPECT_LT(score_deviation(client().shape(), kFineAnswer) * 4, score_deviation(client().shape(), kCoarseAnswer));
  for (std::size_t i = 0; i < 200; ++i)
    EXPECT_NEAR(fine[i], coarse[i], 6.5 * score_deviation(client().shape(), kCoarseAnswer));
}

TEST_F(SearchParties, DeletedRecordsHaveNoScoreAndNoBytes) {
  RandomVectors vectors(50, 8, 10), queries(1, 8, 11);
  build({.vectors = vectors.vectors(), .payload = test_payload(5)}, {});
  make_keys();
  ask(vectors.vectors(), 1);
  const std::int64_t gone[] = {7, 30};
  const WrittenStore written = delete_from_store(store(), gone, base::Progress::silent());
  EXPECT_EQ(written.shape.version, 2U);
  evaluate();
  const std::vector<double> found = scores(7);
  EXPECT_TRUE(std::isnan(found[7]));
  EXPECT_TRUE(std::isnan(found[30]));
  EXPECT_NEAR(scores(8)[8], 1, 0.02);
  // The server erases the score: a client that ignores the list of deleted records finds noise.
  AnswerReader answers(at("answer"));
  EXPECT_NE(client().best(found, 1)[0].record, 7U);
  base::expect_refusal<base::InputError>([&] { ask_records({7}); }, "the record with the id 7 is deleted");
  std::vector<std::int8_t> payload(client().shape().payload->groups * kTileNumbers);
  Store(store()).read_payload(0, 1, payload);
  for (std::size_t b = 0; b < 5; ++b) EXPECT_EQ(payload[7 * 5 + b], 0);
  for (std::size_t b = 0; b < 5; ++b)
    EXPECT_EQ(static_cast<std::uint8_t>(payload[8 * 5 + b] ^ 0x80), payload_byte(8, b));
}

TEST_F(SearchParties, AppendKeepsRecordsAndFullTiles) {
  RandomVectors all(9000, 6, 12);
  const Vectors whole = all.vectors();
  const auto part = [&](std::uint64_t first, std::uint64_t count) {
    return Vectors{.count = count, .dimensions = 6, .read = [&, first](std::uint64_t i, std::span<double> out) {
                     whole.read(first + i, out);
                   }};
  };
  build({.vectors = part(0, 4500), .payload = test_payload(3)}, {.largest_component = 1});
  make_keys();
  const Store before(store());
  append_to_store(store(), {.vectors = part(4500, 10), .payload = test_payload(3, 4500)}, base::Progress::silent());
  const WrittenStore written = append_to_store(store(), {.vectors = part(4510, 4490), .payload = test_payload(3, 4510)},
                                               base::Progress::silent());
  EXPECT_EQ(written.shape.records, 9000U);
  EXPECT_EQ(written.shape.version, 3U);
  EXPECT_EQ(Store(store()).index().vectors.size(), 2U);  // the full tile of the first version, and the others
  EXPECT_NE(Store(store()).root(), before.root());
  // The opened version is still there, though its last tile was written again and its file removed.
  EXPECT_EQ(before.shape().records, 4500U);
  std::vector<std::int8_t> old(6 * kTileNumbers), now(6 * kTileNumbers);
  before.read_vectors(1, 1, old);
  Store(store()).read_vectors(1, 1, now);
  for (std::size_t i = 0; i < 4500 - kTileNumbers; ++i) ASSERT_EQ(old[i], now[i]);
  EXPECT_EQ(old[4500 - kTileNumbers], 0);
  EXPECT_NE(now[4500 - kTileNumbers] | now[kTileNumbers + 4500 - kTileNumbers], 0);

  ask(part(8999, 1), 1);
  evaluate();
  const std::vector<double> found = scores();
  ASSERT_EQ(found.size(), 9000U);
  EXPECT_NEAR(found[8999], 1, 0.02);
  ask_records({1, 4505, 8999});
  evaluate();
  const std::uint64_t expected[] = {1, 4505, 8999};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::uint64_t b = 0; b < 3; ++b) EXPECT_EQ(record(i)[b], payload_byte(expected[i], b));
}

// A question that was made before an append is answered by the new version, and its answer says so.
TEST_F(SearchParties, AnswersNameTheirVersion) {
  RandomVectors vectors(20, 4, 13), more(5, 4, 14);
  build({.vectors = vectors.vectors()}, {.largest_component = 1});
  make_keys();
  ask(vectors.vectors(), 2);
  const SearchClient old_client = client();
  append_to_store(store(), {.vectors = more.vectors()}, base::Progress::silent());
  const AnsweredQuestions done = evaluate();
  const AnswerReader answers(at("answer"));
  EXPECT_EQ(answers.head().shape.version, 2U);
  EXPECT_EQ(answers.head().store, Store(store()).root());
  EXPECT_EQ(done.head.shape.records, 25U);
  old_client.require_answers(answers, notes());
  EXPECT_EQ(old_client.scores(secret(), answers, 3, notes().questions[3]).size(), 25U);
}

// Readers open a version while a writer makes others, and each sees one whole version.
TEST_F(SearchParties, OpensWhileAWriterWorks) {
  constexpr std::int64_t kVersions = 20;
  RandomVectors vectors(40, 4, 15);
  build({.vectors = vectors.vectors(), .payload = test_payload(2)}, {});
  std::atomic<bool> done = false;
  std::thread writer([&] {
    for (std::int64_t id = 0; id < kVersions; ++id)
      delete_from_store(store(), std::span(&id, 1), base::Progress::silent());
    done = true;
  });
  std::uint64_t last = 1;
  while (!done) {
    const Store opened(store());
    EXPECT_GE(opened.shape().version, last);
    EXPECT_EQ(opened.index().deleted.size(), opened.shape().version - 1);
    last = opened.shape().version;
    std::vector<std::int8_t> payload(opened.shape().payload->groups * kTileNumbers);
    opened.read_payload(0, 1, payload);
    for (std::uint64_t record = 0; record < 40; ++record)
      EXPECT_EQ(static_cast<std::uint8_t>(payload[2 * record] ^ 0x80),
                opened.index().is_deleted(record) ? 0x80 : payload_byte(record, 0));
  }
  writer.join();
  EXPECT_EQ(Store(store()).shape().version, 1U + kVersions);
}

// The answers of an opened version stay the same, bit by bit, after appends and deletions.
TEST_F(SearchParties, ASearchUnderWaySeesOneVersion) {
  RandomVectors vectors(5000, 4, 16), more(4000, 4, 17);
  build({.vectors = vectors.vectors()}, {.largest_component = 1});
  make_keys();
  ask(RandomVectors(1, 4, 18).vectors(), 1);
  const QuestionReader questions(at("question"));
  base::Digest digest;
  const SearchKeys keys = load_search_keys(at("evaluation"), client().shape());
  std::vector<ExpandedQuestion> expanded(1);
  expanded[0] = Expander(search_context(), keys.keys, 4).expand(questions.read(0, digest), 4);
  const Store opened(store());
  const auto before = answer(opened, Asks::scores, expanded, kFineAnswer, base::Progress::silent());
  append_to_store(store(), {.vectors = more.vectors()}, base::Progress::silent());
  const std::int64_t gone = 17;
  delete_from_store(store(), std::span(&gone, 1), base::Progress::silent());
  EXPECT_EQ(answer(opened, Asks::scores, expanded, kFineAnswer, base::Progress::silent()), before);
  const auto after = answer(Store(store()), Asks::scores, expanded, kFineAnswer, base::Progress::silent());
  EXPECT_EQ(after[0].size(), before[0].size() / 2 * 3);
}

}  // namespace
}  // namespace tacit::search
