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

/// Called with the parameters of a model before any work depends on them: warns or throws where they are insecure.
using ParameterCheck = std::function<void(const params::ParameterIdentity&)>;

/// The evaluation keys of one client, read, and found to be those of a model and to hold every key that it needs.
/// Immutable.
class LoadedKeys {
 public:
  virtual ~LoadedKeys() = default;
  const runtime::Provenance& provenance() const { return provenance_; }
  const std::filesystem::path& file() const { return file_; }
  /// That they hold in memory.
  std::uint64_t bytes() const { return bytes_; }

 protected:
  runtime::Provenance provenance_{};
  std::filesystem::path file_;
  std::uint64_t bytes_ = 0;
};

/// Those of a scheme.
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

/// What computes with a model: its memory, and how many evaluations share it.
struct Capacity {
  base::MemoryBudget memory{};
  int evaluations = 1;  ///< that run at once
};

/// What a server knows of a model.
struct ServedModel {
  std::string name;
  runtime::Binding binding{};  ///< its id and parameters; no key set
  base::Digest root{};         ///< of the server's half
  runtime::ArtefactScheme scheme{};
  params::ParameterIdentity parameters{};
  std::uint64_t key_bytes = 0;  ///< of the keys that one client's evaluations need, in memory
};

/// Where an evaluation reads and writes.
struct EvaluatedFiles {
  std::filesystem::path input, output;
  std::filesystem::path checkpoints{};  ///< empty, or a folder where unfinished runs are kept and taken up
};

/// What a file of inputs is, found without reading a sample of it.
struct FoundInputs {
  runtime::Binding binding{};
  std::size_t runs = 0;            ///< of the model: one a sample
  std::uint64_t result_bytes = 0;  ///< that the file of results has at most
};

/// One evaluation of a file of inputs.
struct EvaluatedInputs {
  runtime::Receipt receipt;  ///< not signed
  std::size_t inputs = 0;
  double seconds = 0;  ///< of evaluating one, on average
};

/// An evaluation of a file that goes on in turns. Between turns it holds no keys and no ciphertexts. What it writes
/// appears with its end.
class StartedEvaluation {
 public:
  virtual ~StartedEvaluation() = default;
  /// Evaluates sample after sample until all are done, or until `pause` is true after one: then nothing is returned.
  /// Throws InputError, Cancelled, and KeyMismatch for other keys than it was started with.
  virtual std::optional<EvaluatedInputs> go_on(const LoadedKeys& keys, base::Progress& progress,
                                               const std::function<bool()>& pause) = 0;
};

/// The server's half of a compiled model of either scheme, prepared once for every client. Thread safe.
class ServerHalf {
 public:
  virtual ~ServerHalf() = default;
  const ServedModel& model() const { return model_; }

  /// Throws InputError for damage, a secret key and keys that the model needs and the file lacks; KeyMismatch for those
  /// of another model.
  virtual std::shared_ptr<const LoadedKeys> load_keys(const std::filesystem::path& file) const = 0;
  /// What the inputs in a file belong to, and what they cost. Throws InputError for what is no file of inputs of this
  /// model, by its description and the sizes of its samples.
  virtual FoundInputs inputs_of(const std::filesystem::path& file) const = 0;
  /// Encodes what evaluations share. The first evaluation does it if nobody did before, for itself alone. Throws
  /// InputError where the budget is too small; then this object is of no further use. Returns the bytes that stay,
  /// without keys.
  virtual std::uint64_t prepare(const Capacity& capacity, std::uint64_t key_bytes, base::Progress& progress) = 0;
  /// Begins an evaluation of a file of inputs; this object must outlive it. Throws as `evaluate`.
  virtual std::unique_ptr<StartedEvaluation> start(const LoadedKeys& keys, const std::filesystem::path& input,
                                                   const std::filesystem::path& output) = 0;
  /// Evaluates every input of a file with keys of `load_keys`. A file of results appears whole or not at all. Throws
  /// InputError, KeyMismatch for a file that the keys do not belong to, and Cancelled.
  virtual EvaluatedInputs evaluate(const LoadedKeys& keys, const EvaluatedFiles& files, base::Progress& progress) = 0;

 protected:
  /// Sizes that a sample of inputs has, and the most that a sample of results has.
  struct SampleSizes {
    std::uint64_t least = 0, most = 0, results = 0;
  };
  /// Throws InputError unless every sample has a size that inputs of the model have.
  static void require_sizes(const runtime::SampleReader& inputs, const SampleSizes& sizes);
  static FoundInputs found(const runtime::SampleReader& inputs, const SampleSizes& sizes);
  /// The digests of inputs in a file. Throws KeyMismatch where they do not belong to the keys, and InputError where two
  /// are the same: their results would be, too.
  static std::vector<base::Digest> questions_of(const runtime::SampleReader& inputs, const LoadedKeys& keys);
  /// Throws KeyMismatch unless keys are those, by their root, that an evaluation began with.
  static void require_keys_of_start(const base::Digest& root, const LoadedKeys& keys);
  runtime::Receipt receipt(const LoadedKeys& keys, const base::Digest& input, const base::Digest& output) const;

  ServedModel model_;
};

/// Reads one, by the scheme of its file. Throws InputError, also where the budget does not hold what one evaluation
/// needs.
std::unique_ptr<ServerHalf> load_server_half(const std::filesystem::path& file, const base::MemoryBudget& memory,
                                             const ParameterCheck& check);
/// The same, of a model on slots and of one on integers.
std::unique_ptr<ServerHalf> load_server_half_on_slots(const std::filesystem::path& file,
                                                      const base::MemoryBudget& memory, const ParameterCheck& check);
std::unique_ptr<ServerHalf> load_server_half_on_integers(const std::filesystem::path& file,
                                                         const base::MemoryBudget& memory, const ParameterCheck& check);

}  // namespace tacit::session
