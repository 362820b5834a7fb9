#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "base/progress.h"
#include "base/sha256.h"
#include "scheme/ckks/keys.h"
#include "search/answer_file.h"
#include "search/quantiser.h"
#include "search/question_file.h"
#include "search/store.h"

namespace tacit::search {

/// A question as its owner remembers it. The server must not see it.
struct AskedQuestion {
  base::Digest digest{};     ///< by which an answer names it
  double norm = 1;           ///< of the query, for scores
  std::uint64_t record = 0;  ///< for records
};
/// The notes of a client about a file of questions: a file of mode 0600 next to it.
struct QuestionNotes {
  StoreId store{};
  Asks asks = Asks::scores;
  std::uint64_t top = 10;  ///< the wanted number of best records
  std::vector<AskedQuestion> questions{};
};
/// Returns the path of the notes of a file of questions.
std::filesystem::path notes_beside(const std::filesystem::path& question);
void save(const QuestionNotes& notes, const std::filesystem::path& path);
QuestionNotes load_notes(const std::filesystem::path& path);

/// A record of an answer.
struct Hit {
  std::uint64_t record = 0;
  std::int64_t id = 0;
  double score = 0;
};

/// The client of a store: makes keys and questions, and reads answers. Thread safe.
class SearchClient {
 public:
  /// Takes the client's part of a store (read_client_file).
  explicit SearchClient(StoreIndex store) : store_(std::move(store)) {}
  const StoreShape& shape() const { return store_.shape; }

  /// The roots of the written keys.
  struct KeyRoots {
    base::Digest secret{}, evaluation{};
  };
  /// Writes a secret key (mode 0600) and the evaluation keys for the server.
  KeyRoots generate_keys(const runtime::Sink& secret, const runtime::Sink& evaluation, base::Progress& progress) const;

  /// Writes encrypted queries to `output`, and notes beside it. A query under cosine is divided by its norm. Throws
  /// InputError for queries of other dimensions, with NaN, zero under cosine or beyond the largest norm, and for more
  /// `top` than records. Throws KeyMismatch for keys of another store. Returns the root of the file.
  base::Digest ask_scores(const std::filesystem::path& secret, const Vectors& queries, std::uint64_t top,
                          const std::filesystem::path& output, base::Progress& progress) const;
  /// Does the same without files. `keep` receives the notes before the questions are whole.
  base::Digest ask_scores(const runtime::Source& secret, const Vectors& queries, std::uint64_t top,
                          const runtime::Sink& output, const std::function<void(const QuestionNotes&)>& keep,
                          base::Progress& progress) const;
  /// Writes questions for the payload of records, by their ids. Throws InputError for an id that the store does not
  /// have, and for a store without payload.
  base::Digest ask_records(const std::filesystem::path& secret, std::span<const std::int64_t> ids,
                           const std::filesystem::path& output, base::Progress& progress) const;

  /// Throws KeyMismatch unless the answers are of this store and answer the noted questions, each once and in order.
  void require_answers(const AnswerReader& answers, const QuestionNotes& notes) const;
  /// Returns the scores of one answer, by record; NaN for deleted records. They are for the owner of the key: like
  /// scheme::ckks::Decryptor it adds noise of the ciphertext's deviation. Their deviation is score_deviation.
  std::vector<double> scores(const scheme::ckks::SecretKey& key, const AnswerReader& answers, std::size_t question,
                             const AskedQuestion& asked) const;
  /// Returns the bytes of the asked record. They are exact.
  std::vector<std::uint8_t> record(const scheme::ckks::SecretKey& key, const AnswerReader& answers,
                                   std::size_t question, const AskedQuestion& asked) const;
  /// Returns the best records, the nearest first; equal scores by rising record. Throws InputError if the store has
  /// grown beyond the ids that this client knows.
  std::vector<Hit> best(std::span<const double> scores, std::uint64_t top) const;

 private:
  scheme::ckks::Ciphertext encrypt(const scheme::ckks::SecretKey& key, std::span<const double> coefficients,
                                   std::size_t dimensions) const;
  std::vector<double> decrypt_tile(const scheme::ckks::SecretKey& key, std::span<const std::uint8_t> tile,
                                   AnswerBits bits, double deviation) const;
  StoreIndex store_;
};

/// Loads a secret key of this store. Throws KeyMismatch for another store. `binding` receives the statements of the
/// key.
scheme::ckks::SecretKey load_search_secret(const runtime::Source& source, const StoreShape& shape,
                                           runtime::Provenance& found);

/// Throws KeyMismatch unless the answers are under this key. `key` is the file of `found`, for the message.
void require_same_key(const AnswerReader& answers, const runtime::Provenance& found, const std::filesystem::path& key);

/// Returns the deviation of a score of SearchClient::scores, in the unit of the metric, for a query of norm 1 (cosine,
/// dot) or for the squared distance (euclid): integer_score_deviation times the step of a score, times sqrt 2 for the
/// noise of decoding.
double score_deviation(const StoreShape& shape, AnswerBits bits);

}  // namespace tacit::search
