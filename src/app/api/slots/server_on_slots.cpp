#include <algorithm>
#include <mutex>
#include <utility>

#include "app/api/memory.h"
#include "app/api/slots/model_on_slots.h"
#include "runtime/slots/executor.h"

namespace tacit {
namespace {

struct EvaluationOnSlots final : detail::Evaluation {
  EvaluationOnSlots(const runtime::Binding& bound, runtime::Executor of, std::vector<std::string> outputs)
      : binding(bound), executor(std::move(of)), output_names(std::move(outputs)) {}

  EncryptedTensors evaluate(const EncryptedTensors& inputs, Progress& progress) override {
    runtime::require_same_keys(binding, "the evaluation keys", Access::impl(inputs).binding, "the input");
    const auto& encrypted = form_of<EncryptedOnSlots>(inputs);
    const auto results = std::make_shared<EncryptedOnSlots>();
    results->role = runtime::CiphertextRole::results;
    results->binding = encrypted.binding;
    results->names = output_names;
    results->questions = encrypted.questions;
    results->batched = encrypted.batched;
    results->context = encrypted.context;
    const std::lock_guard lock(mutex);
    progress.begin("evaluating", encrypted.batched.inputs);
    for (std::size_t run = 0; run < encrypted.samples.size(); ++run) {
      results->samples.push_back(executor.run(encrypted.samples[run], nullptr, progress).outputs);
      progress.advance(encrypted.batched.of(run));
    }
    progress.end();
    return Access::wrap<EncryptedTensors>(results);
  }

  runtime::Binding binding;
  runtime::Executor executor;
  std::vector<std::string> output_names;
  std::mutex mutex;
};

struct PreparedOnSlots final : detail::PreparedHalf {
  PreparedOnSlots(const runtime::Binding& of_model, std::shared_ptr<const runtime::ServerModel> server,
                  std::shared_ptr<const runtime::PreparedProgram> program)
      : PreparedHalf(of_model), model(std::move(server)), prepared(std::move(program)) {}

  std::shared_ptr<detail::Evaluation> evaluation(const ModelKeys& keys) const override {
    const auto& owned = form_of<KeysOnSlots>(keys);
    return std::make_shared<EvaluationOnSlots>(owned.binding, runtime::Executor(prepared, owned.keys),
                                               program::names_of<slots::Output>(model->program));
  }

  std::shared_ptr<const runtime::ServerModel> model;
  std::shared_ptr<const runtime::PreparedProgram> prepared;
};

}  // namespace

std::shared_ptr<const detail::PreparedHalf> prepare_on_slots(const std::shared_ptr<const runtime::ServerModel>& model,
                                                             const scheme::ckks::ContextPtr& context,
                                                             std::uint64_t memory_bytes, int clients,
                                                             std::span<const ModelKeys> held, Progress& progress) {
  std::uint64_t held_bytes = 0;  // of the keys that the budget counts, which are those of so many clients
  for (const ModelKeys& keys : held.first(std::min(held.size(), static_cast<std::size_t>(clients))))
    held_bytes += form_of<KeysOnSlots>(keys).keys->bytes();
  auto prepared = std::make_shared<const runtime::PreparedProgram>(
      context, model->program,
      runtime::PrepareOptions{.memory = app::api::work_budget(memory_bytes).with_held(held_bytes),
                              .clients = clients,
                              .progress = &progress});
  prepared->encode();
  return std::make_shared<const PreparedOnSlots>(binding_of(model->id, context), model, std::move(prepared));
}

}  // namespace tacit
