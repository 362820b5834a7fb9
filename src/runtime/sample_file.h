#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/byte_stream.h"
#include "base/sha256.h"
#include "params/sharing.h"
#include "runtime/artefact.h"
#include "runtime/binding.h"

/// Files of ciphertexts of either scheme. A file has a head with its statements, and a section for every sample with
/// bytes of the scheme.
namespace tacit::runtime {

/// The role of the ciphertexts of a file. It prevents that an answer is computed with like a question, or a question is
/// read like an answer. It is a label against honest mistakes: any writer of a file can write any role.
enum class CiphertextRole {
  inputs,       ///< of a model, from its client
  results,      ///< of a model, from its server
  vectors,      ///< of no model
  tiles,        ///< a tile tensor, named by its shape
  some_inputs,  ///< of a model, from the owner of some of them: a part of a question
};

/// Throws InputError unless both are equal. The error states the content of `name` and the file to give instead.
void require_role(CiphertextRole expected, CiphertextRole found, const std::string& name);

/// The number of inputs of a model in the samples of a file. A sample is the input of one run: `batch` inputs side by
/// side. The last sample may have fewer.
struct BatchedInputs {
  std::size_t inputs = 0, batch = 1;
  std::size_t samples() const { return (inputs + batch - 1) / batch; }
  /// The number of inputs of one sample.
  std::size_t of(std::size_t sample) const { return std::min(batch, inputs - sample * batch); }
  bool operator==(const BatchedInputs&) const = default;
};

/// The digests by which the samples of a file are known. A digest is that of a question, which has one input or a
/// batch.
struct Questions {
  std::span<const base::Digest> digests;
  BatchedInputs batched;
};

/// Throws KeyMismatch unless `answers`, the questions that results name, are `questions` in their order. The error
/// names the first result that answers another question, or the number of missing inputs. `what` and `of` name the two
/// in errors.
void require_answers(const Questions& questions, const std::string& of, const Questions& answers,
                     const std::string& what);

/// What results state that several owners decrypted together for a receiver. Their key set is the receiver's.
struct OwnersResults {
  int parts = 0;              ///< parts of the owners' secret key, each of which flooded the results
  params::Sharing promise{};  ///< the promise of these floods
  KeySetId asked_under{};     ///< the owners' key set, of the questions
  bool operator==(const OwnersResults&) const = default;
};

/// The statements of a file of ciphertexts about itself.
struct SampleFileHead {
  CiphertextRole role{};
  Binding binding{};
  std::vector<std::string> names{};        ///< of the inputs or outputs
  std::optional<BatchedInputs> batched{};  ///< none: samples hold one input each
  std::optional<OwnersResults> owners{};   ///< of results that several owners decrypted
};

/// Writes an artefact of ciphertexts, one sample at a time. Without `finish` nothing remains. Throws InputError naming
/// the sink. Not thread safe.
class SampleWriter {
 public:
  /// Passes the bytes of a sample to `out`, piece by piece.
  using Pieces = std::function<void(const std::function<void(std::span<const std::byte>)>& out)>;

  SampleWriter(const Sink& sink, ArtefactScheme scheme, const SampleFileHead& head);
  /// Adds the samples to an artefact that write_artefact makes. `end` then ends them, instead of `finish`.
  SampleWriter(ArtefactWriter& artefact, const SampleFileHead& head);
  std::size_t names() const { return names_; }
  /// Adds a sample; for results, with the digest of the answered question. Throws InternalError for a result without a
  /// question, and for a question with a sample that is no result.
  void add(const Pieces& pieces, const std::optional<base::Digest>& question = {});
  /// Adds the sections that follow the samples.
  void end();
  /// Ends the artefact and returns its root.
  base::Digest finish();

 private:
  void begin(const SampleFileHead& head);

  std::unique_ptr<ArtefactWriter> own_;  ///< null for an artefact of the caller
  ArtefactWriter& writer_;
  CiphertextRole role_;
  std::size_t names_, samples_ = 0;
  std::vector<base::Digest> questions_;
};

/// Returns SHA-256 of the bytes of a sample.
base::Digest digest_of(const SampleWriter::Pieces& pieces);

/// Reads a file of ciphertexts. Throws InputError
/// - on damage,
/// - for another role,
/// - for results without a question, or with the same one twice,
/// - for samples that do not hold the stated inputs.
/// Throws KeyMismatch for another scheme and for other parameters. Thread safe.
class SampleReader {
 public:
  SampleReader(const Source& source, ArtefactScheme scheme, CiphertextRole expected,
               const params::ParameterHash& parameters, const std::string& parameters_name);
  /// Returns the name of the source, for messages.
  const std::string& name() const { return reader_.name(); }
  const SampleFileHead& head() const { return head_; }
  const BatchedInputs& batched() const { return *head_.batched; }
  const base::Digest& root() const { return reader_.root(); }
  std::size_t samples() const { return samples_.size(); }
  /// Returns the bytes of a sample, without reading it.
  std::uint64_t sample_bytes(std::size_t sample) const { return samples_.at(sample).bytes; }
  /// For results, the digests of the answered inputs, in order.
  const std::vector<base::Digest>& questions() const { return questions_; }
  /// Calls `body` with the bytes of a sample. `body` must read all of them. Throws InputError for a missing sample.
  void read(std::size_t sample, const std::function<void(base::ByteReader& bytes)>& body) const;
  /// Returns the digests of the bytes of every sample.
  std::vector<base::Digest> digests() const;

 private:
  ArtefactReader reader_;
  SampleFileHead head_;
  std::vector<Section> samples_;
  std::vector<base::Digest> questions_;
};

}  // namespace tacit::runtime
