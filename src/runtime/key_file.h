#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/wipe.h"
#include "params/parameter_identity.h"
#include "runtime/artefact.h"
#include "runtime/binding.h"
#include "runtime/description.h"

/// The common parts of artefacts of keys of all schemes.
namespace tacit::runtime {

inline constexpr std::string_view kKeySection = "key";

/// Returns the provenance of a key. Throws KeyMismatch for other parameters, and for another model unless `model` is
/// null.
Provenance checked_provenance(const ArtefactReader& reader, const params::ParameterIdentity& parameters,
                              const ModelId* model);

/// The kind and the scheme of a key's artefact.
struct KeyForm {
  ArtefactKind kind;
  ArtefactScheme scheme;
};

/// Opens a key. Refuses a file with a secret key that others may read, and a secret key instead of evaluation keys.
ArtefactReader open_key(const Source& source, const KeyForm& form);

/// Adds a key as a section, with the scheme's `serialize`.
template <class Context, class Key>
void add_key(ArtefactWriter& writer, std::string_view name, const Context& context, const Key& key) {
  writer.begin_section(name, SectionType::key);
  serialize(context, key, [&](std::span<const std::uint8_t> piece) { writer.write(std::as_bytes(piece)); });
}

/// Writes an artefact of one key. Returns its root.
template <class Context, class Key>
base::Digest save_key(const Sink& sink, const KeyForm& form, const Context& context, const Key& key,
                      const Binding& binding) {
  return write_artefact(sink, form.kind, form.scheme, [&](ArtefactWriter& writer) {
    writer.add_section(kAboutSection, SectionType::text, to_json(binding).dump());
    add_key(writer, kKeySection, context, key);
  });
}

/// Reads a section with the scheme's `deserialize`, and wipes its bytes afterwards.
template <class Context, class Key>
Key read_key(const ArtefactReader& reader, const Section& section, const Context& context,
             Key (*deserialize)(const Context&, std::span<const std::uint8_t>)) {
  std::vector<std::byte> bytes = reader.read(section);
  const base::WipedAtExit wiped(bytes);
  return deserialize(context, {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
}

/// Reads the key of an artefact of one key. `found` receives its provenance.
template <class Context, class Key>
Key load_key(const Source& source, const KeyForm& form, const Context& context, const ModelId* model, Provenance& found,
             Key (*deserialize)(const Context&, std::span<const std::uint8_t>)) {
  const ArtefactReader reader = open_key(source, form);
  std::optional<Key> key;
  parsing(source.name(), [&] {
    found = checked_provenance(reader, context.parameters().identity(), model);
    key.emplace(read_key(reader, reader.section(kKeySection, SectionType::key), context, deserialize));
  });
  return std::move(*key);
}

}  // namespace tacit::runtime
