#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "runtime/model_id.h"
#include "scheme/ckks/ciphertext.h"
#include "scheme/ckks/context.h"

namespace tacit::runtime {

/// One tensor under encryption: the ciphertexts of its layout, in order.
using CiphertextArray = std::vector<scheme::ckks::Ciphertext>;

/// What travels between client and server: for every sample, one array per network input (or output).
struct CiphertextFile {
  Binding binding;
  std::vector<std::string> names;                     ///< of the inputs or outputs
  std::vector<std::vector<CiphertextArray>> samples;  ///< [sample][name][ciphertext]
};

/// Throws InputError naming the path.
void save(const CiphertextFile& file, const std::filesystem::path& path);
/// Throws InputError on damage, and KeyMismatch when the ciphertexts are of other parameters than the context's.
CiphertextFile load_ciphertexts(const std::filesystem::path& path, const scheme::ckks::ContextPtr& context);

}  // namespace tacit::runtime
