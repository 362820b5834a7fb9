#pragma once

#include <cstdint>
#include <filesystem>
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

/// The common parts of files of keys of all schemes.
namespace tacit::runtime {

inline constexpr std::string_view kKeySection = "key";

/// Returns the provenance of a key. Throws KeyMismatch for other parameters, and for another model unless `model` is
/// null.
Provenance checked_provenance(const ArtefactReader& reader, const params::ParameterIdentity& parameters,
                              const ModelId* model);

/// The file of a key, of this `kind` and `scheme`.
struct KeyFile {
  const std::filesystem::path& path;
  ArtefactKind kind;
  ArtefactScheme scheme;

  /// Opens the file. Refuses a secret key that others may read, and a secret key instead of evaluation keys.
  ArtefactReader open() const;
};

/// Adds a key as a section, with the scheme's `serialize`.
template <class Context, class Key>
void add_key(ArtefactWriter& writer, std::string_view name, const Context& context, const Key& key) {
  writer.begin_section(name, SectionType::key);
  serialize(context, key, [&](std::span<const std::uint8_t> piece) { writer.write(std::as_bytes(piece)); });
}

/// Writes a file of one key. Returns its root.
template <class Context, class Key>
base::Digest save_key(const KeyFile& file, const Context& context, const Key& key, const Binding& binding) {
  ArtefactWriter writer(file.path, file.kind, file.scheme);
  writer.add_section(kAboutSection, SectionType::text, to_json(binding).dump());
  add_key(writer, kKeySection, context, key);
  return writer.finish();
}

/// Reads a section with the scheme's `deserialize`, and wipes its bytes afterwards.
template <class Context, class Key>
Key read_key(const ArtefactReader& reader, const Section& section, const Context& context,
             Key (*deserialize)(const Context&, std::span<const std::uint8_t>)) {
  std::vector<std::byte> bytes = reader.read(section);
  const base::WipedAtExit wiped(bytes);
  return deserialize(context, {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
}

/// Reads the key of a file of one key. `found` receives its provenance.
template <class Context, class Key>
Key load_key(const KeyFile& file, const Context& context, const ModelId* model, Provenance& found,
             Key (*deserialize)(const Context&, std::span<const std::uint8_t>)) {
  const ArtefactReader reader = file.open();
  std::optional<Key> key;
  parsing(file.path, [&] {
    found = checked_provenance(reader, context.parameters().identity(), model);
    key.emplace(read_key(reader, reader.section(kKeySection, SectionType::key), context, deserialize));
  });
  return std::move(*key);
}

}  // namespace tacit::runtime
