#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/memory_budget.h"
#include "base/progress.h"
#include "graph/client_answers.h"
#include "runtime/compiled_model.h"
#include "runtime/slots/ciphertext_file.h"
#include "runtime/slots/client.h"
#include "runtime/slots/key_store.h"
#include "session/owner/slots/client_memory.h"
#include "session/owner/slots/encrypt_samples.h"
#include "session/owner/slots/result_reader.h"

namespace tacit::session {

/// The work of the owner of data for a network on slots (CKKS). Code for both schemes uses it. Types and functions have
/// the names of ClientOnIntegers.
struct ClientOnSlots {
  using ContextPtr = scheme::ckks::ContextPtr;
  using Literal = params::CkksLiteral;
  using ClientModel = runtime::ClientModel;
  using SecretKey = scheme::ckks::SecretKey;
  using PublicKey = scheme::ckks::PublicKey;
  using Keys = scheme::ckks::EvaluationKeys;
  using Question = runtime::CiphertextArray;
  using Answer = runtime::CiphertextArray;
  using Client = runtime::Client;
  using ResultReader = session::ResultReader;
  using SampleReader = runtime::CiphertextReader;
  using SampleWriter = runtime::CiphertextWriter;
  struct Beyond {};  ///< values outside the accepted ranges are refused

  static ClientModel load_client_model(const runtime::Source& source) { return runtime::load_client_model(source); }
  static ContextPtr checked_context(const Literal& literal) {
    return scheme::ckks::Context::make(params::CkksParameters::check(literal));
  }

  /// Throws InputError for a model whose keys several owners make.
  static void require_one_owner(const ClientModel& model);
  /// Tells the client that results were decrypted by several owners.
  static void expect(Client& client, const runtime::OwnersResults& owners) { client.expect(owners); }
  /// Keys. Keys from a file must belong to the model. The budget is checked before any evaluation key is made.
  static SecretKey new_secret_key(const ContextPtr& context);
  static void require_memory_for_keys(const ClientModel& model, const base::MemoryBudget& memory) {
    session::require_memory_for_keys("model '" + model.name + "'", model.literal, model.keys, memory);
  }
  /// Checks the memory of make_and_save_keys.
  static void require_memory_for_one_key(const ClientModel& model, const base::MemoryBudget& memory) {
    session::require_memory_for_one_key("model '" + model.name + "'", model.literal, model.keys, memory);
  }
  static Keys new_keys(const ClientModel& model, const ContextPtr& context, const SecretKey& secret,
                       base::Progress& progress);
  /// Makes the keys that the model needs while it writes them. Memory holds one key at a time.
  static base::Digest make_and_save_keys(const ClientModel& model, const ContextPtr& context, const SecretKey& secret,
                                         const runtime::Binding& binding, const runtime::Sink& sink,
                                         base::Progress& progress);
  /// The noise of inputs is modelled as that of the public key, for every model (slots::modelled_noise).
  static void require_room_for_public_key(const ClientModel&) {}
  /// Decryption floods shared numbers, and refuses those that the flood would hide.
  static void require_shared(const ClientModel&, const graph::ClientParts&, const params::Sharing&) {}
  static PublicKey new_public_key(const ContextPtr& context, const SecretKey& secret);
  static PublicKey load_public_key(const runtime::Source& source, const ContextPtr& context,
                                   const runtime::ModelId& model, runtime::Provenance& found) {
    return runtime::load_public_key(source, context, &model, found);
  }
  static SecretKey load_secret_key(const runtime::Source& source, const ContextPtr& context,
                                   const runtime::ModelId& model, runtime::Provenance& found) {
    return runtime::load_secret_key(source, context, &model, found);
  }
  template <class Key>
  static base::Digest save(const ContextPtr& context, const Key& key, const runtime::Binding& binding,
                           const runtime::Sink& sink) {
    return runtime::save(context, key, binding, sink);
  }
  static nlohmann::ordered_json describe_keys(const ClientModel& model);

  /// Files of ciphertexts. A result carries the digest of the question that it answers.
  static SampleReader open_samples(const runtime::Source& source, const ContextPtr& context,
                                   runtime::CiphertextRole role) {
    return {source, context, role};
  }
  static std::vector<Question> read_question(const SampleReader& reader, std::size_t sample, const ContextPtr&) {
    return reader.read(sample);
  }
  static std::vector<Answer> read_answer(const SampleReader& reader, std::size_t sample, const ContextPtr&) {
    return reader.read(sample);
  }
  static constexpr runtime::ArtefactScheme kArtefactScheme = runtime::ArtefactScheme::ckks;
  static SampleWriter create_samples(const runtime::Sink& sink, const ContextPtr& context,
                                     const runtime::SampleFileHead& head) {
    return {sink, context, head.role, head.binding, head.names, head.batched};
  }
  /// Adds samples to an artefact that runtime::write_artefact makes.
  static SampleWriter create_samples(runtime::ArtefactWriter& artefact, const ContextPtr& context,
                                     const runtime::SampleFileHead& head) {
    return {artefact, context, head};
  }
  static void add(SampleWriter& writer, const ContextPtr&, const std::vector<runtime::CiphertextArray>& sample,
                  const std::optional<base::Digest>& question = {}) {
    writer.add(sample, question);
  }

  /// A client encrypts and decrypts the inputs of one run: `batch` inputs side by side. A client with a public key only
  /// encrypts.
  static std::size_t batch(const ClientModel& model) { return static_cast<std::size_t>(model.interface.batch); }
  static Client client(const std::shared_ptr<const ClientModel>& model, const ContextPtr& context,
                       const std::shared_ptr<const SecretKey>& secret) {
    return {model, context, secret};
  }
  static Client encrypting_client(const std::shared_ptr<const ClientModel>& model, const ContextPtr& context,
                                  const PublicKey& key) {
    return {model, context, key};
  }
  static void require_memory_for_input(const ClientModel& model, const base::MemoryBudget& memory) {
    session::require_memory_for_input(model, memory);
  }
  static std::vector<Question> encrypt(const Client& client, const graph::ClientParts& parts,
                                       std::span<const std::vector<graph::Tensor>> side_by_side, Beyond* = nullptr) {
    return encrypt_samples(client, parts, side_by_side);
  }
  static std::vector<std::string> warnings(const Client&, const Beyond&) { return {}; }
  static base::Digest digest_of(const ContextPtr& context, std::span<const Question> question) {
    return runtime::digest_of(*context, question);
  }
  /// Throws InputError as ResultReader::read does, and for NaN (graph::require_numbers).
  static std::vector<std::vector<graph::Tensor>> read(const ResultReader& reader, const Client& client,
                                                      std::span<const Answer> answer, std::size_t inputs,
                                                      std::span<const std::vector<graph::Tensor>> kept = {}) {
    std::vector<std::vector<graph::Tensor>> results = reader.read(client, answer, inputs, kept);
    for (const std::vector<graph::Tensor>& outputs : results) graph::require_numbers(reader.parts(), outputs);
    return results;
  }
};

}  // namespace tacit::session
