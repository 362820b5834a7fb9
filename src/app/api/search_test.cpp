#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <tacit/search.h>

#include <cmath>
#include <string>
#include <vector>

#include "base/temporary_folder_for_test.h"

namespace tacit {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

// The whole way through the public header: nearest records, then their payloads.
TEST(Search, FindsRecordsAndFetchesTheirPayloads) {
  constexpr std::size_t kRecords = 300, kDimensions = 10, kBytes = 9;
  std::vector<double> vectors(kRecords * kDimensions);
  for (std::size_t i = 0; i < vectors.size(); ++i) vectors[i] = std::sin(static_cast<double>(i * i % 1009));
  std::vector<std::int64_t> ids(kRecords);
  std::string payload;
  for (std::size_t i = 0; i < kRecords; ++i) {
    ids[i] = static_cast<std::int64_t>(1000 + i);
    payload += "record" + std::to_string(100 + i);
  }
  const base::TemporaryFolder folder;
  const auto at = [&](const char* name) { return folder.path() / name; };
  const SearchRecords records{.vectors = vectors,
                              .dimensions = kDimensions,
                              .ids = ids,
                              .payload = {reinterpret_cast<const std::uint8_t*>(payload.data()), payload.size()},
                              .payload_bytes = kBytes,
                              .normalise = true};
  const SearchStore built = build_search_store(at("store"), records);
  EXPECT_EQ(built.version, 1U);
  EXPECT_EQ(built.metric, "cosine");
  const SearchClientFiles files{at("store") / "client.tacit", at("secret")};
  generate_search_keys(files, at("evaluation"));
  const std::span<const double> query = std::span(vectors).subspan(42 * kDimensions, kDimensions);
  ask_scores(files, query, 3, at("question"));
  const Receipt receipt = answer_questions(at("store"), at("evaluation"), at("question"), at("answer"));
  EXPECT_EQ(receipt.model, built.root);
  EXPECT_EQ(receipt.model, search_store(at("store")).root);
  const std::vector<std::vector<SearchHit>> hits = read_scores(files, at("question"), at("answer"));
  ASSERT_EQ(hits.size(), 1U);
  ASSERT_EQ(hits[0].size(), 3U);
  EXPECT_EQ(hits[0][0].id, 1042);
  EXPECT_NEAR(hits[0][0].score, 1, 0.01);
  EXPECT_THAT([&] { read_records(files, at("question"), at("answer")); },
              ThrowsMessage<InputError>(HasSubstr("the question asks for scores, not for records")));

  ask_records(files, std::vector<std::int64_t>{1042, 1299}, at("question"));
  answer_questions(at("store"), at("evaluation"), at("question"), at("answer"));
  EXPECT_EQ(read_records(files, at("question"), at("answer")), (std::vector<std::string>{"record142", "record399"}));
  EXPECT_EQ(delete_from_search_store(at("store"), std::vector<std::int64_t>{1042}).version, 2U);
  SearchRecords more = records;
  more.ids = {};
  EXPECT_THAT([&] { append_to_search_store(at("store"), more); },
              ThrowsMessage<InputError>(HasSubstr("append records with --ids")));
  more.payload = more.payload.first(5);
  EXPECT_THAT([&] { build_search_store(at("other"), more); },
              ThrowsMessage<InputError>(HasSubstr("5 bytes are not the payloads of 300 records of 9 bytes")));
  more.dimensions = 7;
  EXPECT_THAT([&] { build_search_store(at("other"), more); },
              ThrowsMessage<InputError>(HasSubstr("3000 numbers are no whole vectors of 7 dimensions")));
}

}  // namespace
}  // namespace tacit
