#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <vector>

#include "base/memory_budget.h"
#include "base/progress.h"
#include "runtime/binding.h"
#include "runtime/receipt.h"
#include "scheme/ckks/keys.h"
#include "search/answer_file.h"
#include "search/expansion.h"
#include "search/question_file.h"
#include "search/store.h"

namespace tacit::search {

/// The evaluation keys of a client of this store.
struct SearchKeys {
  std::shared_ptr<const scheme::ckks::EvaluationKeys> keys;
  runtime::Provenance provenance;
};
/// Loads keys from a stranger. Throws KeyMismatch if they were made for another store, InputError on damage and for a
/// secret key.
SearchKeys load_search_keys(const runtime::Source& source, const StoreShape& shape);

/// Throws KeyMismatch if the questions are of another store, and InputError if they do not fit the version of the
/// store: other dimensions, no payload, or another form of the payload.
void require_fitting(const QuestionReader& questions, const StoreShape& shape);

/// Returns the answers to expanded questions, one byte string for each: the rounded tiles of scores or records. Tiles
/// are read once for all questions, checked against their roots, and transformed on the fly. Scores of deleted records
/// and of places without a record are erased. Several threads share the work. Thread safe.
std::vector<std::vector<std::uint8_t>> answer(const Store& store, Asks asks,
                                              std::span<const ExpandedQuestion> questions, AnswerBits bits,
                                              base::Progress& progress);

/// The files of an evaluation, or what stands for them.
struct AnswerFiles {
  runtime::Source keys, question;
  runtime::Sink answer;
};
struct AnsweredQuestions {
  AnswerHead head;
  base::Digest keys{}, question{}, answer{};  ///< roots
  std::uint64_t key_bytes = 0;
  double expansion_seconds = 0, product_seconds = 0;
};
/// Returns the statement of an evaluation: `model` is the root of the store, and `model_id` its id.
runtime::Receipt receipt_of(const AnsweredQuestions& done);
/// Returns the bytes that expanded questions may take: a quarter of the budget. Tiles, answers and the cache of files
/// have the rest.
std::uint64_t memory_of_questions(const base::MemoryBudget& budget);
/// The evaluation of a file of questions, in steps. Between steps it holds no keys and no expanded questions. Not
/// thread safe.
class Answering {
 public:
  /// Opens the questions. `store` must outlive this object. `memory` bounds the bytes of expanded questions that are
  /// held at once; more questions take several passes over the store. Throws as require_fitting does, and KeyMismatch
  /// for questions under other keys.
  Answering(const Store& store, const SearchKeys& keys, const runtime::Source& question, AnswerBits bits,
            std::uint64_t memory);
  std::size_t questions() const { return questions_.questions(); }
  /// Returns true when every question is answered.
  bool complete() const { return answers_.size() == questions(); }
  /// Answers as many questions as are held at once.
  void step(const SearchKeys& keys, base::Progress& progress);
  /// Writes the answers. The evaluation is complete.
  AnsweredQuestions finish(const runtime::Sink& answer);

 private:
  const Store& store_;
  QuestionReader questions_;
  AnsweredQuestions done_;
  std::size_t together_ = 1;
  std::vector<std::vector<std::uint8_t>> answers_;
};

/// Answers a file of questions, as Answering does.
AnsweredQuestions answer_file(const Store& store, const AnswerFiles& files, AnswerBits bits, std::uint64_t memory,
                              base::Progress& progress);

}  // namespace tacit::search
