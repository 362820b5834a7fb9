#include "runtime/key_file.h"

#include "base/private_file.h"

namespace tacit::runtime {

Provenance checked_provenance(const ArtefactReader& reader, const params::ParameterIdentity& parameters,
                              const ModelId* model) {
  const Provenance found{binding_from_json(*about(reader)), reader.root()};
  const Binding expected{
      .model = model != nullptr ? *model : found.model, .parameters = parameters.hash, .key_set = found.key_set};
  require_same_model(expected, "the model with the parameter set " + parameters.name, found, reader.path().string());
  return found;
}

ArtefactReader KeyFile::open() const {
  if (kind == ArtefactKind::evaluation_keys) refuse_secret_key(path, "the computing side");
  ArtefactReader reader(path, kind, scheme);
  if (kind == ArtefactKind::secret_key) base::require_private(path, "secret key");
  return reader;
}

}  // namespace tacit::runtime
