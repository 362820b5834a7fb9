#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "base/sha256.h"
#include "runtime/artefact.h"
#include "runtime/binding.h"
#include "scheme/ckks/ciphertext.h"
#include "search/store_shape.h"

namespace tacit::search {

/// The content of the answer to a question.
enum class Asks {
  scores,  ///< of every vector
  records  ///< the bytes of one group of records
};
std::string_view asks_name(Asks asks);
/// Throws InputError for an unknown name.
Asks asks_from(std::string_view name);

inline constexpr std::size_t kMostQuestions = 1024;

/// The statements of a file of questions.
struct QuestionHead {
  runtime::Binding binding{};  ///< `model` is the id of the store
  Asks asks = Asks::scores;
  std::uint64_t dimensions = 0;           ///< of the vectors, or groups of the payload
  std::optional<PayloadShape> payload{};  ///< for records: the form that the question was made for
};

/// Writes a file with one ciphertext for each question. Not thread safe.
class QuestionWriter {
 public:
  QuestionWriter(const runtime::Sink& sink, const QuestionHead& head);
  /// Adds a fresh ciphertext. Returns the digest of its bytes, by which the answer names it.
  base::Digest add(const scheme::ckks::Ciphertext& question);
  base::Digest finish() { return writer_.finish(); }

 private:
  runtime::ArtefactWriter writer_;
  std::size_t questions_ = 0;
};

/// Reads a file of questions from a stranger. Throws InputError on damage, on too many questions, and for dimensions
/// out of range. Throws KeyMismatch for another parameter set. Thread safe.
class QuestionReader {
 public:
  explicit QuestionReader(const runtime::Source& source);
  const QuestionHead& head() const { return head_; }
  const base::Digest& root() const { return reader_.root(); }
  std::size_t questions() const { return sections_.size(); }
  const std::string& name() const { return reader_.name(); }
  /// Returns the ciphertext of a question. `digest` receives the digest of its bytes.
  scheme::ckks::Ciphertext read(std::size_t question, base::Digest& digest) const;

 private:
  runtime::ArtefactReader reader_;
  QuestionHead head_;
  std::vector<const runtime::Section*> sections_;
};

}  // namespace tacit::search
