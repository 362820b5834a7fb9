#pragma once

#include <filesystem>
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

/// SHA-256 of the bytes that a file holds of one input, an array a name. Encryption is randomised: no two inputs share
/// it. A result carries that of the input it answers.
base::Digest digest_of(const scheme::ckks::Context& context, std::span<const CiphertextArray> sample);

/// Those bytes, and what they hold of so many names. Reading takes untrusted bytes: InputError, KeyMismatch as
/// scheme::ckks::deserialize_ciphertext throws them.
std::vector<std::byte> bytes_of(const scheme::ckks::Context& context, std::span<const CiphertextArray> sample);
std::vector<CiphertextArray> arrays_of(const scheme::ckks::Context& context, std::size_t names,
                                       base::ByteReader& bytes);

/// Bytes in a sample of so many ciphertexts of one array, each of `each` bytes.
std::uint64_t array_bytes(std::uint64_t ciphertexts, std::uint64_t each);

/// Writes what travels between client and server: for every sample, one array per network input (or output). A sample
/// at a time; nothing is left behind without `finish`. Throws InputError naming the path. Not thread safe.
class CiphertextWriter : public SampleWriter {
 public:
  CiphertextWriter(const std::filesystem::path& path, scheme::ckks::ContextPtr context, CiphertextRole role,
                   const Binding& binding, std::vector<std::string> names,
                   const std::optional<BatchedInputs>& batched = {});
  /// One array per name, for as many samples as `batched` has; without it samples hold one input each. A result comes
  /// with the digest of the input that it answers.
  void add(std::span<const CiphertextArray> sample, const std::optional<base::Digest>& question = {});

 private:
  scheme::ckks::ContextPtr context_;
};

/// Reads it, a sample at a time. Throws InputError
/// - on damage,
/// - for another role,
/// - for results that name no question or one twice,
/// - for samples that do not hold the inputs that the file states.
/// Throws KeyMismatch when the ciphertexts are of other parameters than the context's. Thread safe.
class CiphertextReader : public SampleReader {
 public:
  CiphertextReader(const std::filesystem::path& path, scheme::ckks::ContextPtr context, CiphertextRole expected);
  const Binding& binding() const { return head().binding; }
  const std::vector<std::string>& names() const { return head().names; }  ///< of the inputs or outputs
  std::vector<CiphertextArray> read(std::size_t sample) const;

 private:
  scheme::ckks::ContextPtr context_;
};

}  // namespace tacit::runtime
