#pragma once

#include <tacit/model.h>

#include <memory>
#include <string>
#include <vector>

#include "app/api/access.h"
#include "graph/client_parts.h"
#include "graph/serialize.h"
#include "runtime/compiled_model.h"
#include "runtime/slots/ciphertext_file.h"
#include "scheme/ckks/keys.h"
#include "session/owner/compilation.h"

/// What stands behind the public classes of <tacit/model.h>.
namespace tacit {

struct detail::Origin {
  session::Compilation compilation;
};

struct ClientModel::Impl {
  Impl(std::shared_ptr<const runtime::ClientModel> half, scheme::ckks::ContextPtr made_for)
      : model(std::move(half)), context(std::move(made_for)), parts(graph::client_parts_from_bytes(model->parts)) {}
  std::shared_ptr<const runtime::ClientModel> model;
  scheme::ckks::ContextPtr context;
  graph::ClientParts parts;  ///< what the client runs in the clear
};

struct ServerModel::Impl {
  std::shared_ptr<const runtime::ServerModel> model;
  scheme::ckks::ContextPtr context;
};

struct EncryptedTensors::Impl {
  scheme::ckks::ContextPtr context;
  runtime::CiphertextRole role;
  runtime::Binding binding;
  std::vector<std::string> names;
  std::vector<std::vector<runtime::CiphertextArray>> samples;  ///< by sample, an array a name
  std::vector<base::Digest> questions;  ///< by sample: the digest of the input that it is, or answers
  runtime::BatchedInputs batched;       ///< what the samples hold
};

struct ModelKeys::Impl {
  scheme::ckks::ContextPtr context;
  runtime::Binding binding;
  std::shared_ptr<const scheme::ckks::EvaluationKeys> keys;
};

using detail::Access;

inline runtime::Binding binding_of(const runtime::ModelId& id, const scheme::ckks::ContextPtr& context,
                                   const runtime::KeySetId& key_set = {}) {
  return {id, context->parameters().hash(), key_set};
}

/// A sample for a graph's inputs. `what` names the tensors in errors: "a calibration sample". Throws InputError.
std::vector<graph::Tensor> sample_of(const graph::Graph& graph, const Tensors& tensors, const std::string& what);

/// Both halves of a compilation, which they keep as their origin.
CompiledModel compiled_model_of(session::Compilation compilation, InsecureParameters insecure);

}  // namespace tacit
