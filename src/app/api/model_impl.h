#pragma once

#include <tacit/model.h>
#include <tacit/validation.h>

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "app/api/access.h"
#include "base/process_memory.h"
#include "graph/client_parts.h"
#include "runtime/binding.h"
#include "runtime/sample_file.h"
#include "session/owner/compiled_network.h"
#include "session/owner/kept_inputs.h"

/// The implementations of the public classes of <tacit/model.h>. Each is an interface. slots/ and integers/ hold its
/// forms for the two schemes. All are immutable and thread safe except Evaluation, whose calls wait for each other.
namespace tacit {

struct detail::EncryptedFile {
  runtime::CiphertextRole role{};
  runtime::Binding binding{};
  std::vector<std::string> names{};
  std::vector<base::Digest> questions{};  ///< by sample: the digest of the input, or of the input that a result answers
  /// The values that the client kept of these inputs, or of the inputs that these results answer. Null if there are
  /// none.
  mutable std::atomic<std::shared_ptr<const session::KeptInputs>> kept{};
  runtime::BatchedInputs batched{};  ///< inputs in the samples

  virtual ~EncryptedFile() = default;
  virtual void save(const runtime::Sink& sink) const = 0;
};

// Keys, encoded weights and scratch are gigabytes, in blocks that the allocator would keep. Their destructors return
// the memory to the system.

struct detail::KeySet {
  runtime::Binding binding{};

  virtual ~KeySet() { base::release_kept_memory(); }
  virtual void save(const runtime::Sink& sink) const = 0;
};

struct detail::InputKey {
  virtual ~InputKey() = default;
  virtual void save(const runtime::Sink& sink) const = 0;
  virtual EncryptedTensors encrypt(std::span<const Tensors> inputs, Progress& progress) const = 0;
};

struct detail::Owner {
  virtual ~Owner() = default;
  virtual void save_secret_key(const runtime::Sink& sink) const = 0;
  virtual ModelKeys evaluation_keys(Progress& progress) const = 0;
  virtual ModelPublicKey public_key() const = 0;
  virtual EncryptedTensors encrypt(std::span<const Tensors> inputs, Progress& progress) const = 0;
  virtual std::vector<Tensors> decrypt(const EncryptedTensors& outputs, const Disclosure& disclosure,
                                       Progress& progress) const = 0;
};

struct detail::ClientHalf {
  graph::ClientParts parts;  ///< operators that the client runs in the clear

  explicit ClientHalf(graph::ClientParts run_in_the_clear) : parts(std::move(run_in_the_clear)) {}
  virtual ~ClientHalf() = default;
  virtual void save(const runtime::Sink& sink) const = 0;
  virtual Scheme scheme() const = 0;
  virtual std::string parameters() const = 0;
  virtual std::string id() const = 0;
  virtual Plan plan() const = 0;
  /// Returns an owner with a fresh secret key, or with a saved key.
  virtual std::shared_ptr<const Owner> owner() const = 0;
  virtual std::shared_ptr<const Owner> owner(const runtime::Source& secret_key) const = 0;
  virtual ModelPublicKey load_public_key(const runtime::Source& source) const = 0;
  virtual EncryptedTensors load(runtime::CiphertextRole role, const runtime::Source& source,
                                std::span<const std::byte> kept) const = 0;
};

struct detail::Evaluation {
  virtual ~Evaluation() { base::release_kept_memory(); }
  virtual EncryptedTensors evaluate(const EncryptedTensors& inputs, Progress& progress) = 0;
};

struct detail::PreparedHalf {
  runtime::Binding binding;  ///< of the model

  explicit PreparedHalf(const runtime::Binding& of_model) : binding(of_model) {}
  virtual ~PreparedHalf() { base::release_kept_memory(); }
  /// Returns an evaluation under `keys`, which belong to the model.
  virtual std::shared_ptr<Evaluation> evaluation(const ModelKeys& keys) const = 0;
};

struct detail::ServerHalf {
  virtual ~ServerHalf() = default;
  virtual void save(const runtime::Sink& sink) const = 0;
  virtual runtime::Binding binding() const = 0;
  virtual ModelKeys load_keys(const runtime::Source& source) const = 0;
  virtual EncryptedTensors load_inputs(const runtime::Source& source) const = 0;
  /// Encodes the weights. `held` are keys of the model that are in memory.
  virtual std::shared_ptr<const PreparedHalf> prepare(std::uint64_t memory_bytes, int clients,
                                                      std::span<const ModelKeys> held, Progress& progress) const = 0;
};

struct detail::Origin {
  virtual ~Origin() = default;
  /// Adds every operation to the text and the JSON of the client's plan.
  virtual void add_operations(Plan& plan) const = 0;
  virtual std::vector<Tensors> simulate(std::span<const Tensors> inputs, Progress& progress) const = 0;
  /// Returns the network for its owner, who has model, inputs and keys in one process.
  virtual std::unique_ptr<session::CompiledNetwork> network() const = 0;
  virtual Validation validate(std::span<const Tensors> samples, const ValidationOptions& options,
                              Progress& progress) const = 0;
  virtual DryRun dry_run() const = 0;
};

using detail::Access;

/// Converts the tensors of a sample for a graph's inputs. `what` names the tensors in errors: "a calibration sample".
/// Throws InputError.
std::vector<graph::Tensor> sample_of(const graph::Graph& graph, const Tensors& tensors, const std::string& what);
/// Converts a model's outputs to numbers for the caller.
Tensors numbers_of(std::vector<graph::Tensor> outputs);

/// Returns the form of a public object for the scheme `Form`. The object is bound to the caller's model already. Throws
/// InternalError if it belongs to another scheme.
template <class Form, class Public>
const Form& form_of(const Public& object) {
  const auto* form = dynamic_cast<const Form*>(&Access::impl(object));
  if (form == nullptr) throw InternalError("an object of one scheme is bound to a model of another");
  return *form;
}

}  // namespace tacit
