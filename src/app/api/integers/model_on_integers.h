#pragma once

#include <memory>
#include <vector>

#include "app/api/model_forms.h"
#include "runtime/integers/compiled_integers.h"
#include "runtime/integers/integer_executor.h"
#include "session/owner/integers/client_on_integers.h"
#include "session/owner/integers/compilation.h"

namespace tacit {

/// Networks on integers (TFHE), for the forms of model_forms.h.
struct OnIntegers : session::ClientOnIntegers {
  static constexpr Scheme kScheme = Scheme::tfhe;
  using Compilation = session::IntegerCompilation;
  using ServerModel = runtime::IntegerServerModel;
  using PreparedProgram = runtime::PreparedIntegers;
  using Executor = runtime::IntegerExecutor;
  using Output = integers::Output;

  static std::shared_ptr<const detail::Origin> origin(Compilation compilation);
  /// Throws InputError for an insecure set that is not allowed.
  static ContextPtr context_of(const Literal& literal, InsecureParameters insecure);
  static ServerModel load_server_model(const runtime::Source& source) {
    return runtime::load_integer_server_model(source);
  }
  /// Uses the checked parameters, and ignores the file's statements about them.
  static Plan plan(const ClientModel& model, const params::TfheParameters& parameters);

  /// Throws KeyMismatch for a file with several inputs per run.
  static SampleReader open_samples(const runtime::Source& source, const ContextPtr& context,
                                   runtime::CiphertextRole role);

  /// The server's work. Keys from a file must belong to the model. The budget of `prepare` counts the expanded keys of
  /// `clients` clients. Keys in memory are seeds, which do not count.
  static Keys load_keys(const runtime::Source& source, const ContextPtr& context, const runtime::ModelId& model,
                        runtime::Provenance& found) {
    return runtime::load_tfhe_evaluation_keys(source, *context, &model, found);
  }
  static std::shared_ptr<const PreparedProgram> prepare(const ServerModel& model, const ContextPtr& context,
                                                        std::uint64_t memory_bytes, int clients,
                                                        std::span<const ModelKeys>, Progress&);
  static Executor executor(const std::shared_ptr<const PreparedProgram>& prepared,
                           const std::shared_ptr<const Keys>& keys);
  static std::vector<Answer> run(const Executor& executor, std::span<const Question> question, Progress& progress);
};

}  // namespace tacit
