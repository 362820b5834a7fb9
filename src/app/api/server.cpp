#include <mutex>
#include <utility>

#include "app/api/memory.h"
#include "app/api/model_impl.h"
#include "runtime/slots/executor.h"

namespace tacit {

struct PreparedModel::Impl {
  ServerModel half;
  std::shared_ptr<const runtime::PreparedProgram> prepared;
};

struct Server::Impl {
  runtime::Binding binding;
  runtime::Executor executor;
  std::vector<std::string> output_names;
  std::mutex mutex;
};

namespace {

/// The model, if the keys belong to it: KeyMismatch before any work.
const ServerModel& of_the_keys(const ServerModel& model, const ModelKeys& keys) {
  const auto& half = Access::impl(model);
  runtime::require_same_model(binding_of(half.model->id, half.context), "the model", Access::impl(keys).binding,
                              "the keys");
  return model;
}

}  // namespace

PreparedModel::PreparedModel(const ServerModel& model, std::uint64_t memory_bytes, int clients, Progress& progress)
    : impl_([&] {
        if (clients < 1) throw InputError("a prepared model serves at least one client at a time");
        const auto& half = Access::impl(model);
        auto prepared = std::make_shared<const runtime::PreparedProgram>(
            half.context, half.model->program,
            runtime::PrepareOptions{
                .memory = app::api::work_budget(memory_bytes), .clients = clients, .progress = &progress});
        prepared->encode();
        return std::make_shared<const Impl>(Impl{model, std::move(prepared)});
      }()) {}

Server::Server(const PreparedModel& model, const ModelKeys& keys)
    : impl_([&] {
        const auto& prepared = Access::impl(model);
        const auto& half = Access::impl(of_the_keys(prepared.half, keys));
        const auto& owned = Access::impl(keys);
        return std::make_shared<Impl>(owned.binding, runtime::Executor(prepared.prepared, owned.keys),
                                      slots::output_names(half.model->program));
      }()) {}

Server::Server(const ServerModel& model, const ModelKeys& keys, std::uint64_t memory_bytes)
    : Server(PreparedModel(of_the_keys(model, keys), memory_bytes), keys) {}

EncryptedTensors Server::evaluate(const EncryptedTensors& inputs, Progress& progress) {
  const auto& encrypted = Access::impl(inputs);
  runtime::require_role(runtime::CiphertextRole::inputs, encrypted.role, "the argument of evaluate");
  runtime::require_same_keys(impl_->binding, "the evaluation keys", encrypted.binding, "the input");
  const std::lock_guard lock(impl_->mutex);
  std::vector<std::vector<runtime::CiphertextArray>> results;
  progress.begin("evaluating", encrypted.batched.inputs);
  for (std::size_t run = 0; run < encrypted.samples.size(); ++run) {
    results.push_back(impl_->executor.run(encrypted.samples[run], nullptr, progress).outputs);
    progress.advance(encrypted.batched.of(run));
  }
  progress.end();
  return Access::make<EncryptedTensors>(encrypted.context, runtime::CiphertextRole::results, encrypted.binding,
                                        impl_->output_names, std::move(results), encrypted.questions,
                                        encrypted.batched);
}

}  // namespace tacit
