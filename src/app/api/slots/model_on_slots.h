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

  /// Throws InputError as session::compile_graph, and for parameters and prices that are none.
  static Compilation compile(app::api::Network network, const CompileOptions& options, Progress& progress);
  static std::shared_ptr<const detail::Origin> origin(Compilation compilation);
  /// Throws InputError for a set that is insecure and not allowed to be.
  static ContextPtr context_of(const Literal& literal, InsecureParameters insecure);
  static ServerModel load_server_model(const std::filesystem::path& path) { return runtime::load_server_model(path); }
  /// What the file says of its parameters is not believed: they were checked.
  static Plan plan(const ClientModel& model, const params::CkksParameters& parameters);

  /// What a server does. Keys from a file must be of the model. `held`: keys that are in memory and that the budget
  /// counts.
  static Keys load_keys(const std::filesystem::path& path, const ContextPtr& context, const runtime::ModelId& model,
                        runtime::Provenance& found) {
    return runtime::load_evaluation_keys(path, context, &model, found);
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
