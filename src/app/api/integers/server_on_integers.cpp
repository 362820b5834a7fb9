#include <fmt/format.h>

#include <mutex>
#include <utility>

#include "app/api/integers/model_on_integers.h"
#include "app/api/memory.h"
#include "runtime/integers/integer_executor.h"
#include "scheme/tfhe/encryption.h"

namespace tacit {
namespace {

struct EvaluationOnIntegers final : detail::Evaluation {
  EvaluationOnIntegers(const runtime::Binding& bound, runtime::IntegerExecutor of)
      : binding(bound), executor(std::move(of)) {}

  EncryptedTensors evaluate(const EncryptedTensors& inputs, Progress& progress) override {
    runtime::require_same_keys(binding, "the evaluation keys", Access::impl(inputs).binding, "the input");
    const auto& encrypted = form_of<EncryptedOnIntegers>(inputs);
    const integers::Program& program = executor.prepared().program();
    const auto results = std::make_shared<EncryptedOnIntegers>();
    results->role = runtime::CiphertextRole::results;
    results->binding = encrypted.binding;
    results->names = program::names_of<integers::Output>(program);
    results->questions = encrypted.questions;
    results->batched = encrypted.batched;
    results->context = encrypted.context;
    const std::lock_guard lock(mutex);
    progress.begin("evaluating", encrypted.inputs.size());
    for (const auto& question : encrypted.inputs) {
      const auto tensors = runtime::expand_inputs(*encrypted.context, program, question);
      results->results.push_back(executor.run(tensors, nullptr, progress).outputs);
      progress.advance();
    }
    progress.end();
    return Access::wrap<EncryptedTensors>(results);
  }

  runtime::Binding binding;
  runtime::IntegerExecutor executor;
  std::mutex mutex;
};

struct PreparedOnIntegers final : detail::PreparedHalf {
  PreparedOnIntegers(const runtime::Binding& of_model, std::shared_ptr<const runtime::PreparedIntegers> program)
      : PreparedHalf(of_model), prepared(std::move(program)) {}

  std::shared_ptr<detail::Evaluation> evaluation(const ModelKeys& keys) const override {
    const auto& owned = form_of<KeysOnIntegers>(keys);
    return std::make_shared<EvaluationOnIntegers>(
        owned.binding, runtime::IntegerExecutor(prepared, std::make_shared<const scheme::tfhe::Evaluator>(
                                                              prepared->context(), *owned.keys)));
  }

  std::shared_ptr<const runtime::PreparedIntegers> prepared;
};

}  // namespace

std::shared_ptr<const detail::PreparedHalf> prepare_on_integers(
    const std::shared_ptr<const runtime::IntegerServerModel>& model, const scheme::tfhe::ContextPtr& context,
    std::uint64_t memory_bytes, int clients) {
  const params::TfheParameters& parameters = context->parameters();
  const double of_a_client = runtime::key_bytes(parameters) + runtime::value_bytes(model->program, parameters);
  app::api::work_budget(memory_bytes)
      .require(fmt::format("keys, tables and ciphertexts of model '{}' for {} at once need", model->name, clients),
               runtime::memory_need(model->program, parameters) + (clients - 1) * of_a_client);
  return std::make_shared<const PreparedOnIntegers>(
      binding_of(model->id, context), std::make_shared<const runtime::PreparedIntegers>(context, model->program));
}

}  // namespace tacit
