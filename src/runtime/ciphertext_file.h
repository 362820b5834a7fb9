#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "runtime/model_id.h"
#include "scheme/ckks/ciphertext.h"
#include "scheme/ckks/context.h"

namespace tacit::runtime {

/// One tensor under encryption: the ciphertexts of its layout, in order.
using CiphertextArray = std::vector<scheme::ckks::Ciphertext>;

/// Writes what travels between client and server: for every sample, one array per network input (or output). A sample at
/// a time; nothing is left behind without `finish`. Throws InputError naming the path. Not thread safe.
class CiphertextWriter {
 public:
  CiphertextWriter(const std::filesystem::path& path, scheme::ckks::ContextPtr context, const Binding& binding,
                   std::vector<std::string> names);
  ~CiphertextWriter();
  /// One array per name.
  void add(std::span<const CiphertextArray> sample);
  void finish();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Reads it, a sample at a time. Throws InputError on damage, and KeyMismatch when the ciphertexts are of other parameters
/// than the context's. Thread safe.
class CiphertextReader {
 public:
  CiphertextReader(const std::filesystem::path& path, scheme::ckks::ContextPtr context);
  ~CiphertextReader();
  const Binding& binding() const;
  const std::vector<std::string>& names() const;  ///< of the inputs or outputs
  std::size_t samples() const;
  std::vector<CiphertextArray> read(std::size_t sample) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// A whole file in memory.
struct CiphertextFile {
  Binding binding;
  std::vector<std::string> names;
  std::vector<std::vector<CiphertextArray>> samples;  ///< [sample][name][ciphertext]
};
void save(const scheme::ckks::ContextPtr& context, const CiphertextFile& file, const std::filesystem::path& path);
CiphertextFile load_ciphertexts(const std::filesystem::path& path, const scheme::ckks::ContextPtr& context);

}  // namespace tacit::runtime
