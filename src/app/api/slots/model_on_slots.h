#pragma once

#include <memory>
#include <vector>

#include "app/api/model_forms.h"
#include "runtime/compiled_model.h"
#include "runtime/slots/ciphertext_file.h"
#include "runtime/slots/client.h"
#include "runtime/slots/executor.h"
#include "runtime/slots/key_store.h"
#include "session/owner/compilation.h"
#include "session/owner/slots/result_reader.h"

namespace tacit {

/// Networks on slots (CKKS), for the forms of model_forms.h.
struct OnSlots {
  static constexpr Scheme kScheme = Scheme::ckks;
  using ContextPtr = scheme::ckks::ContextPtr;
  using Literal = params::CkksLiteral;
  using Compilation = session::Compilation;
  using ClientModel = runtime::ClientModel;
  using ServerModel = runtime::ServerModel;
  using SecretKey = scheme::ckks::SecretKey;
  using Keys = scheme::ckks::EvaluationKeys;
  using Question = runtime::CiphertextArray;
  using Answer = runtime::CiphertextArray;
  using Client = runtime::Client;
  using ResultReader = session::ResultReader;
  using PreparedProgram = runtime::PreparedProgram;
  using Executor = runtime::Executor;
  using Output = slots::Output;

  /// Throws InputError as session::compile_graph, and for parameters and prices that are none.
  static Compilation compile(app::api::Network network, const CompileOptions& options, Progress& progress);
  static std::shared_ptr<const detail::Origin> origin(Compilation compilation);
  /// Throws InputError for a set that is insecure and not allowed to be.
  static ContextPtr context_of(const Literal& literal, InsecureParameters insecure);
  static ClientModel load_client_model(const std::filesystem::path& path) { return runtime::load_client_model(path); }
  static ServerModel load_server_model(const std::filesystem::path& path) { return runtime::load_server_model(path); }
  /// What the file says of its parameters is not believed: they were checked.
  static Plan plan(const ClientModel& model, const params::CkksParameters& parameters);

  /// Keys. Those from a file must be of the model.
  static SecretKey new_secret_key(const ContextPtr& context);
  static SecretKey load_secret_key(const std::filesystem::path& path, const ContextPtr& context,
                                   const runtime::ModelId& model, runtime::Provenance& found) {
    return runtime::load_secret_key(path, context, &model, found);
  }
  static Keys new_keys(const ClientModel& model, const ContextPtr& context, const SecretKey& secret,
                       Progress& progress);
  static Keys load_keys(const std::filesystem::path& path, const ContextPtr& context, const runtime::ModelId& model,
                        runtime::Provenance& found) {
    return runtime::load_evaluation_keys(path, context, &model, found);
  }
  template <class Key>
  static void save(const ContextPtr& context, const Key& key, const runtime::Binding& binding,
                   const std::filesystem::path& path) {
    runtime::save(context, key, binding, path);
  }

  /// Files of ciphertexts.
  static void save(const EncryptedOn<OnSlots>& tensors, const std::filesystem::path& path);
  static runtime::CiphertextReader open_samples(const std::filesystem::path& path, const ContextPtr& context,
                                                runtime::CiphertextRole role) {
    return {path, context, role};
  }
  static std::vector<Question> read_question(const runtime::CiphertextReader& reader, std::size_t sample,
                                             const ContextPtr&) {
    return reader.read(sample);
  }
  static std::vector<Answer> read_answer(const runtime::CiphertextReader& reader, std::size_t sample,
                                         const ContextPtr&) {
    return reader.read(sample);
  }

  /// What a client does: `batch` inputs share a run.
  static std::size_t batch(const ClientModel& model) { return static_cast<std::size_t>(model.interface.batch); }
  static Client client(const std::shared_ptr<const ClientModel>& model, const ContextPtr& context,
                       const std::shared_ptr<const SecretKey>& secret) {
    return {model, context, secret};
  }
  static void require_memory_for_input(const ClientModel& model);
  static std::vector<Question> encrypt(const Client& client, const graph::ClientParts& parts,
                                       std::span<const std::vector<graph::Tensor>> side_by_side);
  static base::Digest digest_of(const ContextPtr& context, std::span<const Question> question) {
    return runtime::digest_of(*context, question);
  }
  static std::vector<std::vector<graph::Tensor>> read(const ResultReader& reader, const Client& client,
                                                      std::span<const Answer> answer, std::size_t inputs) {
    return reader.read(client, answer, inputs);
  }

  /// What a server does. `held`: keys that are in memory and that the budget counts.
  static std::shared_ptr<const PreparedProgram> prepare(const ServerModel& model, const ContextPtr& context,
                                                        std::uint64_t memory_bytes, int clients,
                                                        std::span<const ModelKeys> held, Progress& progress);
  static Executor executor(const std::shared_ptr<const PreparedProgram>& prepared,
                           const std::shared_ptr<const Keys>& keys) {
    return {prepared, keys};
  }
  static std::vector<Answer> run(const Executor& executor, std::span<const Question> question, Progress& progress) {
    return executor.run(question, nullptr, progress).outputs;
  }
};

}  // namespace tacit
