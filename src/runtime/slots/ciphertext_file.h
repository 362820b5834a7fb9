#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/sha256.h"
#include "runtime/sample_file.h"
#include "scheme/ckks/ciphertext.h"
#include "scheme/ckks/context.h"

namespace tacit::runtime {

/// One tensor under encryption: the ciphertexts of its layout, in order.
using CiphertextArray = std::vector<scheme::ckks::Ciphertext>;

/// Returns SHA-256 of the bytes of one input in a file, with one array per name. Encryption is randomised, so no two
/// inputs have the same digest. A result carries the digest of the input that it answers.
base::Digest digest_of(const scheme::ckks::Context& context, std::span<const CiphertextArray> sample);

/// Convert between arrays and their bytes in a file. `arrays_of` reads `names` arrays from untrusted bytes. It throws
/// InputError and KeyMismatch as scheme::ckks::deserialize_ciphertext does.
std::vector<std::byte> bytes_of(const scheme::ckks::Context& context, std::span<const CiphertextArray> sample);
std::vector<CiphertextArray> arrays_of(const scheme::ckks::Context& context, std::size_t names,
                                       base::ByteReader& bytes);

/// Returns the bytes of one array in a sample: `ciphertexts` ciphertexts of `each` bytes.
std::uint64_t array_bytes(std::uint64_t ciphertexts, std::uint64_t each);

/// Writes the ciphertexts that travel between client and server: for every sample, one array per network input (or
/// output). Writes a sample at a time, and without `finish` nothing remains. Throws InputError naming the sink. Not
/// thread safe.
class CiphertextWriter : public SampleWriter {
 public:
  CiphertextWriter(const Sink& sink, scheme::ckks::ContextPtr context, CiphertextRole role, const Binding& binding,
                   std::vector<std::string> names, const std::optional<BatchedInputs>& batched = {});
  CiphertextWriter(const Sink& sink, scheme::ckks::ContextPtr context, const SampleFileHead& head);
  CiphertextWriter(ArtefactWriter& artefact, scheme::ckks::ContextPtr context, const SampleFileHead& head);
  /// Adds a sample with one array per name. There are as many samples as `batched` states; without it a sample holds
  /// one input. A result comes with the digest of the input that it answers.
  void add(std::span<const CiphertextArray> sample, const std::optional<base::Digest>& question = {});

 private:
  scheme::ckks::ContextPtr context_;
};

/// Writes an artefact of one sample. Returns its root.
base::Digest save_sample(const scheme::ckks::ContextPtr& context, const SampleFileHead& head,
                         std::span<const CiphertextArray> sample, const Sink& sink);

/// Reads such a file, one sample at a time. Throws InputError
/// - on damage,
/// - for another role,
/// - for results without a question, or with the same one twice,
/// - for samples that do not hold the stated inputs.
/// Throws KeyMismatch if the ciphertexts have other parameters than the context. Thread safe.
class CiphertextReader : public SampleReader {
 public:
  CiphertextReader(const Source& source, scheme::ckks::ContextPtr context, CiphertextRole expected);
  const Binding& binding() const { return head().binding; }
  const std::vector<std::string>& names() const { return head().names; }  ///< of the inputs or outputs
  std::vector<CiphertextArray> read(std::size_t sample) const;

 private:
  scheme::ckks::ContextPtr context_;
};

}  // namespace tacit::runtime
