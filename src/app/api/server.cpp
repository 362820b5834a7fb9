#include "app/api/model_impl.h"

namespace tacit {
namespace {

/// The model, if the keys belong to it: KeyMismatch before any work.
const ServerModel& of_the_keys(const ServerModel& model, const ModelKeys& keys) {
  runtime::require_same_model(Access::impl(model).binding(), "the model", Access::impl(keys).binding, "the keys");
  return model;
}

}  // namespace

PreparedModel::PreparedModel(const ServerModel& model, std::uint64_t memory_bytes, int clients, Progress& progress)
    : impl_([&] {
        if (clients < 1) throw InputError("a prepared model serves at least one client at a time");
        return Access::impl(model).prepare(memory_bytes, clients, progress);
      }()) {}

Server::Server(const PreparedModel& model, const ModelKeys& keys)
    : impl_([&] {
        const detail::PreparedHalf& prepared = Access::impl(model);
        runtime::require_same_model(prepared.binding, "the model", Access::impl(keys).binding, "the keys");
        return prepared.evaluation(keys);
      }()) {}

Server::Server(const ServerModel& model, const ModelKeys& keys, std::uint64_t memory_bytes)
    : Server(PreparedModel(of_the_keys(model, keys), memory_bytes), keys) {}

EncryptedTensors Server::evaluate(const EncryptedTensors& inputs, Progress& progress) {
  runtime::require_role(runtime::CiphertextRole::inputs, Access::impl(inputs).role, "the argument of evaluate");
  return impl_->evaluate(inputs, progress);
}

}  // namespace tacit
