#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "runtime/binding.h"
#include "scheme/ckks/ciphertext.h"
#include "scheme/ckks/context.h"

namespace tacit::runtime {

/// One tensor under encryption: the ciphertexts of its layout, in order.
using CiphertextArray = std::vector<scheme::ckks::Ciphertext>;

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

/// Writes what travels between client and server: for every sample, one array per network input (or output). A sample
/// at a time; nothing is left behind without `finish`. Throws InputError naming the path. Not thread safe.
class CiphertextWriter {
 public:
  CiphertextWriter(const std::filesystem::path& path, scheme::ckks::ContextPtr context, CiphertextRole role,
                   const Binding& binding, std::vector<std::string> names);
  ~CiphertextWriter();
  /// One array per name.
  void add(std::span<const CiphertextArray> sample);
  void finish();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Reads it, a sample at a time. Throws InputError on damage and for another role, and KeyMismatch when the ciphertexts
/// are of other parameters than the context's. Thread safe.
class CiphertextReader {
 public:
  CiphertextReader(const std::filesystem::path& path, scheme::ckks::ContextPtr context, CiphertextRole expected);
  ~CiphertextReader();
  const Binding& binding() const;
  const std::vector<std::string>& names() const;  ///< of the inputs or outputs
  std::size_t samples() const;
  std::vector<CiphertextArray> read(std::size_t sample) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tacit::runtime
