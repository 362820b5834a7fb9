#pragma once

#include <memory>
#include <vector>

#include "app/api/model_forms.h"
#include "runtime/integers/compiled_integers.h"
#include "runtime/integers/integer_client.h"
#include "runtime/integers/integer_executor.h"
#include "runtime/integers/integer_files.h"
#include "session/owner/integers/compilation.h"
#include "session/owner/integers/result_reader.h"

namespace tacit {

/// Networks on integers (TFHE), for the forms of model_forms.h. A run takes one input. Questions are short, for seeds
/// stand for their masks; answers are whole.
struct OnIntegers {
  static constexpr Scheme kScheme = Scheme::tfhe;
  using ContextPtr = scheme::tfhe::ContextPtr;
  using Literal = params::TfheLiteral;
  using Compilation = session::IntegerCompilation;
  using ClientModel = runtime::IntegerClientModel;
  using ServerModel = runtime::IntegerServerModel;
  using SecretKey = scheme::tfhe::SecretKey;
  using Keys = scheme::tfhe::SeededEvaluationKeys;
  using Question = scheme::tfhe::SeededLweCiphertexts;
  using Answer = scheme::tfhe::LweCiphertexts;
  using Client = runtime::IntegerClient;
  using ResultReader = session::IntegerResultReader;
  using PreparedProgram = runtime::PreparedIntegers;
  using Executor = runtime::IntegerExecutor;
  using Output = integers::Output;

  /// Throws InputError as session::compile_graph_on_integers, and for parameters that are none.
  static Compilation compile(app::api::Network network, const CompileOptions& options, Progress& progress);
  static std::shared_ptr<const detail::Origin> origin(Compilation compilation);
  /// Throws InputError for a set that is insecure and not allowed to be.
  static ContextPtr context_of(const Literal& literal, InsecureParameters insecure);
  static ClientModel load_client_model(const std::filesystem::path& path) {
    return runtime::load_integer_client_model(path);
  }
  static ServerModel load_server_model(const std::filesystem::path& path) {
    return runtime::load_integer_server_model(path);
  }
  /// What the file says of its parameters is not believed: they were checked.
  static Plan plan(const ClientModel& model, const params::TfheParameters& parameters);

  /// Keys. Those from a file must be of the model.
  static SecretKey new_secret_key(const ContextPtr& context) { return SecretKey::generate(*context); }
  static SecretKey load_secret_key(const std::filesystem::path& path, const ContextPtr& context,
                                   const runtime::ModelId& model, runtime::Provenance& found) {
    return runtime::load_tfhe_secret_key(path, *context, &model, found);
  }
  static Keys new_keys(const ClientModel& model, const ContextPtr& context, const SecretKey& secret,
                       Progress& progress);
  static Keys load_keys(const std::filesystem::path& path, const ContextPtr& context, const runtime::ModelId& model,
                        runtime::Provenance& found) {
    return runtime::load_tfhe_evaluation_keys(path, *context, &model, found);
  }
  template <class Key>
  static void save(const ContextPtr& context, const Key& key, const runtime::Binding& binding,
                   const std::filesystem::path& path) {
    runtime::save(*context, key, binding, path);
  }

  /// Files of ciphertexts.
  static void save(const EncryptedOn<OnIntegers>& tensors, const std::filesystem::path& path);
  /// Throws KeyMismatch for a file that holds several inputs a run.
  static runtime::SampleReader open_samples(const std::filesystem::path& path, const ContextPtr& context,
                                            runtime::CiphertextRole role);
  static std::vector<Question> read_question(const runtime::SampleReader& reader, std::size_t sample,
                                             const ContextPtr& context) {
    return runtime::read_inputs(reader, sample, *context);
  }
  static std::vector<Answer> read_answer(const runtime::SampleReader& reader, std::size_t sample,
                                         const ContextPtr& context) {
    return runtime::read_results(reader, sample, *context);
  }

  /// What a client does.
  static std::size_t batch(const ClientModel&) { return 1; }
  static Client client(const std::shared_ptr<const ClientModel>& model, const ContextPtr& context,
                       const std::shared_ptr<const SecretKey>& secret) {
    return {model->interface, context, *secret};
  }
  static void require_memory_for_input(const ClientModel&) {}
  static std::vector<Question> encrypt(const Client& client, const graph::ClientParts& parts,
                                       std::span<const std::vector<graph::Tensor>> one);
  static base::Digest digest_of(const ContextPtr& context, std::span<const Question> question) {
    return runtime::digest_of(*context, question);
  }
  static std::vector<std::vector<graph::Tensor>> read(const ResultReader& reader, const Client& client,
                                                      std::span<const Answer> answer, std::size_t) {
    return {reader.read(client, answer)};
  }

  /// What a server does. Keys that are in memory are seeds, and what is made of them counts.
  static std::shared_ptr<const PreparedProgram> prepare(const ServerModel& model, const ContextPtr& context,
                                                        std::uint64_t memory_bytes, int clients,
                                                        std::span<const ModelKeys>, Progress&);
  static Executor executor(const std::shared_ptr<const PreparedProgram>& prepared,
                           const std::shared_ptr<const Keys>& keys);
  static std::vector<Answer> run(const Executor& executor, std::span<const Question> question, Progress& progress);
};

}  // namespace tacit
