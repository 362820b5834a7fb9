#pragma once

#include <memory>
#include <vector>

#include "app/api/insecure.h"
#include "app/api/model_impl.h"
#include "app/api/network.h"
#include "runtime/compiled_model.h"
#include "runtime/slots/ciphertext_file.h"
#include "scheme/ckks/keys.h"
#include "session/owner/compilation.h"

/// Networks on slots (CKKS) behind the public classes.
namespace tacit {

/// Throws InputError as session::compile_graph, and for parameters and prices that are none.
session::Compilation compile_on_slots(app::api::Network network, const CompileOptions& options, Progress& progress);
/// Both halves of a compilation, which they keep as their origin.
CompiledModel compiled_model_of(session::Compilation compilation, InsecureParameters insecure);

ClientModel load_client_on_slots(const std::filesystem::path& path, InsecureParameters insecure);
ServerModel load_server_on_slots(const std::filesystem::path& path, InsecureParameters insecure);

struct EncryptedOnSlots final : detail::EncryptedFile {
  scheme::ckks::ContextPtr context;
  std::vector<std::vector<runtime::CiphertextArray>> samples;  ///< by sample, an array a name
  void save(const std::filesystem::path& path) const override;
};

struct KeysOnSlots final : detail::KeySet {
  scheme::ckks::ContextPtr context;
  std::shared_ptr<const scheme::ckks::EvaluationKeys> keys;
  void save(const std::filesystem::path& path) const override;
};

/// The client's half with what its owners share.
struct SlotsClient {
  std::shared_ptr<const runtime::ClientModel> model;
  scheme::ckks::ContextPtr context;
};
/// With a fresh secret key, and with the one in a file. `parts` are the model's.
std::shared_ptr<const detail::Owner> owner_on_slots(const SlotsClient& half, const graph::ClientParts& parts);
std::shared_ptr<const detail::Owner> owner_on_slots(const SlotsClient& half, const graph::ClientParts& parts,
                                                    const std::filesystem::path& secret_key);

std::shared_ptr<const detail::PreparedHalf> prepare_on_slots(const std::shared_ptr<const runtime::ServerModel>& model,
                                                             const scheme::ckks::ContextPtr& context,
                                                             std::uint64_t memory_bytes, int clients,
                                                             std::span<const ModelKeys> held, Progress& progress);

std::shared_ptr<const detail::Origin> origin_on_slots(session::Compilation compilation);

inline runtime::Binding binding_of(const runtime::ModelId& id, const scheme::ckks::ContextPtr& context,
                                   const runtime::KeySetId& key_set = {}) {
  return {id, context->parameters().hash(), key_set};
}

}  // namespace tacit
