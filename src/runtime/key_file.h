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

/// What files of keys share, whatever the scheme.
namespace tacit::runtime {

inline constexpr std::string_view kKeySection = "key";

/// Where a key comes from, held to the parameters and, where `model` is not null, to the model. Throws KeyMismatch.
Provenance checked_provenance(const ArtefactReader& reader, const params::ParameterIdentity& parameters,
                              const ModelId* model);

/// What starts and ends the file of a key. `kind` and `scheme` are of the file.
struct KeyFile {
  const std::filesystem::path& path;
  ArtefactKind kind;
  ArtefactScheme scheme;

  /// Refuses a secret key that others may read, and one where the computing side's is expected.
  ArtefactReader open() const;
};

/// Adds a key as a section, with the scheme's `serialize`.
template <class Context, class Key>
void add_key(ArtefactWriter& writer, std::string_view name, const Context& context, const Key& key) {
  writer.begin_section(name, SectionType::key);
  serialize(context, key, [&](std::span<const std::uint8_t> piece) { writer.write(std::as_bytes(piece)); });
}

/// A file of one key. Returns its root.
template <class Context, class Key>
base::Digest save_key(const KeyFile& file, const Context& context, const Key& key, const Binding& binding) {
  ArtefactWriter writer(file.path, file.kind, file.scheme);
  writer.add_section(kAboutSection, SectionType::text, to_json(binding).dump());
  add_key(writer, kKeySection, context, key);
  return writer.finish();
}

/// What the scheme's `deserialize` makes of a section, whose bytes are wiped when it is done.
template <class Context, class Key>
Key read_key(const ArtefactReader& reader, const Section& section, const Context& context,
             Key (*deserialize)(const Context&, std::span<const std::uint8_t>)) {
  std::vector<std::byte> bytes = reader.read(section);
  const base::WipedAtExit wiped(bytes);
  return deserialize(context, {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
}

/// The key of a file of one; `found` receives what it belongs to.
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
