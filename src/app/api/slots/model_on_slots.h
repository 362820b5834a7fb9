#pragma once

#include <memory>
#include <vector>

#include "app/api/model_forms.h"
#include "runtime/compiled_model.h"
#include "runtime/slots/executor.h"
#include "runtime/slots/key_store.h"
#include "session/owner/compilation.h"
#include "session/owner/slots/client_on_slots.h"

namespace tacit {

/// Networks on slots (CKKS), for the forms of model_forms.h.
struct OnSlots : session::ClientOnSlots {
  static constexpr Scheme kScheme = Scheme::ckks;
  using Compilation = session::Compilation;
  using ServerModel = runtime::ServerModel;
  using PreparedProgram = runtime::PreparedProgram;
  using Executor = runtime::Executor;
  using Output = slots::Output;

  static std::shared_ptr<const detail::Origin> origin(Compilation compilation);
  /// Throws InputError for an insecure set that is not allowed.
  static ContextPtr context_of(const Literal& literal, InsecureParameters insecure);
  static ServerModel load_server_model(const runtime::Source& source) { return runtime::load_server_model(source); }
  /// Uses the checked parameters, and ignores the file's statements about them.
  static Plan plan(const ClientModel& model, const params::CkksParameters& parameters);

  /// The server's work. Keys from a file must belong to the model. `held` are keys in memory that the budget counts.
  static Keys load_keys(const runtime::Source& source, const ContextPtr& context, const runtime::ModelId& model,
                        runtime::Provenance& found) {
    return runtime::load_evaluation_keys(source, context, &model, found);
  }
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
