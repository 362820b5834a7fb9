#pragma once

#include <memory>
#include <vector>

#include "app/api/model_impl.h"
#include "app/api/network.h"
#include "runtime/integers/compiled_integers.h"
#include "scheme/tfhe/evaluator.h"
#include "session/owner/integers/compilation.h"

/// Networks on integers (TFHE) behind the public classes.
namespace tacit {

/// Throws InputError as session::compile_graph_on_integers, and for parameters that are none.
session::IntegerCompilation compile_on_integers(app::api::Network network, const CompileOptions& options,
                                                Progress& progress);
/// Both halves of a compilation, which they keep as their origin. Throws InputError unless the model fits the memory
/// that the options of compile named.
CompiledModel compiled_model_of(session::IntegerCompilation compilation, InsecureParameters insecure);

ClientModel load_client_on_integers(const std::filesystem::path& path, InsecureParameters insecure);
ServerModel load_server_on_integers(const std::filesystem::path& path, InsecureParameters insecure);

/// Questions are short, for seeds stand for their masks; answers are whole.
struct EncryptedOnIntegers final : detail::EncryptedFile {
  scheme::tfhe::ContextPtr context;
  std::vector<std::vector<scheme::tfhe::SeededLweCiphertexts>> inputs;  ///< by sample, a tensor a name
  std::vector<std::vector<scheme::tfhe::LweCiphertexts>> results;
  void save(const std::filesystem::path& path) const override;
};

struct KeysOnIntegers final : detail::KeySet {
  scheme::tfhe::ContextPtr context;
  std::shared_ptr<const scheme::tfhe::SeededEvaluationKeys> keys;
  void save(const std::filesystem::path& path) const override;
};

/// The client's half with what its owners share.
struct IntegersClient {
  std::shared_ptr<const runtime::IntegerClientModel> model;
  scheme::tfhe::ContextPtr context;
};
/// With a fresh secret key, and with the one in a file. `parts` are the model's.
std::shared_ptr<const detail::Owner> owner_on_integers(const IntegersClient& half, const graph::ClientParts& parts);
std::shared_ptr<const detail::Owner> owner_on_integers(const IntegersClient& half, const graph::ClientParts& parts,
                                                       const std::filesystem::path& secret_key);

std::shared_ptr<const detail::PreparedHalf> prepare_on_integers(
    const std::shared_ptr<const runtime::IntegerServerModel>& model, const scheme::tfhe::ContextPtr& context,
    std::uint64_t memory_bytes, int clients);

std::shared_ptr<const detail::Origin> origin_on_integers(session::IntegerCompilation compilation);

inline runtime::Binding binding_of(const runtime::ModelId& id, const scheme::tfhe::ContextPtr& context,
                                   const runtime::KeySetId& key_set = {}) {
  return {id, context->parameters().hash(), key_set};
}

}  // namespace tacit
