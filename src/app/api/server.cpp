#include "app/api/model_impl.h"

namespace tacit {
namespace {

void require_keys_of(const ServerModel& model, const ModelKeys& keys) {
  runtime::require_same_model(Access::impl(model).binding(), "the model", Access::impl(keys).binding, "the keys");
}

}  // namespace

PreparedModel::PreparedModel(const ServerModel& model, std::uint64_t memory_bytes, int clients, Progress& progress,
                             std::span<const ModelKeys> held)
    : Handle([&] {
        if (clients < 1) throw InputError("a prepared model serves at least one client at a time");
        for (const ModelKeys& keys : held) require_keys_of(model, keys);
        return Access::impl(model).prepare(memory_bytes, clients, held, progress);
      }()) {}

Server::Server(const PreparedModel& model, const ModelKeys& keys)
    : Handle([&] {
        const detail::PreparedHalf& prepared = Access::impl(model);
        runtime::require_same_model(prepared.binding, "the model", Access::impl(keys).binding, "the keys");
        return prepared.evaluation(keys);
      }()) {}

Server::Server(const ServerModel& model, const ModelKeys& keys, std::uint64_t memory_bytes)
    : Server(PreparedModel(model, memory_bytes, 1, Progress::silent(), {&keys, 1}), keys) {}

EncryptedTensors Server::evaluate(const EncryptedTensors& inputs, Progress& progress) {
  runtime::require_role(runtime::CiphertextRole::inputs, Access::impl(inputs).role, "the argument of evaluate");
  return impl_->evaluate(inputs, progress);
}

}  // namespace tacit
