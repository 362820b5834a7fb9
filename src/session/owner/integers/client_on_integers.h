#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/memory_budget.h"
#include "base/progress.h"
#include "graph/client_answers.h"
#include "runtime/integers/compiled_integers.h"
#include "runtime/integers/integer_client.h"
#include "runtime/integers/integer_files.h"
#include "session/owner/integers/encrypt_sample.h"
#include "session/owner/integers/result_reader.h"

namespace tacit::session {

/// The work of the owner of data for a network on integers (TFHE), with the names of ClientOnSlots. A run takes one
/// input. Questions under the secret key are short, because seeds replace their masks. Answers are complete
/// ciphertexts.
struct ClientOnIntegers {
  using ContextPtr = scheme::tfhe::ContextPtr;
  using Literal = params::TfheLiteral;
  using ClientModel = runtime::IntegerClientModel;
  using SecretKey = scheme::tfhe::SecretKey;
  using PublicKey = scheme::tfhe::PublicKey;
  using Keys = scheme::tfhe::SeededEvaluationKeys;
  using Question = scheme::tfhe::FreshLweCiphertexts;
  using Answer = scheme::tfhe::LweCiphertexts;
  using Client = runtime::IntegerClient;
  using ResultReader = IntegerResultReader;
  using SampleReader = runtime::SampleReader;
  using SampleWriter = runtime::SampleWriter;
  using Beyond = BeyondGrids;

  static ClientModel load_client_model(const runtime::Source& source) {
    return runtime::load_integer_client_model(source);
  }
  static ContextPtr checked_context(const Literal& literal) {
    return scheme::tfhe::Context::make(params::TfheParameters::check(literal));
  }

  /// Keys of several owners, and results that they decrypted, are of slots alone.
  static void require_one_owner(const ClientModel&) {}
  static void expect(Client&, const runtime::OwnersResults&);
  /// Keys. Keys from a file must belong to the model. The budget is checked before any evaluation key is made.
  static SecretKey new_secret_key(const ContextPtr& context) { return SecretKey::generate(*context); }
  static void require_memory_for_keys(const ClientModel& model, const base::MemoryBudget& memory);
  static Keys new_keys(const ClientModel&, const ContextPtr& context, const SecretKey& secret,
                       base::Progress& progress) {
    return Keys::generate(*context, secret, progress);
  }
  /// Makes the keys while they are written. Memory holds a few MiB of them.
  static base::Digest make_and_save_keys(const ClientModel&, const ContextPtr& context, const SecretKey& secret,
                                         const runtime::Binding& binding, const runtime::Sink& sink,
                                         base::Progress& progress) {
    return runtime::make_and_save(scheme::tfhe::KeySeries(context, secret), binding, sink, progress);
  }
  static void require_memory_for_one_key(const ClientModel&, const base::MemoryBudget&) {}
  /// Throws InputError if the plan refuses public keys, or was made by a version that does not know them. The refusal
  /// names the layer (integers::why_no_public_key).
  static void require_room_for_public_key(const ClientModel& model);
  /// Throws InputError if numbers of the model's results cannot be shared with this promise (session::require_shared).
  static void require_shared(const ClientModel& model, const graph::ClientParts& parts, const params::Sharing& promise);
  static PublicKey new_public_key(const ContextPtr& context, const SecretKey& secret) {
    return PublicKey::generate(*context, secret);
  }
  static PublicKey load_public_key(const runtime::Source& source, const ContextPtr& context,
                                   const runtime::ModelId& model, runtime::Provenance& found) {
    return runtime::load_tfhe_public_key(source, *context, &model, found);
  }
  static SecretKey load_secret_key(const runtime::Source& source, const ContextPtr& context,
                                   const runtime::ModelId& model, runtime::Provenance& found) {
    return runtime::load_tfhe_secret_key(source, *context, &model, found);
  }
  template <class Key>
  static base::Digest save(const ContextPtr& context, const Key& key, const runtime::Binding& binding,
                           const runtime::Sink& sink) {
    return runtime::save(*context, key, binding, sink);
  }
  static nlohmann::ordered_json describe_keys(const ClientModel& model);

  /// Files of ciphertexts. A result carries the digest of the question that it answers.
  static SampleReader open_samples(const runtime::Source& source, const ContextPtr& context,
                                   runtime::CiphertextRole role) {
    return runtime::open_samples(source, *context, role);
  }
  static std::vector<Question> read_question(const SampleReader& reader, std::size_t sample,
                                             const ContextPtr& context) {
    return runtime::read_inputs(reader, sample, *context);
  }
  static std::vector<Answer> read_answer(const SampleReader& reader, std::size_t sample, const ContextPtr& context) {
    return runtime::read_results(reader, sample, *context);
  }
  static constexpr runtime::ArtefactScheme kArtefactScheme = runtime::ArtefactScheme::tfhe;
  static SampleWriter create_samples(const runtime::Sink& sink, const ContextPtr&,
                                     const runtime::SampleFileHead& head) {
    return {sink, kArtefactScheme, head};
  }
  static SampleWriter create_samples(runtime::ArtefactWriter& artefact, const ContextPtr&,
                                     const runtime::SampleFileHead& head) {
    return {artefact, head};
  }
  template <class Ciphertexts>
  static void add(SampleWriter& writer, const ContextPtr& context, const std::vector<Ciphertexts>& sample,
                  const std::optional<base::Digest>& question = {}) {
    writer.add(runtime::pieces_of(*context, std::span<const Ciphertexts>(sample)), question);
  }

  static std::size_t batch(const ClientModel&) { return 1; }
  static Client client(const std::shared_ptr<const ClientModel>& model, const ContextPtr& context,
                       const std::shared_ptr<const SecretKey>& secret) {
    return {model->interface, context, *secret};
  }
  static Client encrypting_client(const std::shared_ptr<const ClientModel>& model, const ContextPtr& context,
                                  const PublicKey& key) {
    return {model->interface, context, key};
  }
  static void require_memory_for_input(const ClientModel& model, const base::MemoryBudget& memory);
  static std::vector<Question> encrypt(const Client& client, const graph::ClientParts& parts,
                                       std::span<const std::vector<graph::Tensor>> one, Beyond* beyond = nullptr) {
    TACIT_ASSERT(one.size() == 1);
    return encrypt_sample(client, parts, one.front(), beyond);
  }
  static std::vector<std::string> warnings(const Client& client, const Beyond& beyond) {
    return beyond.sentences(client.interface());
  }
  static base::Digest digest_of(const ContextPtr& context, std::span<const Question> question) {
    return runtime::digest_of(*context, question);
  }
  /// Throws InputError as IntegerResultReader::read does, and for NaN (graph::require_numbers).
  static std::vector<std::vector<graph::Tensor>> read(const ResultReader& reader, const Client& client,
                                                      std::span<const Answer> answer, std::size_t,
                                                      std::span<const std::vector<graph::Tensor>> kept = {}) {
    std::vector<std::vector<graph::Tensor>> results{
        reader.read(client, answer, kept.empty() ? std::span<const graph::Tensor>() : std::span(kept.front()))};
    graph::require_numbers(reader.parts(), results.front());
    return results;
  }
};

}  // namespace tacit::session
