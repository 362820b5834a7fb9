#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <vector>

#include "base/temporary_folder_for_test.h"
#include "search/answering.h"
#include "search/client.h"
#include "search/small_store_for_test.h"
#include "search/store_builder.h"

namespace tacit::search {

/// A store in a folder of its own, with a client and a server.
class SearchParties : public testing::Test {
 protected:
  std::filesystem::path at(const std::string& name) const { return folder_.path() / name; }
  std::filesystem::path store() const { return at("store"); }
  WrittenStore build(const Records& records, const BuildChoices& choices) const {
    return build_store(store(), records, choices, base::Progress::silent());
  }
  SearchClient client() const { return SearchClient(read_client_file(store() / kClientFile)); }
  void make_keys() const { client().generate_keys(at("secret"), at("evaluation"), base::Progress::silent()); }
  scheme::ckks::SecretKey secret() const {
    runtime::Provenance found;
    return load_search_secret(at("secret"), client().shape(), found);
  }
  void ask(const Vectors& queries, std::uint64_t top) const {
    client().ask_scores(at("secret"), queries, top, at("question"), base::Progress::silent());
  }
  void ask_records(const std::vector<std::int64_t>& ids) const {
    client().ask_records(at("secret"), ids, at("question"), base::Progress::silent());
  }
  AnsweredQuestions evaluate(AnswerBits bits = kFineAnswer, std::uint64_t memory = std::uint64_t{1} << 30) const {
    return answer_file(Store(store()), {at("evaluation"), at("question"), at("answer")}, bits, memory,
                       base::Progress::silent());
  }
  QuestionNotes notes() const { return load_notes(notes_beside(at("question"))); }
  std::vector<double> scores(std::size_t question = 0) const {
    const AnswerReader answers(at("answer"));
    client().require_answers(answers, notes());
    return client().scores(secret(), answers, question, notes().questions[question]);
  }
  std::vector<std::uint8_t> record(std::size_t question = 0) const {
    const AnswerReader answers(at("answer"));
    client().require_answers(answers, notes());
    return client().record(secret(), answers, question, notes().questions[question]);
  }
  /// Returns the int8 numbers of a record.
  std::vector<std::int8_t> stored(std::uint64_t record) const {
    const Store opened(store());
    std::vector<std::int8_t> tile(opened.shape().dimensions * kTileNumbers), numbers;
    opened.read_vectors(record / kTileNumbers, 1, tile);
    for (std::uint64_t d = 0; d < opened.shape().dimensions; ++d)
      numbers.push_back(tile[d * kTileNumbers + record % kTileNumbers]);
    return numbers;
  }
  /// Returns the score of a query and the int8 numbers of a record, in exact arithmetic on doubles.
  double int8_score(std::span<const double> query, std::uint64_t record) const {
    const StoreShape shape = client().shape();
    const std::vector<std::int8_t> numbers = stored(record);
    double score = 0;
    for (std::size_t d = 0; d < numbers.size(); ++d) score += query[d] * numbers[d] * shape.step;
    return score;
  }

  base::TemporaryFolder folder_;
};

}  // namespace tacit::search
