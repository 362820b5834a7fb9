#include "runtime/key_file.h"

#include "base/private_file.h"

namespace tacit::runtime {

Provenance checked_provenance(const ArtefactReader& reader, const params::ParameterIdentity& parameters,
                              const ModelId* model) {
  const Provenance found{binding_from_json(*about(reader)), reader.root()};
  const Binding expected{
      .model = model != nullptr ? *model : found.model, .parameters = parameters.hash, .key_set = found.key_set};
  require_same_model(expected, "the model with the parameter set " + parameters.name, found, reader.name());
  return found;
}

ArtefactReader open_key(const Source& source, const KeyForm& form) {
  if (form.kind == ArtefactKind::evaluation_keys) refuse_secret_key(source, "the computing side");
  ArtefactReader reader(source, form.kind, form.scheme);
  if (form.kind == ArtefactKind::secret_key && !source.file().empty())
    base::require_private(source.file(), "secret key");
  return reader;
}

}  // namespace tacit::runtime
