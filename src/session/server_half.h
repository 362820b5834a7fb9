#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/memory_budget.h"
#include "base/progress.h"
#include "params/parameter_identity.h"
#include "runtime/artefact.h"
#include "runtime/binding.h"
#include "runtime/receipt.h"
#include "runtime/sample_file.h"

namespace tacit::session {

/// Called with the parameters of a model before any work depends on them. Warns or throws if they are insecure.
using ParameterCheck = std::function<void(const params::ParameterIdentity&)>;

/// The evaluation keys of one client, loaded and checked: they belong to the model and hold every key that it needs.
/// Immutable.
class LoadedKeys {
 public:
  virtual ~LoadedKeys() = default;
  const runtime::Provenance& provenance() const { return provenance_; }
  const std::filesystem::path& file() const { return file_; }
  /// The bytes of the keys in memory.
  std::uint64_t bytes() const { return bytes_; }

 protected:
  runtime::Provenance provenance_{};
  std::filesystem::path file_;
  std::uint64_t bytes_ = 0;
};

/// The loaded keys of one scheme.
template <class Keys>
class LoadedKeysOf final : public LoadedKeys {
 public:
  LoadedKeysOf(const runtime::Provenance& provenance, std::filesystem::path file, std::shared_ptr<const Keys> loaded,
               std::uint64_t bytes)
      : keys(std::move(loaded)) {
    provenance_ = provenance;
    file_ = std::move(file);
    bytes_ = bytes;
  }
  const std::shared_ptr<const Keys> keys;
};

/// The memory for a model, and the number of evaluations that share it.
struct Capacity {
  base::MemoryBudget memory{};
  int evaluations = 1;  ///< evaluations that run at once
};

/// The facts that a server knows about a model.
struct ServedModel {
  std::string name;
  runtime::Binding binding{};  ///< its id and parameters; no key set
  base::Digest root{};         ///< of the server's half
  runtime::ArtefactScheme scheme{};
  params::ParameterIdentity parameters{};
  std::uint64_t key_bytes = 0;  ///< memory of the keys for one client's evaluations
};

/// The files of an evaluation.
struct EvaluatedFiles {
  std::filesystem::path input, output;
  std::filesystem::path checkpoints{};  ///< empty, or a folder for unfinished runs, which are resumed from it
};

/// The facts about a file of inputs, found without reading its samples.
struct FoundInputs {
  runtime::Binding binding{};
  std::size_t runs = 0;            ///< runs of the model: one per sample
  std::uint64_t result_bytes = 0;  ///< most bytes of the file of results
};

/// The result of evaluating a file of inputs.
struct EvaluatedInputs {
  runtime::Receipt receipt;  ///< not signed
  std::size_t inputs = 0;
  double seconds = 0;  ///< mean time of one input
};

/// An evaluation of a file that runs in turns. Between turns it holds no keys and no ciphertexts. Its results appear
/// when it ends.
class StartedEvaluation {
 public:
  virtual ~StartedEvaluation() = default;
  /// Evaluates sample after sample. Returns none if `pause` is true after a sample, and the result after the last one.
  /// Throws InputError, Cancelled, and KeyMismatch for other keys than those of its start.
  virtual std::optional<EvaluatedInputs> go_on(const LoadedKeys& keys, base::Progress& progress,
                                               const std::function<bool()>& pause) = 0;
};

/// The server's half of a compiled model of either scheme, prepared once for every client. Thread safe.
class ServerHalf {
 public:
  virtual ~ServerHalf() = default;
  const ServedModel& model() const { return model_; }

  /// Loads keys. Throws InputError for damage, a secret key, and a file that lacks keys that the model needs. Throws
  /// KeyMismatch for keys of another model.
  virtual std::shared_ptr<const LoadedKeys> load_keys(const std::filesystem::path& file) const = 0;
  /// Returns the binding of the inputs in a file, and their cost. Throws InputError unless it is a file of inputs of
  /// this model, by its description and the sizes of its samples.
  virtual FoundInputs inputs_of(const std::filesystem::path& file) const = 0;
  /// Encodes the data that evaluations share. Without this call the first evaluation does it, for itself alone. Returns
  /// the most bytes that the data and all evaluations take, without keys. Throws InputError if the budget is too small;
  /// then this object cannot be used any further.
  virtual std::uint64_t prepare(const Capacity& capacity, std::uint64_t key_bytes, base::Progress& progress) = 0;
  /// Begins an evaluation of a file of inputs. This object must outlive it. Throws as `evaluate` does.
  virtual std::unique_ptr<StartedEvaluation> start(const LoadedKeys& keys, const std::filesystem::path& input,
                                                   const std::filesystem::path& output) = 0;
  /// Evaluates every input of a file with keys of `load_keys`. A file of results appears completely or not at all.
  /// Throws InputError, KeyMismatch for a file that the keys do not belong to, and Cancelled.
  virtual EvaluatedInputs evaluate(const LoadedKeys& keys, const EvaluatedFiles& files, base::Progress& progress) = 0;

 protected:
  /// The sizes of a sample of inputs, and the largest size of a sample of results.
  struct SampleSizes {
    std::uint64_t least = 0, most = 0, results = 0;
  };
  /// Throws InputError unless every sample has a size of the model's inputs.
  static void require_sizes(const runtime::SampleReader& inputs, const SampleSizes& sizes);
  static FoundInputs found(const runtime::SampleReader& inputs, const SampleSizes& sizes);
  /// Returns the most bytes of a file of so many samples of at most so many bytes.
  static std::uint64_t most_file_bytes(std::uint64_t samples, std::uint64_t sample_bytes);
  /// Returns the digests of the inputs in a file. Throws KeyMismatch if they do not belong to the keys. Throws
  /// InputError if two inputs are equal, because their results would be equal too.
  static std::vector<base::Digest> questions_of(const runtime::SampleReader& inputs, const LoadedKeys& keys);
  /// Throws KeyMismatch unless these are the keys, by their root, of the start of the evaluation.
  static void require_keys_of_start(const base::Digest& root, const LoadedKeys& keys);
  runtime::Receipt receipt(const LoadedKeys& keys, const base::Digest& input, const base::Digest& output) const;

  ServedModel model_;
};

/// Reads a server's half, with the scheme of its file. Throws InputError, also if the budget does not hold one
/// evaluation.
std::unique_ptr<ServerHalf> load_server_half(const std::filesystem::path& file, const base::MemoryBudget& memory,
                                             const ParameterCheck& check);
/// Read a server's half of a model on slots or on integers.
std::unique_ptr<ServerHalf> load_server_half_on_slots(const std::filesystem::path& file,
                                                      const base::MemoryBudget& memory, const ParameterCheck& check);
std::unique_ptr<ServerHalf> load_server_half_on_integers(const std::filesystem::path& file,
                                                         const base::MemoryBudget& memory, const ParameterCheck& check);

}  // namespace tacit::session
