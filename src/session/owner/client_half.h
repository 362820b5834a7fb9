#pragma once

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "base/memory_budget.h"
#include "base/progress.h"
#include "graph/client_parts.h"
#include "params/parameter_identity.h"
#include "runtime/sample_file.h"
#include "session/owner/disclosure.h"
#include "session/owner/key_files.h"

namespace tacit::session {

/// Encrypts inputs into a file, a run at a time. Nothing is left behind without `finish`.
class InputEncryptor {
 public:
  virtual ~InputEncryptor() = default;
  /// 1 to `batch` samples. Throws InputError for values outside the accepted ranges.
  virtual void add(std::span<const std::vector<graph::Tensor>> samples) = 0;
  /// The root of the file. Where the model hands some of its inputs out, they are written beside it (KeptInputs).
  virtual base::Digest finish() = 0;
  /// What the owner of the data should know of the samples so far: values that count as others. A sentence each.
  virtual std::vector<std::string> warnings() const { return {}; }
};

/// Encrypted results in a file, and the key to them.
class ResultFile {
 public:
  virtual ~ResultFile() = default;
  virtual const runtime::BatchedInputs& batched() const = 0;
  /// The client's part that ends at what is shown.
  virtual const graph::ClientParts& parts() const = 0;
  /// Of one run the outputs of its samples, as far as the disclosure shows them.
  virtual std::vector<std::vector<graph::Tensor>> read(std::size_t run) const = 0;
  /// The outputs that are left out because the inputs that they are were not found beside the question.
  virtual std::vector<std::string> left_out() const { return {}; }
};

/// What names the files of a decryption.
struct ResultRequest {
  std::filesystem::path key, results;
  std::filesystem::path question;  ///< what encrypt wrote; empty: answers are not held to it
  Disclosure disclosure{};
};

/// The client's half of a compiled model in a file, of either scheme. Thread safe.
class ClientHalf {
 public:
  virtual ~ClientHalf() = default;
  virtual const std::string& name() const = 0;
  virtual params::ParameterIdentity parameters() const = 0;
  virtual const graph::ClientParts& parts() const = 0;
  virtual std::size_t batch() const = 0;  ///< inputs that a run takes at most

  /// Draws a secret key and makes the keys that the model needs, all bound to it. Either every file is written or none
  /// is. Throws InputError where the keys do not fit the budget or a file cannot be written, Cancelled.
  virtual KeyRoots generate_keys(const KeyFiles& files, const base::MemoryBudget& memory,
                                 base::Progress& progress) const = 0;
  /// Of the keys, for the report of key generation.
  virtual nlohmann::ordered_json describe_keys() const = 0;
  /// Throws InputError where encrypting one input takes more memory than there is.
  virtual void require_memory_for_input(const base::MemoryBudget& memory) const = 0;
  /// With the secret or, where the scheme has one, the public key in a file.
  virtual std::unique_ptr<InputEncryptor> encryptor(const std::filesystem::path& key,
                                                    const std::filesystem::path& output,
                                                    const runtime::BatchedInputs& batched) const = 0;
  /// Throws InputError and KeyMismatch where the files do not belong together, and where results are not those of the
  /// question, each once and in order. Results that are shared count for the key (count_shared_results), and are
  /// refused beyond what was promised.
  virtual std::unique_ptr<ResultFile> results(const ResultRequest& request) const = 0;
};

/// Throws InputError as the loaders of the schemes.
std::unique_ptr<ClientHalf> load_client_half(const std::filesystem::path& path);

}  // namespace tacit::session
