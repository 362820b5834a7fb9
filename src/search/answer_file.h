#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "base/sha256.h"
#include "runtime/artefact.h"
#include "runtime/binding.h"
#include "search/question_file.h"
#include "search/score_noise.h"
#include "search/store_shape.h"

namespace tacit::search {

/// The statements of a file of answers.
struct AnswerHead {
  runtime::Binding binding{};
  Asks asks = Asks::scores;
  AnswerBits bits{};
  StoreShape shape{};                     ///< of the version that answered
  base::Digest store{};                   ///< root of that version
  std::vector<base::Digest> questions{};  ///< digests of the answered questions, in order
  std::vector<std::uint64_t> deleted{};   ///< records without a score
  /// Returns the tiles of one answer.
  std::uint64_t tiles() const { return asks == Asks::scores ? shape.tiles() : shape.payload->tiles(); }
};

/// Writes answers: the rounded tiles of each question. Returns the root of the file.
base::Digest write_answers(const runtime::Sink& sink, const AnswerHead& head,
                           std::span<const std::vector<std::uint8_t>> answers);

/// Reads answers from a server that may be hostile. Throws InputError on damage and for sizes that do not fit the
/// statements. Throws KeyMismatch for another parameter set. Thread safe.
class AnswerReader {
 public:
  explicit AnswerReader(const runtime::Source& source);
  const AnswerHead& head() const { return head_; }
  const base::Digest& root() const { return reader_.root(); }
  const std::string& name() const { return reader_.name(); }
  /// Returns the bytes of all tiles of an answer.
  std::vector<std::uint8_t> read(std::size_t question) const;

 private:
  runtime::ArtefactReader reader_;
  AnswerHead head_;
};

}  // namespace tacit::search
