#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/memory_budget.h"
#include "base/progress.h"
#include "graph/client_parts.h"
#include "params/parameter_identity.h"
#include "runtime/binding.h"
#include "runtime/sample_file.h"
#include "runtime/sink.h"
#include "runtime/source.h"
#include "session/owner/disclosure.h"
#include "session/owner/key_files.h"

namespace tacit::session {

/// Encrypts inputs into a file or another sink, one run at a time. Without `finish` it leaves no file.
class InputEncryptor {
 public:
  virtual ~InputEncryptor() = default;
  /// Encrypts 1 to `batch` samples. Throws InputError for values outside the accepted ranges.
  virtual void add(std::span<const std::vector<graph::Tensor>> samples) = 0;
  /// Returns the root of the question. If the model returns some of its inputs unchanged, they are written next to a
  /// file (KeptInputs). With another sink, `kept_values` returns them.
  virtual base::Digest finish() = 0;
  /// Returns the inputs that the model returns unchanged, in the clear (KeptInputs::to_bytes). Empty for most models.
  virtual std::vector<std::byte> kept_values() const = 0;
  /// Returns sentences for the owner of the data about the samples so far, such as values that are replaced by others.
  virtual std::vector<std::string> warnings() const { return {}; }
};

/// A file of encrypted results, and the key that decrypts them.
class ResultFile {
 public:
  virtual ~ResultFile() = default;
  virtual const runtime::BatchedInputs& batched() const = 0;
  /// The client's steps up to the shown results.
  virtual const graph::ClientParts& parts() const = 0;
  /// Returns the outputs of one run by sample, as far as the disclosure shows them.
  virtual std::vector<std::vector<graph::Tensor>> read(std::size_t run) const = 0;
  /// Returns the outputs that are left out. They are unchanged inputs that were not found next to the question.
  virtual std::vector<std::string> left_out() const { return {}; }
};

/// The sources of a decryption.
struct ResultRequest {
  runtime::Source key, results;
  runtime::Source question = std::filesystem::path();  ///< of encrypt; empty: answers are not compared with it
  Disclosure disclosure{};
  std::vector<std::byte> kept{};  ///< kept_values of the question, if it is not a file
};

/// The facts about a question that was put together from the parts of several owners.
struct CombinedQuestion {
  base::Digest root{};
  std::size_t inputs = 0;  ///< inputs of the model, as many as every part has
};

/// The client's half of a compiled model in a file, of either scheme. Thread safe.
class ClientHalf {
 public:
  virtual ~ClientHalf() = default;
  virtual const std::string& name() const = 0;
  /// The id that both halves compute (runtime::model_id).
  virtual const runtime::ModelId& id() const = 0;
  virtual runtime::ArtefactScheme scheme() const = 0;
  virtual params::ParameterIdentity parameters() const = 0;
  virtual const graph::ClientParts& parts() const = 0;
  virtual std::size_t batch() const = 0;  ///< most inputs per run

  /// Draws a secret key and makes the keys that the model needs, all bound to it. Writes either all files or none. Keys
  /// of slots are made one at a time, while they are written: once for a file, twice for other sinks, which want the
  /// root first. Throws InputError if the largest key, or all keys on integers, do not fit the budget, if the model has
  /// no room for the noise of a public key, or if a file cannot be written. Throws Cancelled.
  virtual KeyRoots generate_keys(const KeyFiles& files, const base::MemoryBudget& memory,
                                 base::Progress& progress) const = 0;
  /// Returns the facts of the keys for the report of key generation: "key_bytes" of the evaluation keys in
  /// memory, and others.
  virtual nlohmann::ordered_json describe_keys() const = 0;
  /// Throws InputError if encrypting one input takes more memory than the budget.
  virtual void require_memory_for_input(const base::MemoryBudget& memory) const = 0;
  /// Returns an encryptor with a key of this model. Throws KeyMismatch for a key of another model, and InputError for a
  /// file of another kind.
  virtual std::unique_ptr<InputEncryptor> encryptor(const EncryptionKey& key, const runtime::Sink& output,
                                                    const runtime::BatchedInputs& batched) const = 0;
  /// Returns this half for the owner of the named inputs. `parts` takes them alone, in the order of the names, and
  /// `encryptor` writes a part of a question. Throws InputError as graph::owned_inputs does.
  virtual std::unique_ptr<ClientHalf> only(std::span<const std::string> names) const = 0;
  /// Writes a question from the parts of a question of all owners (`only`). Sample i of the question has sample i of
  /// every part. Memory holds one sample. Throws InputError for no parts, an input that two parts hold or none holds,
  /// and parts with different numbers of inputs. Throws KeyMismatch for parts under other keys or of another model.
  /// With `key_set`, the parts must be under these keys.
  virtual CombinedQuestion combine_questions(const std::vector<runtime::Source>& question_parts,
                                             const std::optional<runtime::KeySetId>& key_set, const runtime::Sink& sink,
                                             base::Progress& progress) const = 0;
  /// Opens results. Throws InputError and KeyMismatch for files that do not belong together. Throws them also unless
  /// the results answer each input of the question once and in order. Shared results count for the key
  /// (count_shared_results), which is a file then. More than were promised are refused.
  virtual std::unique_ptr<ResultFile> results(const ResultRequest& request) const = 0;
};

/// Throws InputError as the loaders of the schemes do.
std::unique_ptr<ClientHalf> load_client_half(const runtime::Source& source);

}  // namespace tacit::session
