#pragma once

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/sha256.h"
#include "runtime/binding.h"
#include "scheme/ckks/ciphertext.h"
#include "scheme/ckks/context.h"

namespace tacit::runtime {

/// One tensor under encryption: the ciphertexts of its layout, in order.
using CiphertextArray = std::vector<scheme::ckks::Ciphertext>;

/// SHA-256 of the bytes that a file holds of one input, an array a name. Encryption is randomised: no two inputs share
/// it. A result carries that of the input it answers.
base::Digest digest_of(const scheme::ckks::Context& context, std::span<const CiphertextArray> sample);

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

/// Writes what travels between client and server: for every sample, one array per network input (or output). A sample
/// at a time; nothing is left behind without `finish`. Throws InputError naming the path. Not thread safe.
class CiphertextWriter {
 public:
  CiphertextWriter(const std::filesystem::path& path, scheme::ckks::ContextPtr context, CiphertextRole role,
                   const Binding& binding, std::vector<std::string> names,
                   const std::optional<BatchedInputs>& batched = {});
  ~CiphertextWriter();
  /// One array per name, for as many samples as `batched` has; without it samples hold one input each. A result comes
  /// with the digest of the input that it answers.
  void add(std::span<const CiphertextArray> sample);
  void add(std::span<const CiphertextArray> sample, const base::Digest& question);
  /// The root of the file.
  base::Digest finish();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Reads it, a sample at a time. Throws InputError
/// - on damage,
/// - for another role,
/// - for results that name no question or one twice,
/// - for samples that do not hold the inputs that the file states.
/// Throws KeyMismatch when the ciphertexts are of other parameters than the context's. Thread safe.
class CiphertextReader {
 public:
  CiphertextReader(const std::filesystem::path& path, scheme::ckks::ContextPtr context, CiphertextRole expected);
  ~CiphertextReader();
  const Binding& binding() const;
  const std::vector<std::string>& names() const;  ///< of the inputs or outputs
  const base::Digest& root() const;
  std::size_t samples() const;
  /// What its samples hold.
  const BatchedInputs& batched() const;
  /// Of results: the digests of the inputs that they answer, in order.
  const std::vector<base::Digest>& questions() const;
  std::vector<CiphertextArray> read(std::size_t sample) const;
  /// What `digest_of` says of every sample, from the bytes in the file.
  std::vector<base::Digest> digests() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tacit::runtime
