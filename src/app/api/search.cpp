#include <tacit/search.h>

#include <algorithm>

#include "app/api/memory.h"
#include "base/build_info.h"
#include "base/error.h"
#include "base/sha256.h"
#include "base/wipe.h"
#include "runtime/receipt.h"
#include "search/answering.h"
#include "search/client.h"
#include "search/store_builder.h"

namespace tacit {
namespace {

search::Vectors vectors_in(std::span<const double> numbers, std::size_t dimensions) {
  if (dimensions == 0 || numbers.size() % dimensions != 0)
    base::refuse("{} numbers are no whole vectors of {} dimensions", numbers.size(), dimensions);
  return {.count = numbers.size() / dimensions,
          .dimensions = dimensions,
          .read = [=](std::uint64_t index, std::span<double> out) {
            std::copy_n(numbers.begin() + static_cast<std::ptrdiff_t>(index * dimensions), dimensions, out.begin());
          }};
}

search::Records records_in(const SearchRecords& from) {
  search::Records records{.vectors = vectors_in(from.vectors, from.dimensions),
                          .ids = {from.ids.begin(), from.ids.end()},
                          .normalise = from.normalise};
  if (from.payload_bytes == 0 && from.payload.empty()) return records;
  if (from.payload.size() != records.vectors.count * from.payload_bytes)
    base::refuse("{} bytes are not the payloads of {} records of {} bytes", from.payload.size(), records.vectors.count,
                 from.payload_bytes);
  records.payload =
      search::Payload{.bytes = from.payload_bytes, .read = [&from](std::uint64_t index, std::span<std::uint8_t> out) {
                        const auto first = static_cast<std::ptrdiff_t>(index * from.payload_bytes);
                        std::copy_n(from.payload.begin() + first, out.size(), out.begin());
                      }};
  return records;
}

SearchStore facts_of(const search::StoreShape& shape, const base::Digest& root) {
  return {shape.version, shape.records, shape.dimensions, std::string(search::metric_name(shape.metric)),
          base::hexadecimal(root)};
}

/// The answers to questions of this client, read by `read(client, key, answers, i, asked)`.
template <class Result, class Read>
std::vector<Result> read_answers(const SearchClientFiles& files, const std::filesystem::path& question,
                                 const std::filesystem::path& answer, search::Asks asks, const Read& read) {
  const search::SearchClient client(search::read_client_file(files.client));
  runtime::Provenance found;
  const scheme::ckks::SecretKey key = search::load_search_secret(files.secret, client.shape(), found);
  const search::AnswerReader answers(answer);
  const search::QuestionNotes notes = search::load_notes(search::notes_beside(question));
  client.require_answers(answers, notes);
  search::require_same_key(answers, found, files.secret);
  if (notes.asks != asks)
    base::refuse("{}: the question asks for {}, not for {}", question.string(), search::asks_name(notes.asks),
                 search::asks_name(asks));
  std::vector<Result> results;
  for (std::size_t i = 0; i < notes.questions.size(); ++i) results.push_back(read(client, key, answers, i, notes));
  return results;
}

std::vector<SearchHit> hits_of(const search::SearchClient& client, std::span<const double> scores, std::uint64_t top) {
  std::vector<SearchHit> hits;
  for (const search::Hit& hit : client.best(scores, top)) hits.push_back({hit.id, hit.record, hit.score});
  return hits;
}

}  // namespace

SearchStore build_search_store(const std::filesystem::path& folder, const SearchRecords& records,
                               std::string_view metric, double largest_component, Progress& progress) {
  search::BuildChoices choices{.metric = search::metric_from(metric)};
  if (largest_component > 0) choices.largest_component = largest_component;
  const search::WrittenStore written = search::build_store(folder, records_in(records), choices, progress);
  return facts_of(written.shape, written.root);
}

SearchStore append_to_search_store(const std::filesystem::path& folder, const SearchRecords& records,
                                   Progress& progress) {
  const search::WrittenStore written = search::append_to_store(folder, records_in(records), progress);
  return facts_of(written.shape, written.root);
}

SearchStore delete_from_search_store(const std::filesystem::path& folder, std::span<const std::int64_t> ids,
                                     Progress& progress) {
  const search::WrittenStore written = search::delete_from_store(folder, ids, progress);
  return facts_of(written.shape, written.root);
}

SearchStore search_store(const std::filesystem::path& folder) {
  const search::Store store(folder);
  return facts_of(store.shape(), store.root());
}

void generate_search_keys(const SearchClientFiles& files, const std::filesystem::path& evaluation, Progress& progress) {
  search::SearchClient(search::read_client_file(files.client)).generate_keys(files.secret, evaluation, progress);
}

void ask_scores(const SearchClientFiles& files, std::span<const double> queries, std::uint64_t top,
                const std::filesystem::path& output, Progress& progress) {
  const search::SearchClient client(search::read_client_file(files.client));
  client.ask_scores(files.secret, vectors_in(queries, client.shape().dimensions), top, output, progress);
}

void ask_records(const SearchClientFiles& files, std::span<const std::int64_t> ids, const std::filesystem::path& output,
                 Progress& progress) {
  search::SearchClient(search::read_client_file(files.client)).ask_records(files.secret, ids, output, progress);
}

Receipt answer_questions(const std::filesystem::path& store, const std::filesystem::path& evaluation,
                         const std::filesystem::path& question, const std::filesystem::path& answer, bool coarse,
                         std::uint64_t memory_bytes, Progress& progress) {
  const search::Store opened(store);
  const search::AnsweredQuestions done =
      search::answer_file(opened, {.keys = evaluation, .question = question, .answer = answer},
                          coarse ? search::kCoarseAnswer : search::kFineAnswer,
                          search::memory_of_questions(app::api::work_budget(memory_bytes)), progress);
  std::filesystem::path receipt = answer;
  runtime::save(search::receipt_of(done), receipt += ".receipt");
  return load_receipt(receipt);
}

std::vector<std::vector<SearchHit>> read_scores(const SearchClientFiles& files, const std::filesystem::path& question,
                                                const std::filesystem::path& answer) {
  return read_answers<std::vector<SearchHit>>(
      files, question, answer, search::Asks::scores,
      [](const auto& client, const auto& key, const auto& answers, std::size_t i, const auto& notes) {
        return hits_of(client, client.scores(key, answers, i, notes.questions[i]), notes.top);
      });
}

std::vector<std::vector<SearchHit>> query_store(const std::filesystem::path& store, std::span<const double> queries,
                                                std::uint64_t top, Progress& progress) {
  const search::Store opened(store);
  const search::SearchClient client(search::read_client_file(store / search::kClientFile));
  std::vector<std::byte> secret, evaluation, question, answer;
  const base::WipedAtExit wiped(secret);
  client.generate_keys(runtime::Sink::memory(secret), runtime::Sink::memory(evaluation), progress);
  search::QuestionNotes notes;
  client.ask_scores(
      runtime::Source::memory(secret), vectors_in(queries, client.shape().dimensions), top,
      runtime::Sink::memory(question), [&](const search::QuestionNotes& found) { notes = found; }, progress);
  search::answer_file(opened,
                      {.keys = runtime::Source::memory(evaluation),
                       .question = runtime::Source::memory(question),
                       .answer = runtime::Sink::memory(answer)},
                      search::kFineAnswer, search::memory_of_questions(app::api::work_budget(0)), progress);
  runtime::Provenance found;
  const scheme::ckks::SecretKey key =
      search::load_search_secret(runtime::Source::memory(secret), client.shape(), found);
  const search::AnswerReader answers(runtime::Source::memory(answer));
  client.require_answers(answers, notes);
  std::vector<std::vector<SearchHit>> hits;
  for (std::size_t i = 0; i < notes.questions.size(); ++i)
    hits.push_back(hits_of(client, client.scores(key, answers, i, notes.questions[i]), notes.top));
  return hits;
}

std::vector<std::string> read_records(const SearchClientFiles& files, const std::filesystem::path& question,
                                      const std::filesystem::path& answer) {
  return read_answers<std::string>(
      files, question, answer, search::Asks::records,
      [](const auto& client, const auto& key, const auto& answers, std::size_t i, const auto& notes) {
        const std::vector<std::uint8_t> bytes = client.record(key, answers, i, notes.questions[i]);
        return std::string(bytes.begin(), bytes.end());
      });
}

}  // namespace tacit
