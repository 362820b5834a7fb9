#pragma once

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/byte_stream.h"
#include "base/sha256.h"
#include "runtime/artefact.h"
#include "runtime/binding.h"

/// Files of ciphertexts of either scheme: what they state about themselves, and a section for every sample whose bytes
/// are the scheme's.
namespace tacit::runtime {

/// What the ciphertexts of a file are, so that an answer is not computed with as if it were a question, nor a question
/// read as an answer. A label for honest mistakes: whoever writes the file can write any role.
enum class CiphertextRole {
  inputs,   ///< of a model, from its client
  results,  ///< of a model, from its server
  vectors,  ///< of no model
  tiles,    ///< a tile tensor, named by its shape
};

/// Throws InputError unless they are equal; says what `name` holds instead and which file to give.
void require_role(CiphertextRole expected, CiphertextRole found, const std::string& name);

/// How many inputs of a model the samples of a file hold. A sample is what one run takes: `batch` inputs side by side,
/// the last sample perhaps fewer.
struct BatchedInputs {
  std::size_t inputs = 0, batch = 1;
  std::size_t samples() const { return (inputs + batch - 1) / batch; }
  /// Inputs of one sample.
  std::size_t of(std::size_t sample) const { return std::min(batch, inputs - sample * batch); }
  bool operator==(const BatchedInputs&) const = default;
};

/// What the samples of a file are known by: the digest of each question, which is of one input or of a batch.
struct Questions {
  std::span<const base::Digest> digests;
  BatchedInputs batched;
};

/// Throws KeyMismatch unless `answers`, the questions that results name, are `questions` in their order: naming the
/// first result that answers another question, or how many inputs are missing. `what` and `of` name the two in errors.
void require_answers(const Questions& questions, const std::string& of, const Questions& answers,
                     const std::string& what);

/// What a file of ciphertexts states about itself.
struct SampleFileHead {
  CiphertextRole role{};
  Binding binding{};
  std::vector<std::string> names{};        ///< of the inputs or outputs
  std::optional<BatchedInputs> batched{};  ///< without it samples hold one input each
};

/// Writes one, a sample at a time; nothing is left behind without `finish`. Throws InputError naming the path. Not
/// thread safe.
class SampleWriter {
 public:
  /// Hands the bytes of a sample to `out`, piece by piece.
  using Pieces = std::function<void(const std::function<void(std::span<const std::byte>)>& out)>;

  SampleWriter(const std::filesystem::path& path, ArtefactScheme scheme, const SampleFileHead& head);
  std::size_t names() const { return names_; }
  /// A sample; of results with the digest of the question that it answers. Throws InternalError for a result without
  /// one, and for a question of what is no result.
  void add(const Pieces& pieces, const std::optional<base::Digest>& question = {});
  /// The root of the file.
  base::Digest finish();

 private:
  ArtefactWriter writer_;
  CiphertextRole role_;
  std::size_t names_, samples_ = 0;
  std::vector<base::Digest> questions_;
};

/// SHA-256 of the bytes of a sample.
base::Digest digest_of(const SampleWriter::Pieces& pieces);

/// Reads one. Throws InputError
/// - on damage,
/// - for another scheme or role,
/// - for results that name no question or one twice,
/// - for samples that do not hold the inputs that the file states.
/// Throws KeyMismatch when it is of other parameters. Thread safe.
class SampleReader {
 public:
  SampleReader(const std::filesystem::path& path, ArtefactScheme scheme, CiphertextRole expected,
               const params::ParameterHash& parameters, const std::string& parameters_name);
  const std::filesystem::path& path() const { return reader_.path(); }
  const SampleFileHead& head() const { return head_; }
  const BatchedInputs& batched() const { return *head_.batched; }
  const base::Digest& root() const { return reader_.root(); }
  std::size_t samples() const { return samples_.size(); }
  /// Bytes of a sample, which is not read.
  std::uint64_t sample_bytes(std::size_t sample) const { return samples_.at(sample).bytes; }
  /// Of results: the digests of the inputs that they answer, in order.
  const std::vector<base::Digest>& questions() const { return questions_; }
  /// Calls body with the bytes of a sample, all of which it must read. Throws InputError for a sample that is not
  /// there.
  void read(std::size_t sample, const std::function<void(base::ByteReader& bytes)>& body) const;
  /// Of the bytes of every sample.
  std::vector<base::Digest> digests() const;

 private:
  ArtefactReader reader_;
  SampleFileHead head_;
  std::vector<Section> samples_;
  std::vector<base::Digest> questions_;
};

}  // namespace tacit::runtime
